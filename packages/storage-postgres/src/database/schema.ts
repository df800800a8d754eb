/**
 * Settings for tables of open work, which stay small while rows come and go all the time. Vacuum runs often, so that a
 * claim reads few dead rows.
 */
const BUSY =
  'autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0';

/**
 * The tables of a new schema. Ids are uuids, which sort as the ids do. Times are epoch milliseconds, except
 * `occurred_at` of events, in epoch microseconds. As integers, times are exact in any time zone. text-encoding.ts says
 * how free text is stored. JSON is stored as text, because no statement looks inside it, except into counts.
 */
export const SCHEMA: string = `
-- Settings and processes

CREATE TABLE trunkline.settings (
  name  text PRIMARY KEY,
  value text NOT NULL
);

-- The processes that use the schema. Whatever one holds is released as soon as it has provably ended.
CREATE TABLE trunkline.processes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine    text NOT NULL,
  namespace  text NOT NULL,
  pid        integer NOT NULL,
  started_at text NOT NULL,
  added_at   timestamptz NOT NULL DEFAULT now()
);

-- The last report of each process, for the operator.
CREATE TABLE trunkline.process_reports (
  name        text PRIMARY KEY,
  roles       text[] NOT NULL,
  started_at  bigint NOT NULL,
  reported_at bigint NOT NULL,
  vitals      text
);

-- Calls of instances on their way to the processes that hold the connections: request and response are JSON. Each is
-- deleted with its response.
CREATE TABLE trunkline.calls (
  id          uuid PRIMARY KEY,
  instance_id uuid NOT NULL,
  request     text NOT NULL,
  response    text,
  is_taken    boolean NOT NULL DEFAULT false,
  expires_at  bigint NOT NULL
) WITH (${BUSY});
CREATE INDEX calls_by_instance ON trunkline.calls (instance_id, expires_at);
CREATE INDEX calls_by_end ON trunkline.calls (expires_at);

-- Workspaces

CREATE TABLE trunkline.workspaces (
  id                  uuid PRIMARY KEY,
  name                text NOT NULL,
  plan                text NOT NULL,
  trial_messages_used bigint NOT NULL,
  suspended_at        bigint,
  -- Whether its work waits, since it is suspended or its subscription has ended.
  is_postponed        boolean NOT NULL DEFAULT false,
  -- How long it keeps its messages: JSON.
  retention           text,
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
  prefix       text,
  created_at   bigint NOT NULL,
  expires_at   bigint,
  revoked_at   bigint,
  last_used_at bigint
) WITH (fillfactor = 80);
CREATE INDEX api_keys_by_workspace ON trunkline.api_keys (workspace_id, id);

-- The links and cookies of the dashboard that ended before their time.
CREATE TABLE trunkline.spent_tokens (
  id         text PRIMARY KEY,
  kept_until bigint NOT NULL
);
CREATE INDEX spent_tokens_by_end ON trunkline.spent_tokens (kept_until);

-- Counts over time

-- The counts of each quarter of an hour, which begins at the time in quarter: JSON, by name.
CREATE TABLE trunkline.instance_traffic (
  instance_id uuid NOT NULL,
  quarter     bigint NOT NULL,
  counts      text NOT NULL,
  PRIMARY KEY (instance_id, quarter)
) WITH (fillfactor = 80);
CREATE INDEX instance_traffic_by_quarter ON trunkline.instance_traffic (quarter);
CREATE TABLE trunkline.webhook_traffic (
  webhook_id uuid NOT NULL,
  quarter    bigint NOT NULL,
  counts     text NOT NULL,
  PRIMARY KEY (webhook_id, quarter)
) WITH (fillfactor = 80);
CREATE INDEX webhook_traffic_by_quarter ON trunkline.webhook_traffic (quarter);
CREATE TABLE trunkline.workspace_traffic (
  workspace_id uuid NOT NULL,
  quarter      bigint NOT NULL,
  counts       text NOT NULL,
  PRIMARY KEY (workspace_id, quarter)
) WITH (fillfactor = 80);
CREATE INDEX workspace_traffic_by_quarter ON trunkline.workspace_traffic (quarter);

-- Instances

CREATE TABLE trunkline.instances (
  id                  uuid PRIMARY KEY,
  workspace_id        uuid NOT NULL,
  name                text NOT NULL,
  -- The messaging network that the instance is on, by the name of its gateway.
  network             text NOT NULL,
  status              text NOT NULL,
  desired             text NOT NULL,
  phone_number        text,
  profile_name        text,
  profile_picture_url text,
  -- The gateway's capabilities that the linked number has: JSON.
  capabilities        text,
  sealed_proxy_url    text,
  sealed_credentials  text,
  pace                text,
  last_error          text,
  -- What the network forbids the number for now: JSON.
  restriction         text,
  qr                  text,
  -- The passkey step that the network waits for while it links the number: JSON.
  passkey             text,
  -- The phone that is to type a code to pair the instance: digits.
  pairing_number      text,
  operation           text,
  operation_outcome   text,
  -- Whether the network did not carry out the last logout: the next one discards the session.
  logout_refused      boolean NOT NULL DEFAULT false,
  status_changed_at   bigint,
  linked_at           bigint,
  connected_at        bigint,
  disconnected_at     bigint,
  dropped_at          bigint,
  down_since          bigint,
  down_notified_at    bigint,
  last_seen_at        bigint,
  created_at          bigint NOT NULL,
  updated_at          bigint NOT NULL,
  version             bigint NOT NULL,
  -- How many people the number has written to for the first time since the beginning of the day that was counted last.
  new_people_from     bigint NOT NULL DEFAULT 0,
  new_people          bigint NOT NULL DEFAULT 0,
  -- The lease. If the owner is empty, nobody holds it. The epoch outlives the lease, so that it never repeats.
  lease_owner         text NOT NULL DEFAULT '',
  lease_epoch         bigint NOT NULL DEFAULT 0,
  lease_expires_at    bigint NOT NULL DEFAULT 0,
  -- 0 if the process is not known.
  lease_process       bigint NOT NULL DEFAULT 0,
  -- The process that asked for the instance, and is the only one that gets it next.
  lease_reserved_for  text NOT NULL DEFAULT '',
  -- The last holder, if its process was found to have ended; empty once somebody has taken the lease.
  lease_lost_by       text NOT NULL DEFAULT ''
) WITH (fillfactor = 70);
CREATE INDEX instances_by_workspace ON trunkline.instances (workspace_id, id);
-- Counts the instances of each status without reading them.
CREATE INDEX instances_by_status ON trunkline.instances (network, status);
-- Instances that need a gateway, by network, because not every process has every gateway. The ones that have been
-- without one the longest come first.
CREATE INDEX instances_to_hold ON trunkline.instances (network, lease_expires_at, id)
  WHERE desired = 'running' OR operation IS NOT NULL;
CREATE INDEX instances_by_owner ON trunkline.instances (lease_owner, id) WHERE lease_owner <> '';
CREATE INDEX instances_reserved ON trunkline.instances (lease_reserved_for, lease_expires_at, id)
  WHERE lease_reserved_for <> '';
CREATE INDEX instances_down ON trunkline.instances (id, down_since)
  WHERE down_since IS NOT NULL AND down_notified_at IS NULL AND status <> 'connected';

-- The processes that share the instances of a network among themselves.
CREATE TABLE trunkline.lease_owners (
  owner         text NOT NULL,
  network       text NOT NULL,
  checked_in_at bigint NOT NULL,
  asks_until    bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (network, owner)
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
  -- Sorts by code point, whatever the collation of the database.
  name               text COLLATE "C" NOT NULL,
  participants_count bigint NOT NULL,
  -- A group that the number has left keeps its id, by which messages name it.
  is_member          boolean NOT NULL DEFAULT true,
  synced_at          bigint NOT NULL,
  UNIQUE (instance_id, network_id)
);
CREATE INDEX groups_by_name ON trunkline.instance_groups (instance_id, name, id);

-- The numbers that instances have looked up on their networks in the last day, with what the network said: null if it
-- has not said anything yet.
CREATE TABLE trunkline.number_lookups (
  workspace_id      uuid NOT NULL,
  instance_id       uuid NOT NULL,
  number            text NOT NULL,
  asked_at          bigint NOT NULL,
  -- How often the network was asked.
  times             bigint NOT NULL,
  is_on_network     boolean,
  registered_number text,
  PRIMARY KEY (instance_id, number)
);
CREATE INDEX number_lookups_by_workspace ON trunkline.number_lookups (workspace_id);
CREATE INDEX number_lookups_by_time ON trunkline.number_lookups (asked_at);

-- The changes of groups that instances have begun in the last day, which limit the next ones.
CREATE TABLE trunkline.group_changes (
  id              uuid PRIMARY KEY,
  workspace_id    uuid NOT NULL,
  instance_id     uuid NOT NULL,
  begun_at        bigint NOT NULL,
  -- How many people the change lets into a group.
  new_people      bigint NOT NULL,
  idempotency_key text,
  fingerprint     text,
  -- JSON; null if it is not known, or not yet.
  outcome         text
);
CREATE INDEX group_changes_by_instance ON trunkline.group_changes (instance_id, begun_at);
CREATE UNIQUE INDEX group_changes_by_key ON trunkline.group_changes (idempotency_key, workspace_id)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX group_changes_by_time ON trunkline.group_changes (begun_at);

-- The history of each instance. It outlives its instance.
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

-- Notifications about instances that are still to be sent.
CREATE TABLE trunkline.instance_notifications (
  id           uuid PRIMARY KEY,
  notification text NOT NULL,
  owed_at      bigint NOT NULL
);

-- Deleted instances that still have files in the media store.
CREATE TABLE trunkline.instances_with_leftovers (
  instance_id uuid PRIMARY KEY
);

-- Contacts

CREATE TABLE trunkline.contacts (
  id              uuid PRIMARY KEY,
  workspace_id    uuid NOT NULL,
  instance_id     uuid NOT NULL,
  network_id      text NOT NULL,
  aliases         text NOT NULL,
  former_ids      text NOT NULL,
  phone_number    text,
  -- Numbers that lead to the contact when they are dialled, besides the one that the network registers: JSON.
  dialled_numbers text NOT NULL DEFAULT '[]',
  name            text,
  username        text,
  created_at      bigint NOT NULL,
  -- The contact that this one turned out to be.
  merged_into     uuid
);
-- Finds the person who has a number.
CREATE INDEX contacts_by_number ON trunkline.contacts (workspace_id, phone_number)
  WHERE phone_number IS NOT NULL AND merged_into IS NULL;

CREATE TABLE trunkline.contact_network_ids (
  instance_id uuid NOT NULL,
  network_id  text NOT NULL,
  contact_id  uuid NOT NULL,
  PRIMARY KEY (instance_id, network_id)
);

CREATE TABLE trunkline.contact_numbers (
  workspace_id uuid NOT NULL,
  number       text NOT NULL,
  instance_id  uuid NOT NULL,
  contact_id   uuid NOT NULL,
  PRIMARY KEY (workspace_id, number, instance_id)
);

-- Messages

CREATE TABLE trunkline.messages (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  instance_id  uuid NOT NULL,
  network_id   text NOT NULL,
  -- Distinguishes repeats of inbound messages; empty for outbound ones.
  sender_id    text NOT NULL,
  direction    text NOT NULL,
  type         text NOT NULL,
  status       text NOT NULL,
  recipient    text,
  sender       text,
  group_id     uuid,
  contact_id   uuid,
  text         text,
  caption      text,
  media        text,
  -- Fields that few messages have.
  details      text,
  error        text,
  created_at   bigint NOT NULL,
  queued_at    bigint,
  sent_at      bigint,
  delivered_at bigint,
  read_at      bigint,
  failed_at    bigint,
  received_at  bigint
);
-- Finds messages by the network's id, and guards against storing an inbound message twice.
CREATE UNIQUE INDEX messages_by_network_id ON trunkline.messages (instance_id, network_id, direction, sender_id);
-- These are for lists; message-list.ts says which index serves which filter. No two begin with the same column: see page.ts.
CREATE INDEX messages_by_workspace ON trunkline.messages (workspace_id, id);
CREATE INDEX messages_by_workspace_and_kind ON trunkline.messages (status, type, workspace_id, id);
CREATE INDEX messages_by_instance_and_kind ON trunkline.messages (type, status, instance_id, id);

-- Facts that an acceptance needs about an instance, apart from the instance itself, which its gateway keeps writing to.
-- Accepting a message, or taking one from the queue, needs the lock of this row.
CREATE TABLE trunkline.queues (
  instance_id   uuid PRIMARY KEY,
  workspace_id  uuid NOT NULL,
  -- Whether messages are accepted: also while a linked number reconnects.
  is_connected  boolean NOT NULL,
  -- How many messages are queued, including those that are held.
  length        bigint NOT NULL DEFAULT 0,
  -- The order of acceptance, which the order of the ids may differ from.
  next_position bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 40, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0.1);

-- Actions of instances on messages, such as reactions. Each is deleted with its message.
CREATE TABLE trunkline.message_actions (
  id              uuid PRIMARY KEY,
  workspace_id    uuid NOT NULL,
  instance_id     uuid NOT NULL,
  message_id      uuid NOT NULL,
  network_id      text NOT NULL,
  recipient       text NOT NULL,
  kind            text NOT NULL,
  emoji           text,
  text            text,
  status          text NOT NULL,
  error           text,
  created_at      bigint NOT NULL,
  sent_at         bigint,
  failed_at       bigint,
  idempotency_key text,
  fingerprint     text
);
CREATE INDEX message_actions_by_message ON trunkline.message_actions (message_id, workspace_id, id);
CREATE UNIQUE INDEX message_actions_by_key ON trunkline.message_actions (idempotency_key, workspace_id)
  WHERE idempotency_key IS NOT NULL;

-- The newest vote of each person in a poll. Each is deleted with its message and with its contact.
CREATE TABLE trunkline.poll_votes (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  message_id   uuid NOT NULL,
  -- Null if the instance voted.
  contact_id   uuid,
  options      text NOT NULL,
  voted_at     bigint NOT NULL
);
CREATE INDEX poll_votes_by_message ON trunkline.poll_votes (message_id, workspace_id, id);
CREATE INDEX poll_votes_by_contact ON trunkline.poll_votes (contact_id) WHERE contact_id IS NOT NULL;

CREATE TABLE trunkline.queued_messages (
  instance_id uuid NOT NULL,
  position    bigint NOT NULL,
  -- The id of a message, or that of an action.
  message_id  uuid NOT NULL UNIQUE,
  -- The key of the recipient: messages with the same one are sent in their order, one after another.
  recipient   text NOT NULL,
  tries       integer NOT NULL,
  due_at      bigint NOT NULL,
  PRIMARY KEY (instance_id, position)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02);

-- Queued messages that the network does not accept for now, and those to the same recipients that wait for them: kept out
-- of the way of the others. Usually empty. Adding or removing one needs the lock of its queue.
CREATE TABLE trunkline.held_messages (
  message_id  uuid PRIMARY KEY,
  instance_id uuid NOT NULL,
  -- The position in the queue, to which a message that only waits returns.
  position    bigint NOT NULL,
  recipient   text NOT NULL,
  tries       integer NOT NULL,
  due_at      bigint NOT NULL,
  -- Null for those that only wait. The same as due_at for those that the pace of the instance holds.
  held_since  bigint
);
CREATE INDEX held_messages_by_recipient ON trunkline.held_messages (instance_id, recipient, held_since);
CREATE INDEX held_messages_due ON trunkline.held_messages (instance_id, due_at, position) WHERE held_since IS NOT NULL;
CREATE INDEX held_messages_paced ON trunkline.held_messages (instance_id, recipient) WHERE held_since = due_at;

-- Queued messages that wait for their time, outside of the queues. The id is the place of the message: its time, then
-- its id.
CREATE TABLE trunkline.scheduled_messages (
  id           uuid PRIMARY KEY,
  message_id   uuid NOT NULL,
  workspace_id uuid NOT NULL,
  instance_id  uuid NOT NULL,
  recipient    text NOT NULL
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX scheduled_messages_by_workspace ON trunkline.scheduled_messages (workspace_id, id);
CREATE INDEX scheduled_messages_by_instance ON trunkline.scheduled_messages (instance_id, workspace_id, id);

CREATE TABLE trunkline.idempotency_records (
  workspace_id uuid NOT NULL,
  key          text NOT NULL,
  fingerprint  text NOT NULL,
  message_id   uuid NOT NULL,
  created_at   bigint NOT NULL,
  PRIMARY KEY (workspace_id, key)
);
CREATE INDEX idempotency_records_by_age ON trunkline.idempotency_records (created_at);

-- Keys of activities, by which their repeats are recognised.
CREATE TABLE trunkline.activity_keys (
  instance_id uuid NOT NULL,
  key         text NOT NULL,
  recorded_at bigint NOT NULL,
  PRIMARY KEY (instance_id, key)
);
CREATE INDEX activity_keys_by_age ON trunkline.activity_keys (recorded_at);

-- Files in the media store. A file that was uploaded before its message was accepted has an id of its own in message_id,
-- and its message in owner_id.
CREATE TABLE trunkline.contents (
  message_id  uuid PRIMARY KEY,
  is_upload   boolean NOT NULL DEFAULT false,
  owner_id    uuid,
  begun_at    bigint NOT NULL,
  -- Null until it belongs to a message.
  instance_id uuid
);
CREATE INDEX contents_begun ON trunkline.contents (begun_at, message_id) WHERE instance_id IS NULL;
CREATE INDEX contents_by_instance ON trunkline.contents (instance_id, message_id) WHERE instance_id IS NOT NULL;

-- Files of inbound messages that the network has not delivered yet.
CREATE TABLE trunkline.pending_downloads (
  instance_id      uuid NOT NULL,
  message_id       uuid NOT NULL,
  workspace_id     uuid NOT NULL,
  sealed_reference bytea NOT NULL,
  tries            integer NOT NULL,
  due_at           bigint NOT NULL,
  expires_at       bigint NOT NULL,
  PRIMARY KEY (instance_id, message_id)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX pending_downloads_due ON trunkline.pending_downloads (instance_id, due_at, message_id);
CREATE INDEX pending_downloads_expiring ON trunkline.pending_downloads (expires_at, message_id);

-- Chats

CREATE TABLE trunkline.chats (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id    uuid NOT NULL,
  instance_id     uuid NOT NULL,
  -- What its messages are filed under; see chat-key.ts.
  key             text COLLATE "C" NOT NULL,
  last_message_id uuid NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX chats_by_key ON trunkline.chats (workspace_id, key, instance_id);
CREATE INDEX chats_by_last_message ON trunkline.chats (instance_id, last_message_id);

CREATE TABLE trunkline.chat_messages (
  chat_id bigint NOT NULL,
  -- The id of the message.
  id      uuid NOT NULL,
  PRIMARY KEY (chat_id, id)
);

-- Messages that are to be filed: the statement that stores a message only notes it here (chat-filing.ts).
CREATE TABLE trunkline.unfiled_messages (
  message_id uuid PRIMARY KEY
) WITH (${BUSY});

CREATE FUNCTION trunkline.message_key(message trunkline.messages) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN message.group_id IS NOT NULL THEN 'g' || message.group_id
    WHEN message.contact_id IS NOT NULL THEN 'c' || message.contact_id
    WHEN message.direction = 'inbound' THEN 'n' || message.sender
    ELSE 'n' || message.recipient
  END
$$;

-- Search: search-index.ts of storage-kit says how it works

-- The workspaces that have entries, under short numbers.
CREATE TABLE trunkline.search_workspaces (
  number       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id uuid NOT NULL UNIQUE,
  -- At least how many entries are in no window.
  added        bigint NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE trunkline.search_entries (
  workspace integer NOT NULL,
  -- The id of the message.
  id        uuid NOT NULL,
  words     text NOT NULL,
  PRIMARY KEY (workspace, id)
);

CREATE TABLE trunkline.search_windows (
  number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace integer NOT NULL,
  -- Null for the first window of a workspace.
  after_id  uuid,
  last_id   uuid NOT NULL
);
CREATE UNIQUE INDEX search_windows_by_id ON trunkline.search_windows (workspace, last_id);

CREATE TABLE trunkline.search_tokens (
  workspace     integer NOT NULL,
  token         text COLLATE "C" NOT NULL,
  window_number bigint NOT NULL,
  PRIMARY KEY (workspace, token, window_number)
);

-- The words of entries that were added to a window after it was made, or deleted from it, until its tokens are changed.
CREATE TABLE trunkline.search_changes (
  window_number bigint NOT NULL,
  words         text NOT NULL
) WITH (${BUSY});
CREATE INDEX search_changes_by_window ON trunkline.search_changes (window_number);

CREATE FUNCTION trunkline.delete_search_entry(owner uuid, message uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH deleted AS (
    DELETE FROM trunkline.search_entries
    WHERE workspace = (SELECT number FROM trunkline.search_workspaces WHERE workspace_id = owner) AND id = message
    RETURNING workspace, words
  )
  INSERT INTO trunkline.search_changes (window_number, words)
  SELECT holder.number, deleted.words FROM deleted CROSS JOIN LATERAL (
    SELECT number FROM trunkline.search_windows
    WHERE workspace = deleted.workspace AND last_id >= message ORDER BY workspace, last_id LIMIT 1
  ) AS holder;
END $$;

-- A message whose words change is filed again. Noting it first waits for a process that is just filing it, so that the
-- entry which that process adds is deleted, too.
CREATE FUNCTION trunkline.file_message_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trunkline.unfiled_messages (message_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  PERFORM trunkline.delete_search_entry(NEW.workspace_id, NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER messages_change_words AFTER UPDATE OF text, caption, media ON trunkline.messages
  FOR EACH ROW
  WHEN ((OLD.text, OLD.caption, OLD.media) IS DISTINCT FROM (NEW.text, NEW.caption, NEW.media))
  EXECUTE FUNCTION trunkline.file_message_again();

-- Keeps others from filing until its transaction ends, so that nothing is filed that was just deleted.
CREATE FUNCTION trunkline.take_message_from_chat() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1667788148, (SELECT tableoid::integer FROM trunkline.schema_versions LIMIT 1));
  DELETE FROM trunkline.unfiled_messages WHERE message_id = OLD.id;
  DELETE FROM trunkline.chat_messages USING trunkline.chats
  WHERE chat_messages.chat_id = chats.id AND chat_messages.id = OLD.id AND chats.workspace_id = OLD.workspace_id
    AND chats.instance_id = OLD.instance_id AND chats.key = trunkline.message_key(OLD);
  DELETE FROM trunkline.chats
  WHERE workspace_id = OLD.workspace_id AND instance_id = OLD.instance_id AND key = trunkline.message_key(OLD)
    AND NOT EXISTS (SELECT 1 FROM trunkline.chat_messages WHERE chat_id = chats.id);
  UPDATE trunkline.chats
  SET last_message_id = (
    SELECT chat_messages.id FROM trunkline.chat_messages WHERE chat_id = chats.id ORDER BY chat_messages.id DESC LIMIT 1
  )
  WHERE workspace_id = OLD.workspace_id AND instance_id = OLD.instance_id AND key = trunkline.message_key(OLD)
    AND last_message_id = OLD.id;
  PERFORM trunkline.delete_search_entry(OLD.workspace_id, OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER messages_leave_chat AFTER DELETE ON trunkline.messages
  FOR EACH ROW EXECUTE FUNCTION trunkline.take_message_from_chat();

-- Endpoints

-- Whoever stores an event holds FOR KEY SHARE on the endpoints that get it, and whoever cancels the deliveries of one holds
-- FOR UPDATE: so a cancellation knows of every delivery that was queued before it. Attempts write the health of the
-- endpoint, which makes neither of them wait.
CREATE TABLE trunkline.endpoints (
  id              uuid PRIMARY KEY,
  workspace_id    uuid NOT NULL,
  url             text NOT NULL,
  description     text,
  events          text[] NOT NULL,
  -- The instances whose events it gets; null for all.
  instances       text[],
  status          text NOT NULL,
  sealed_secret   text NOT NULL,
  secret_hint     text NOT NULL,
  -- The secret that signs until sealed_secret does, and the time from which that does.
  sealed_previous_secret text,
  secret_begins_at bigint,
  -- Whether its requests have the trace context of their event.
  trace_context   boolean NOT NULL DEFAULT false,
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

-- The URLs of deleted endpoints, which their deliveries still show.
CREATE TABLE trunkline.deleted_endpoints (
  id         uuid PRIMARY KEY,
  url        text NOT NULL,
  deleted_at bigint NOT NULL
);
CREATE INDEX deleted_endpoints_by_age ON trunkline.deleted_endpoints (deleted_at);

-- Notifications about endpoints that are still to be sent.
CREATE TABLE trunkline.notices (
  id      uuid PRIMARY KEY,
  notice  text NOT NULL,
  owed_at bigint NOT NULL
);

-- Events and deliveries that have ended. Ids contain their time, so that a partition holds a day, and retention drops it
-- whole. Rows for which no partition was made ahead go to the default ones.

CREATE TABLE trunkline.events (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  type         text NOT NULL,
  occurred_at  bigint NOT NULL,
  payload      text NOT NULL,
  -- The span that caused it; few events have one.
  traceparent  text
) PARTITION BY RANGE (id);
CREATE TABLE trunkline.events_default PARTITION OF trunkline.events DEFAULT;

-- Finds the events of a workspace, an instance or a message.
CREATE TABLE trunkline.event_log (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  type         text COLLATE "C" NOT NULL,
  instance_id  uuid,
  message_id   uuid,
  PRIMARY KEY (workspace_id, id)
) PARTITION BY RANGE (id);
-- No two indexes for lists begin with the same column: see page.ts.
CREATE INDEX event_log_by_instance ON trunkline.event_log (instance_id, type, workspace_id, id);
CREATE INDEX event_log_by_message ON trunkline.event_log (message_id, workspace_id, id);
CREATE TABLE trunkline.event_log_default PARTITION OF trunkline.event_log DEFAULT;
-- Retention needs this one; it drops the other partitions whole.
CREATE INDEX event_log_default_by_id ON trunkline.event_log_default (id);

-- The result of an attempt, as in attempts.
CREATE TYPE trunkline.attempt AS (
  number          integer,
  manual          boolean,
  url             text,
  response_status integer,
  response_body   text,
  duration_ms     bigint,
  error_code      text,
  at              bigint
);

-- Deliveries that have ended: written once, with their first attempt, which usually is the only one.
CREATE TABLE trunkline.deliveries (
  id                uuid PRIMARY KEY,
  workspace_id      uuid NOT NULL,
  webhook_id        uuid NOT NULL,
  event_id          uuid NOT NULL,
  event_type        text COLLATE "C" NOT NULL,
  event_occurred_at bigint NOT NULL,
  generation        integer NOT NULL DEFAULT 0,
  status            text COLLATE "C" NOT NULL,
  attempts          integer NOT NULL,
  max_attempts      integer NOT NULL,
  manual            boolean NOT NULL,
  next_retry_at     bigint,
  response_status   integer,
  error_code        text,
  last_attempt_at   bigint,
  delivered_at      bigint,
  created_at        bigint NOT NULL,
  first_attempt     trunkline.attempt
) PARTITION BY RANGE (id);
-- No two indexes for lists begin with the same column: see page.ts.
CREATE INDEX deliveries_by_webhook ON trunkline.deliveries (webhook_id, id);
CREATE INDEX deliveries_by_kind ON trunkline.deliveries (status, generation, event_type, webhook_id, id);
CREATE TABLE trunkline.deliveries_default PARTITION OF trunkline.deliveries DEFAULT;
-- Retrying all failed deliveries of an endpoint walks along it.
CREATE INDEX deliveries_to_retry ON trunkline.deliveries (webhook_id, last_attempt_at, id)
  WHERE status IN ('failed', 'exhausted');

-- Attempts after the first one.
CREATE TABLE trunkline.attempts (
  delivery_id     uuid NOT NULL,
  number          integer NOT NULL,
  manual          boolean NOT NULL,
  url             text NOT NULL,
  response_status integer,
  response_body   text,
  duration_ms     bigint NOT NULL,
  error_code      text,
  at              bigint NOT NULL,
  PRIMARY KEY (delivery_id, number)
) PARTITION BY RANGE (delivery_id);
CREATE TABLE trunkline.attempts_default PARTITION OF trunkline.attempts DEFAULT;

-- Open deliveries. A claim does not write here: the row of the lane says what is claimed.
CREATE TABLE trunkline.open_deliveries (
  id                uuid PRIMARY KEY,
  workspace_id      uuid NOT NULL,
  webhook_id        uuid NOT NULL,
  event_id          uuid NOT NULL,
  event_type        text COLLATE "C" NOT NULL,
  event_occurred_at bigint NOT NULL,
  -- The generation of the lane that it is queued in. A delivery of a generation that was cancelled has failed.
  generation        integer NOT NULL,
  status            text COLLATE "C" NOT NULL,
  attempts          integer NOT NULL,
  max_attempts      integer NOT NULL,
  manual            boolean NOT NULL,
  next_retry_at     bigint,
  response_status   integer,
  error_code        text,
  last_attempt_at   bigint,
  created_at        bigint NOT NULL,
  first_attempt     trunkline.attempt,
  due_at            bigint NOT NULL,
  -- Claims in a row that ended without an outcome.
  lost_claims       integer NOT NULL
) WITH (${BUSY});
-- No two indexes begin with the same column: see page.ts.
CREATE INDEX open_deliveries_queue ON trunkline.open_deliveries (generation, webhook_id, due_at, id);
CREATE INDEX open_deliveries_by_kind ON trunkline.open_deliveries (status, generation, event_type, webhook_id, id);

CREATE TYPE trunkline.delivery_claim AS (
  delivery_id uuid,
  -- The generation of the delivery.
  generation  integer,
  token       bigint,
  expires_at  bigint,
  process     bigint
);
CREATE SEQUENCE trunkline.delivery_claim_tokens CACHE 100;

-- The endpoints to serve next: one small row per endpoint, which outlives its endpoint while deliveries of it are open.
-- Only the holder of a lane's lock changes what is claimed or queued in it. New deliveries are the exception: queueing one
-- appends to wake, and does not wait for a lock.
CREATE TABLE trunkline.lanes (
  endpoint_id           uuid PRIMARY KEY,
  workspace_id          uuid NOT NULL,
  -- The generation that claims take from.
  generation            integer NOT NULL,
  -- When a claim finds a delivery to take, or a claim that has expired; null while there is neither.
  wake_at               bigint,
  -- Whether the work of its workspace is postponed.
  is_paused             boolean NOT NULL DEFAULT false,
  -- Nothing is claimed before: the next start that the throttle allows, or the last start, so that other lanes get a turn.
  ready_from            bigint NOT NULL,
  -- When the attempts began that the throttle still counted at the last claim, oldest first.
  starts                bigint[] NOT NULL DEFAULT '{}',
  claims                trunkline.delivery_claim[] NOT NULL DEFAULT '{}',
  -- How many claims the latest one allowed.
  slots                 integer NOT NULL DEFAULT 1,
  -- The run of calls that retry all failed deliveries.
  retry_round_began_at  bigint,
  retry_round_called_at bigint,
  CONSTRAINT lanes_have_slots CHECK (cardinality(claims) <= slots)
) WITH (fillfactor = 50, ${BUSY});
CREATE INDEX lanes_to_wake ON trunkline.lanes (wake_at, endpoint_id) WHERE wake_at IS NOT NULL AND NOT is_paused;

-- Lanes in which something was queued that they do not know of yet.
CREATE TABLE trunkline.wake (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id uuid NOT NULL,
  -- When the first of it is due.
  due_at      bigint NOT NULL
) WITH (${BUSY});

-- The limits that the times of the lanes were computed with: one row, made by the first claim.
CREATE TABLE trunkline.claim_limits (
  id     boolean PRIMARY KEY DEFAULT true CHECK (id),
  limits text NOT NULL
);

-- Generations of lanes that were cancelled, and whose deliveries are not all written as ended yet.
CREATE TABLE trunkline.closings (
  endpoint_id uuid NOT NULL,
  generation  integer NOT NULL,
  reason      text NOT NULL,
  -- Whether there may be something to write; false while all that is left is claimed.
  to_sweep    boolean NOT NULL,
  PRIMARY KEY (endpoint_id, generation)
);
CREATE INDEX closings_to_sweep ON trunkline.closings (endpoint_id, generation) WHERE to_sweep;

-- Subscriptions: queues of events for handlers in process

CREATE TABLE trunkline.subscriptions (
  id                    uuid PRIMARY KEY,
  name                  text COLLATE "C" NOT NULL UNIQUE,
  event_types           text[] NOT NULL,
  created_at            bigint NOT NULL,
  -- The run of calls that retry all exhausted events.
  retry_round_began_at  bigint,
  retry_round_called_at bigint
);

-- Deleted subscriptions that may still have queued events, or get some from a transaction that began before the deletion.
CREATE TABLE trunkline.deleted_subscriptions (
  id         uuid PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);

CREATE SEQUENCE trunkline.event_claim_tokens CACHE 100;

CREATE TABLE trunkline.queued_events (
  event_id        uuid NOT NULL,
  subscription_id uuid NOT NULL,
  event_type      text COLLATE "C" NOT NULL,
  -- When it can be claimed or, if it is claimed, when its lease ends. Null once it is exhausted.
  due_at          bigint,
  attempts        integer NOT NULL,
  lost_claims     integer NOT NULL,
  -- The token of the latest claim; null if there was none.
  token           bigint,
  -- 0 if the process is not known.
  process         bigint NOT NULL DEFAULT 0,
  exhausted_at    bigint,
  PRIMARY KEY (event_id, subscription_id)
) WITH (${BUSY});
CREATE INDEX queued_events_due ON trunkline.queued_events (subscription_id, event_type, due_at, event_id)
  WHERE due_at IS NOT NULL;
-- Retrying the exhausted events of a subscription walks along it.
CREATE INDEX queued_events_exhausted ON trunkline.queued_events (subscription_id, exhausted_at, event_id)
  WHERE due_at IS NULL;
CREATE INDEX queued_events_claimed ON trunkline.queued_events (process) WHERE process <> 0;
`;
