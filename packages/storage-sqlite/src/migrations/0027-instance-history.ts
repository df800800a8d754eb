/**
 * What happened to each instance, which numbers are down, and what is owed to somebody because of that. A number that is
 * being tried at the time of the upgrade has been down since its connection was lost.
 */
export const instanceHistory = `
CREATE TABLE instance_history (
  id               TEXT PRIMARY KEY,
  workspace_id     TEXT NOT NULL,
  instance_id      TEXT NOT NULL,
  reason           TEXT NOT NULL,
  caused_by        TEXT NOT NULL,
  status_before    TEXT,
  status_after     TEXT,
  code             TEXT,
  network_code     TEXT,
  -- JSON.
  next_step        TEXT,
  process          TEXT,
  previous_process TEXT,
  at               INTEGER NOT NULL,
  times            INTEGER NOT NULL,
  last_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX instance_history_by_instance ON instance_history (workspace_id, instance_id, id);

CREATE TABLE instance_notifications (
  id           TEXT PRIMARY KEY,
  notification TEXT NOT NULL,
  owed_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE instances ADD COLUMN down_since INTEGER;
ALTER TABLE instances ADD COLUMN down_notified_at INTEGER;
-- Who held the lease when its process was found to have ended; empty once somebody has taken it.
ALTER TABLE instances ADD COLUMN lease_lost_by TEXT NOT NULL DEFAULT '';
UPDATE instances SET down_since = coalesce(dropped_at, disconnected_at, status_changed_at, updated_at)
  WHERE desired = 'running' AND phone_number IS NOT NULL AND status <> 'connected';
CREATE INDEX instances_down ON instances (id, down_since)
  WHERE down_since IS NOT NULL AND down_notified_at IS NULL AND status <> 'connected';
`;
