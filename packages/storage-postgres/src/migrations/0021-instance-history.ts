/**
 * What happened to each instance, which numbers are down, and what is owed to somebody because of that. A number that is
 * being tried at the time of the upgrade has been down since its connection was lost.
 */
export const instanceHistory = `
CREATE TABLE trunkline.instance_history (
  id               uuid PRIMARY KEY,
  workspace_id     uuid NOT NULL,
  instance_id      uuid NOT NULL,
  reason           text NOT NULL,
  caused_by        text NOT NULL,
  status_before    text,
  status_after     text,
  code             text,
  network_code     text,
  -- JSON.
  next_step        text,
  process          text,
  previous_process text,
  at               bigint NOT NULL,
  times            bigint NOT NULL,
  last_at          bigint NOT NULL
);
CREATE INDEX instance_history_by_instance ON trunkline.instance_history (workspace_id, instance_id, id);

CREATE TABLE trunkline.instance_notifications (
  id           uuid PRIMARY KEY,
  notification text NOT NULL,
  owed_at      bigint NOT NULL
);

ALTER TABLE trunkline.instances
  ADD COLUMN down_since bigint,
  ADD COLUMN down_notified_at bigint,
  -- Who held the lease when its process was found to have ended; empty once somebody has taken it.
  ADD COLUMN lease_lost_by text NOT NULL DEFAULT '';
UPDATE trunkline.instances
  SET down_since = coalesce(dropped_at, disconnected_at, status_changed_at, updated_at)
  WHERE desired = 'running' AND phone_number IS NOT NULL AND status <> 'connected';
CREATE INDEX instances_down ON trunkline.instances (id, down_since)
  WHERE down_since IS NOT NULL AND down_notified_at IS NULL AND status <> 'connected';
`;
