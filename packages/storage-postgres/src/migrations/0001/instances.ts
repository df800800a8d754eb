export const instances = `
CREATE TABLE trunkline.instances (
  id                  uuid PRIMARY KEY,
  workspace_id        uuid NOT NULL,
  name                text NOT NULL,
  status              text NOT NULL,
  desired             text NOT NULL,
  phone_number        text,
  profile_name        text,
  profile_picture_url text,
  last_error          text,
  dropped_at          bigint,
  -- The phone that is to type a code when its instance pairs: digits.
  pairing_number      text,
  qr                  text,
  operation           text,
  operation_outcome   text,
  status_changed_at   bigint,
  connected_at        bigint,
  disconnected_at     bigint,
  last_seen_at        bigint,
  created_at          bigint NOT NULL,
  updated_at          bigint NOT NULL,
  version             bigint NOT NULL,
  -- The lease: an empty owner is none. The epoch outlives it, so that it never repeats.
  lease_owner         text NOT NULL DEFAULT '',
  lease_epoch         bigint NOT NULL DEFAULT 0,
  lease_expires_at    bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX instances_by_workspace ON trunkline.instances (workspace_id, id);
-- Instances that need a gateway, those that have been without one the longest first.
CREATE INDEX instances_to_hold ON trunkline.instances (lease_expires_at, id)
  WHERE desired = 'running' OR operation IS NOT NULL;
CREATE INDEX instances_by_owner ON trunkline.instances (lease_owner, id) WHERE lease_owner <> '';

-- The processes that share the instances among themselves.
CREATE TABLE trunkline.lease_owners (
  owner         text PRIMARY KEY,
  checked_in_at bigint NOT NULL
);

CREATE TABLE trunkline.session_values (
  instance_id uuid NOT NULL,
  name        text NOT NULL,
  value       bytea NOT NULL,
  PRIMARY KEY (instance_id, name)
);

CREATE TABLE trunkline.instance_groups (
  id                 uuid PRIMARY KEY,
  instance_id        uuid NOT NULL,
  network_id         text NOT NULL,
  workspace_id       uuid NOT NULL,
  -- Sorts by code point, whatever the database's collation.
  name               text COLLATE "C" NOT NULL,
  participants_count bigint NOT NULL,
  synced_at          bigint NOT NULL,
  UNIQUE (instance_id, network_id)
);
CREATE INDEX groups_by_name ON trunkline.instance_groups (instance_id, name, id);
`;
