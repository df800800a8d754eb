export const endpoints = `
-- Who stores an event holds FOR KEY SHARE on the endpoints that it is for, who closes one FOR UPDATE: so a closing
-- knows of every delivery that was queued before it. Attempts write the health, which keeps neither waiting.
CREATE TABLE trunkline.endpoints (
  id              uuid PRIMARY KEY,
  workspace_id    uuid NOT NULL,
  url             text NOT NULL,
  description     text,
  events          text[] NOT NULL,
  status          text NOT NULL,
  sealed_secret   text NOT NULL,
  secret_hint     text NOT NULL,
  disabled_at     bigint,
  disabled_reason text,
  last_delivery   text,
  last_success_at bigint,
  failing_since   bigint,
  exhausted       boolean NOT NULL,
  warned_at       bigint,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL,
  version         bigint NOT NULL,
  -- The generation of its lane that deliveries are queued in.
  generation      integer NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0.1);
CREATE INDEX endpoints_by_workspace ON trunkline.endpoints (workspace_id, id);
CREATE INDEX endpoints_failing ON trunkline.endpoints (id, failing_since)
  WHERE failing_since IS NOT NULL AND exhausted AND status = 'enabled';

CREATE TABLE trunkline.notices (
  id      uuid PRIMARY KEY,
  notice  text NOT NULL,
  owed_at bigint NOT NULL
);
`;
