export const messages = `
CREATE TABLE trunkline.messages (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  instance_id  uuid NOT NULL,
  network_id   text NOT NULL,
  -- Tells repeats of inbound messages apart; empty on outbound ones.
  sender_id    text NOT NULL,
  direction    text NOT NULL,
  type         text NOT NULL,
  status       text NOT NULL,
  recipient    text,
  sender       text,
  group_id     uuid,
  text         text,
  caption      text,
  media        text,
  error        text,
  created_at   bigint NOT NULL,
  queued_at    bigint,
  sent_at      bigint,
  delivered_at bigint,
  read_at      bigint,
  failed_at    bigint,
  received_at  bigint
);
-- Look-ups by the network's id, and the guard against storing an inbound message twice.
CREATE UNIQUE INDEX messages_by_network_id ON trunkline.messages (instance_id, network_id, direction, sender_id);
-- Lists; see message-list.ts for which serves which filter. No two begin with the same column: see page.ts.
CREATE INDEX messages_by_workspace ON trunkline.messages (workspace_id, id);
CREATE INDEX messages_by_workspace_and_kind ON trunkline.messages (status, type, workspace_id, id);
CREATE INDEX messages_by_instance_and_kind ON trunkline.messages (type, status, instance_id, id);

-- One row per instance: what an acceptance has to know of it, apart from the instance itself, which its gateway keeps
-- writing to. Whoever accepts a message or takes one from the queue holds its lock.
CREATE TABLE trunkline.queues (
  instance_id   uuid PRIMARY KEY,
  workspace_id  uuid NOT NULL,
  is_connected  boolean NOT NULL,
  -- How many messages are queued.
  length        bigint NOT NULL DEFAULT 0,
  -- The order of acceptance, whatever the ids say.
  next_position bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 40, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0.1);

CREATE TABLE trunkline.queued_messages (
  instance_id uuid NOT NULL,
  position    bigint NOT NULL,
  message_id  uuid NOT NULL UNIQUE,
  tries       integer NOT NULL,
  due_at      bigint NOT NULL,
  PRIMARY KEY (instance_id, position)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE trunkline.idempotency_records (
  workspace_id uuid NOT NULL,
  key          text NOT NULL,
  fingerprint  text NOT NULL,
  message_id   uuid NOT NULL,
  created_at   bigint NOT NULL,
  PRIMARY KEY (workspace_id, key)
);
CREATE INDEX idempotency_records_by_age ON trunkline.idempotency_records (created_at);

-- Content of the media store.
CREATE TABLE trunkline.contents (
  message_id  uuid PRIMARY KEY,
  begun_at    bigint NOT NULL,
  -- Null while it belongs to no message.
  instance_id uuid
);
CREATE INDEX contents_begun ON trunkline.contents (begun_at, message_id) WHERE instance_id IS NULL;
CREATE INDEX contents_by_instance ON trunkline.contents (instance_id, message_id) WHERE instance_id IS NOT NULL;

-- Deleted instances of which there still is content.
CREATE TABLE trunkline.instances_with_leftovers (
  instance_id uuid PRIMARY KEY
);
`;
