CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workspaces (
  id                  TEXT PRIMARY KEY,
  name                TEXT NOT NULL,
  plan                TEXT NOT NULL,
  trial_messages_used INTEGER NOT NULL,
  suspended_at        INTEGER,
  created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  id                   TEXT PRIMARY KEY,
  workspace_id         TEXT NOT NULL,
  email                TEXT NOT NULL,
  email_verified       INTEGER NOT NULL,
  administers_webhooks INTEGER NOT NULL,
  created_at           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_workspace ON members (workspace_id, id);

CREATE TABLE api_keys (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  member_id    TEXT,
  name         TEXT NOT NULL,
  scopes       TEXT NOT NULL,
  hash         TEXT NOT NULL UNIQUE,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id);

CREATE TABLE instances (
  id                  TEXT PRIMARY KEY,
  workspace_id        TEXT NOT NULL,
  name                TEXT NOT NULL,
  status              TEXT NOT NULL,
  desired             TEXT NOT NULL,
  phone_number        TEXT,
  profile_name        TEXT,
  profile_picture_url TEXT,
  last_error          TEXT,
  dropped_at          INTEGER,
  qr                  TEXT,
  operation           TEXT,
  operation_outcome   TEXT,
  status_changed_at   INTEGER,
  connected_at        INTEGER,
  disconnected_at     INTEGER,
  last_seen_at        INTEGER,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  version             INTEGER NOT NULL,
  -- The lease: an empty owner is none. The epoch outlives it, so that it never repeats.
  lease_owner         TEXT NOT NULL DEFAULT '',
  lease_epoch         INTEGER NOT NULL DEFAULT 0,
  lease_expires_at    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX instances_by_workspace ON instances (workspace_id, id);
-- Instances that need a gateway, those that have been without one the longest first.
CREATE INDEX instances_to_hold ON instances (lease_expires_at, id) WHERE desired = 'running' OR operation IS NOT NULL;
CREATE INDEX instances_by_owner ON instances (lease_owner, id) WHERE lease_owner <> '';

CREATE TABLE session_values (
  instance_id TEXT NOT NULL,
  name        TEXT NOT NULL,
  value       BLOB NOT NULL,
  PRIMARY KEY (instance_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE instance_groups (
  instance_id        TEXT NOT NULL,
  network_id         TEXT NOT NULL,
  id                 TEXT NOT NULL UNIQUE,
  workspace_id       TEXT NOT NULL,
  name               TEXT NOT NULL,
  participants_count INTEGER NOT NULL,
  synced_at          INTEGER NOT NULL,
  PRIMARY KEY (instance_id, network_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_by_name ON instance_groups (instance_id, name, id);

CREATE TABLE messages (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  instance_id  TEXT NOT NULL,
  network_id   TEXT NOT NULL,
  -- Tells repeats of inbound messages apart; empty on outbound ones.
  sender_id    TEXT NOT NULL,
  direction    TEXT NOT NULL,
  type         TEXT NOT NULL,
  status       TEXT NOT NULL,
  recipient    TEXT,
  sender       TEXT,
  group_id     TEXT,
  text         TEXT,
  caption      TEXT,
  media        TEXT,
  error        TEXT,
  created_at   INTEGER NOT NULL,
  queued_at    INTEGER,
  sent_at      INTEGER,
  delivered_at INTEGER,
  read_at      INTEGER,
  failed_at    INTEGER,
  received_at  INTEGER
) STRICT, WITHOUT ROWID;
-- Look-ups by the network's id, and the guard against storing an inbound message twice.
CREATE UNIQUE INDEX messages_by_network_id ON messages (instance_id, network_id, direction, sender_id);
-- Lists; see message-list.ts for which serves which filter.
CREATE INDEX messages_by_workspace ON messages (workspace_id, id);
CREATE INDEX messages_by_workspace_and_kind ON messages (workspace_id, status, type, id);
CREATE INDEX messages_by_instance_and_kind ON messages (instance_id, status, type, id);

CREATE TABLE queue (
  instance_id TEXT NOT NULL,
  -- The order of acceptance, whatever the ids say.
  position    INTEGER NOT NULL,
  message_id  TEXT NOT NULL UNIQUE,
  tries       INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  PRIMARY KEY (instance_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_records (
  workspace_id TEXT NOT NULL,
  key          TEXT NOT NULL,
  fingerprint  TEXT NOT NULL,
  message_id   TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at);

-- Content of the media store.
CREATE TABLE contents (
  message_id  TEXT PRIMARY KEY,
  begun_at    INTEGER NOT NULL,
  -- Null while it belongs to no message.
  instance_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX contents_begun ON contents (begun_at, message_id) WHERE instance_id IS NULL;
CREATE INDEX contents_by_instance ON contents (instance_id, message_id) WHERE instance_id IS NOT NULL;

-- Deleted instances of which there still is content.
CREATE TABLE instances_with_leftovers (
  instance_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE endpoints (
  id              TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  url             TEXT NOT NULL,
  description     TEXT,
  events          TEXT NOT NULL,
  status          TEXT NOT NULL,
  sealed_secret   TEXT NOT NULL,
  secret_hint     TEXT NOT NULL,
  disabled_at     INTEGER,
  disabled_reason TEXT,
  last_delivery   TEXT,
  last_success_at INTEGER,
  failing_since   INTEGER,
  exhausted       INTEGER NOT NULL,
  warned_at       INTEGER,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  version         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX endpoints_by_workspace ON endpoints (workspace_id, id);
CREATE INDEX endpoints_failing ON endpoints (id, failing_since)
  WHERE failing_since IS NOT NULL AND exhausted = 1 AND status = 'enabled';

CREATE TABLE notices (
  id      TEXT PRIMARY KEY,
  notice  TEXT NOT NULL,
  owed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  type         TEXT NOT NULL,
  occurred_at  INTEGER NOT NULL,
  payload      TEXT NOT NULL,
  -- How many deliveries of it are stored.
  deliveries   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  id                TEXT PRIMARY KEY,
  workspace_id      TEXT NOT NULL,
  webhook_id        TEXT NOT NULL,
  event_id          TEXT NOT NULL,
  event_type        TEXT NOT NULL,
  event_occurred_at INTEGER NOT NULL,
  -- The lane's generation that it is queued or claimed in, by which a closing ends it; 0 once it has ended.
  generation        INTEGER NOT NULL,
  status            TEXT NOT NULL,
  attempts          INTEGER NOT NULL,
  max_attempts      INTEGER NOT NULL,
  manual            INTEGER NOT NULL,
  next_retry_at     INTEGER,
  response_status   INTEGER,
  error_code        TEXT,
  last_attempt_at   INTEGER,
  delivered_at      INTEGER,
  created_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_by_kind ON deliveries (webhook_id, status, generation, event_type, id);

CREATE TABLE attempts (
  delivery_id     TEXT NOT NULL,
  number          INTEGER NOT NULL,
  manual          INTEGER NOT NULL,
  url             TEXT NOT NULL,
  response_status INTEGER,
  response_body   TEXT,
  duration_ms     INTEGER NOT NULL,
  error_code      TEXT,
  at              INTEGER NOT NULL,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

-- Who may be served next: one small row per endpoint. It outlives its endpoint while deliveries of it are open.
CREATE TABLE lanes (
  endpoint_id TEXT PRIMARY KEY,
  generation  INTEGER NOT NULL,
  -- When a claim finds something; null while nothing is queued or all slots are held.
  wake_at     INTEGER,
  -- Whether all slots are held.
  is_full     INTEGER NOT NULL,
  -- Nothing is claimed before: when the throttle allows the next start, and, so that others get their turn, the last start.
  ready_from  INTEGER NOT NULL,
  -- When the attempts began that the throttle still counted at the last claim, oldest first: 8 bytes each.
  starts      BLOB NOT NULL DEFAULT x''
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_to_wake ON lanes (wake_at, endpoint_id) WHERE wake_at IS NOT NULL;

-- What the lanes' times were worked out with.
CREATE TABLE lane_limits (
  limits TEXT NOT NULL
) STRICT;
INSERT INTO lane_limits (limits) VALUES ('');

-- Open work only. A claim reads the lane's present generation, and never what a closing has left behind.
CREATE TABLE due (
  endpoint_id TEXT NOT NULL,
  generation  INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  delivery_id TEXT NOT NULL UNIQUE,
  lost_claims INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, generation, due_at, delivery_id)
) STRICT, WITHOUT ROWID;

-- No more rows per endpoint than slots, whatever the code does: the slot is part of the key.
CREATE TABLE claims (
  endpoint_id TEXT NOT NULL,
  slot        INTEGER NOT NULL,
  delivery_id TEXT NOT NULL,
  token       INTEGER NOT NULL,
  generation  INTEGER NOT NULL,
  lost_claims INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_end ON claims (expires_at);

-- The latest token of a claim.
CREATE TABLE claim_tokens (
  latest INTEGER NOT NULL
) STRICT;
INSERT INTO claim_tokens (latest) VALUES (0);

-- What a closing has ended and is not written down yet.
CREATE TABLE closings (
  endpoint_id TEXT NOT NULL,
  generation  INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  -- Whether there may be something to write down; 0 while all that is left is under a claim.
  to_sweep    INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, generation)
) STRICT, WITHOUT ROWID;
CREATE INDEX closings_to_sweep ON closings (endpoint_id, generation) WHERE to_sweep = 1;
