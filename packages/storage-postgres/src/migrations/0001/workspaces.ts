export const workspaces = `
CREATE TABLE trunkline.workspaces (
  id                  uuid PRIMARY KEY,
  name                text NOT NULL,
  plan                text NOT NULL,
  trial_messages_used bigint NOT NULL,
  suspended_at        bigint,
  created_at          bigint NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE trunkline.members (
  id                   uuid PRIMARY KEY,
  workspace_id         uuid NOT NULL,
  email                text NOT NULL,
  email_verified       boolean NOT NULL,
  administers_webhooks boolean NOT NULL,
  created_at           bigint NOT NULL
);
CREATE INDEX members_by_workspace ON trunkline.members (workspace_id, id);

CREATE TABLE trunkline.api_keys (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  member_id    uuid,
  name         text NOT NULL,
  scopes       text NOT NULL,
  hash         text NOT NULL UNIQUE,
  created_at   bigint NOT NULL,
  expires_at   bigint,
  revoked_at   bigint,
  last_used_at bigint
) WITH (fillfactor = 80);
CREATE INDEX api_keys_by_workspace ON trunkline.api_keys (workspace_id, id);
`;
