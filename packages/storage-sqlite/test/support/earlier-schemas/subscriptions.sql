CREATE TABLE subscriptions (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  event_types TEXT NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deleted ones of which something may still be queued.
CREATE TABLE deleted_subscriptions (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE queued_events (
  event_id        TEXT NOT NULL,
  subscription_id TEXT NOT NULL,
  event_type      TEXT NOT NULL,
  -- When it can be claimed; for one that is claimed, when its lease ends. Null once it is exhausted.
  due_at          INTEGER,
  attempts        INTEGER NOT NULL,
  lost_claims     INTEGER NOT NULL,
  -- Of the latest claim; null while there is none.
  token           INTEGER,
  PRIMARY KEY (event_id, subscription_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX queued_events_due ON queued_events (subscription_id, event_type, due_at, event_id) WHERE due_at IS NOT NULL;
CREATE INDEX queued_events_exhausted ON queued_events (subscription_id, event_id) WHERE due_at IS NULL;
