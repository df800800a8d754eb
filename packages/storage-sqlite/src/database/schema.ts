/**
 * The tables of a new database. Ids are text that sorts by time. Times are epoch milliseconds, except `occurred_at` of
 * events, in epoch microseconds. Flags are 0 or 1. Statements look inside the JSON of `media` and `event_types` only.
 */
export const SCHEMA = `
-- Settings and processes

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The processes that have the database open. Whatever one holds is released as soon as it has provably ended.
CREATE TABLE processes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The number of the lock file that it holds until it ends.
  slot       INTEGER NOT NULL,
  machine    TEXT NOT NULL,
  namespace  TEXT NOT NULL,
  pid        INTEGER NOT NULL,
  started_at TEXT NOT NULL
) STRICT;

-- The last report of each process, for the operator.
CREATE TABLE process_reports (
  name        TEXT NOT NULL PRIMARY KEY,
  roles       TEXT NOT NULL,
  started_at  INTEGER NOT NULL,
  reported_at INTEGER NOT NULL,
  vitals      TEXT
) STRICT, WITHOUT ROWID;

-- Calls of instances on their way to the processes that hold the connections: request and response are JSON. Each is
-- deleted with its response.
CREATE TABLE calls (
  id          TEXT NOT NULL PRIMARY KEY,
  instance_id TEXT NOT NULL,
  request     TEXT NOT NULL,
  response    TEXT,
  is_taken    INTEGER NOT NULL DEFAULT 0,
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_instance ON calls (instance_id, expires_at);
CREATE INDEX calls_by_end ON calls (expires_at);

-- Workspaces

CREATE TABLE workspaces (
  id                  TEXT PRIMARY KEY,
  name                TEXT NOT NULL,
  plan                TEXT NOT NULL,
  trial_messages_used INTEGER NOT NULL,
  suspended_at        INTEGER,
  -- Whether its work waits, since it is suspended or its subscription has ended.
  is_postponed        INTEGER NOT NULL DEFAULT 0,
  -- How long it keeps its messages: JSON.
  retention           TEXT,
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
  prefix       TEXT,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id);

-- The links and cookies of the dashboard that ended before their time.
CREATE TABLE spent_tokens (
  id         TEXT NOT NULL PRIMARY KEY,
  kept_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_tokens_by_end ON spent_tokens (kept_until);

-- Counts over time

-- The counts of each quarter of an hour, which begins at the time in quarter: JSON, by name.
CREATE TABLE instance_traffic (
  instance_id TEXT NOT NULL,
  quarter     INTEGER NOT NULL,
  counts      TEXT NOT NULL,
  PRIMARY KEY (instance_id, quarter)
) STRICT, WITHOUT ROWID;
CREATE INDEX instance_traffic_by_quarter ON instance_traffic (quarter);
CREATE TABLE webhook_traffic (
  webhook_id TEXT NOT NULL,
  quarter    INTEGER NOT NULL,
  counts     TEXT NOT NULL,
  PRIMARY KEY (webhook_id, quarter)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_traffic_by_quarter ON webhook_traffic (quarter);
CREATE TABLE workspace_traffic (
  workspace_id TEXT NOT NULL,
  quarter      INTEGER NOT NULL,
  counts       TEXT NOT NULL,
  PRIMARY KEY (workspace_id, quarter)
) STRICT, WITHOUT ROWID;
CREATE INDEX workspace_traffic_by_quarter ON workspace_traffic (quarter);

-- Instances

CREATE TABLE instances (
  id                  TEXT PRIMARY KEY,
  workspace_id        TEXT NOT NULL,
  name                TEXT NOT NULL,
  -- The messaging network that the instance is on, by the name of its gateway.
  network             TEXT NOT NULL,
  status              TEXT NOT NULL,
  desired             TEXT NOT NULL,
  phone_number        TEXT,
  profile_name        TEXT,
  profile_picture_url TEXT,
  -- The gateway's capabilities that the linked number has: JSON.
  capabilities        TEXT,
  sealed_proxy_url    TEXT,
  sealed_credentials  TEXT,
  pace                TEXT,
  last_error          TEXT,
  -- What the network forbids the number for now: JSON.
  restriction         TEXT,
  qr                  TEXT,
  -- The passkey step that the network waits for while it links the number: JSON.
  passkey             TEXT,
  -- The phone that is to type a code to pair the instance: digits.
  pairing_number      TEXT,
  operation           TEXT,
  operation_outcome   TEXT,
  -- Whether the network did not carry out the last logout: the next one discards the session.
  logout_refused      INTEGER NOT NULL DEFAULT 0,
  status_changed_at   INTEGER,
  linked_at           INTEGER,
  connected_at        INTEGER,
  disconnected_at     INTEGER,
  dropped_at          INTEGER,
  down_since          INTEGER,
  down_notified_at    INTEGER,
  last_seen_at        INTEGER,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  version             INTEGER NOT NULL,
  -- How many people the number has written to for the first time since the beginning of the day that was counted last.
  new_people_from     INTEGER NOT NULL DEFAULT 0,
  new_people          INTEGER NOT NULL DEFAULT 0,
  -- The lease. If the owner is empty, nobody holds it. The epoch outlives the lease, so that it never repeats.
  lease_owner         TEXT NOT NULL DEFAULT '',
  lease_epoch         INTEGER NOT NULL DEFAULT 0,
  lease_expires_at    INTEGER NOT NULL DEFAULT 0,
  -- 0 if the process is not known.
  lease_process       INTEGER NOT NULL DEFAULT 0,
  -- The process that asked for the instance, and is the only one that gets it next.
  lease_reserved_for  TEXT NOT NULL DEFAULT '',
  -- The last holder, if its process was found to have ended; empty once somebody has taken the lease.
  lease_lost_by       TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX instances_by_workspace ON instances (workspace_id, id);
-- Counts the instances of each status without reading them.
CREATE INDEX instances_by_status ON instances (network, status);
-- Instances that need a gateway, by network, because not every process has every gateway. The ones that have been
-- without one the longest come first.
CREATE INDEX instances_to_hold ON instances (network, lease_expires_at, id) WHERE desired = 'running' OR operation IS NOT NULL;
CREATE INDEX instances_by_owner ON instances (lease_owner, id) WHERE lease_owner <> '';
CREATE INDEX instances_reserved ON instances (lease_reserved_for, lease_expires_at, id)
  WHERE lease_reserved_for <> '';
CREATE INDEX instances_down ON instances (id, down_since)
  WHERE down_since IS NOT NULL AND down_notified_at IS NULL AND status <> 'connected';

-- The processes that share the instances of a network among themselves.
CREATE TABLE lease_owners (
  owner         TEXT NOT NULL,
  network       TEXT NOT NULL,
  checked_in_at INTEGER NOT NULL,
  asks_until    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (network, owner)
) STRICT, WITHOUT ROWID;

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
  -- A group that the number has left keeps its id, by which messages name it.
  is_member          INTEGER NOT NULL DEFAULT 1,
  synced_at          INTEGER NOT NULL,
  PRIMARY KEY (instance_id, network_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_by_name ON instance_groups (instance_id, name, id);

-- The numbers that instances have looked up on their networks in the last day, with what the network said: null if it
-- has not said anything yet.
CREATE TABLE number_lookups (
  workspace_id      TEXT NOT NULL,
  instance_id       TEXT NOT NULL,
  number            TEXT NOT NULL,
  asked_at          INTEGER NOT NULL,
  -- How often the network was asked.
  times             INTEGER NOT NULL,
  is_on_network     INTEGER,
  registered_number TEXT,
  PRIMARY KEY (instance_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX number_lookups_by_workspace ON number_lookups (workspace_id);
CREATE INDEX number_lookups_by_time ON number_lookups (asked_at);

-- The changes of groups that instances have begun in the last day, which limit the next ones.
CREATE TABLE group_changes (
  id              TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  instance_id     TEXT NOT NULL,
  begun_at        INTEGER NOT NULL,
  -- How many people the change lets into a group.
  new_people      INTEGER NOT NULL,
  idempotency_key TEXT,
  fingerprint     TEXT,
  -- JSON; null if it is not known, or not yet.
  outcome         TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX group_changes_by_instance ON group_changes (instance_id, begun_at);
CREATE UNIQUE INDEX group_changes_by_key ON group_changes (idempotency_key, workspace_id)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX group_changes_by_time ON group_changes (begun_at);

-- The history of each instance. It outlives its instance.
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

-- Notifications about instances that are still to be sent.
CREATE TABLE instance_notifications (
  id           TEXT PRIMARY KEY,
  notification TEXT NOT NULL,
  owed_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deleted instances that still have files in the media store.
CREATE TABLE instances_with_leftovers (
  instance_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Contacts

CREATE TABLE contacts (
  id              TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  instance_id     TEXT NOT NULL,
  network_id      TEXT NOT NULL,
  aliases         TEXT NOT NULL,
  former_ids      TEXT NOT NULL,
  phone_number    TEXT,
  -- Numbers that lead to the contact when they are dialled, besides the one that the network registers: JSON.
  dialled_numbers TEXT NOT NULL DEFAULT '[]',
  name            TEXT,
  username        TEXT,
  created_at      INTEGER NOT NULL,
  -- The contact that this one turned out to be.
  merged_into     TEXT
) STRICT, WITHOUT ROWID;
-- Finds the person who has a number.
CREATE INDEX contacts_by_number ON contacts (workspace_id, phone_number)
  WHERE phone_number IS NOT NULL AND merged_into IS NULL;

CREATE TABLE contact_network_ids (
  instance_id TEXT NOT NULL,
  network_id  TEXT NOT NULL,
  contact_id  TEXT NOT NULL,
  PRIMARY KEY (instance_id, network_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE contact_numbers (
  workspace_id TEXT NOT NULL,
  number       TEXT NOT NULL,
  instance_id  TEXT NOT NULL,
  contact_id   TEXT NOT NULL,
  PRIMARY KEY (workspace_id, number, instance_id)
) STRICT, WITHOUT ROWID;

-- Messages

CREATE TABLE messages (
  id                      TEXT PRIMARY KEY,
  workspace_id            TEXT NOT NULL,
  instance_id             TEXT NOT NULL,
  network_id              TEXT NOT NULL,
  -- Whether the network id leads to the id of the message; else it is in network_ids.
  has_readable_network_id INTEGER NOT NULL DEFAULT 0,
  -- Distinguishes repeats of inbound messages; empty for outbound ones.
  sender_id               TEXT NOT NULL,
  direction               TEXT NOT NULL,
  type                    TEXT NOT NULL,
  status                  TEXT NOT NULL,
  recipient               TEXT,
  sender                  TEXT,
  group_id                TEXT,
  text                    TEXT,
  caption                 TEXT,
  media                   TEXT,
  error                   TEXT,
  created_at              INTEGER NOT NULL,
  queued_at               INTEGER,
  sent_at                 INTEGER,
  delivered_at            INTEGER,
  read_at                 INTEGER,
  failed_at               INTEGER,
  received_at             INTEGER
) STRICT, WITHOUT ROWID;
-- These are for lists; message-list.ts says which index serves which filter.
CREATE INDEX messages_by_workspace ON messages (workspace_id, id);
CREATE INDEX messages_by_workspace_and_kind ON messages (workspace_id, status, type, id);
CREATE INDEX messages_by_instance_and_kind ON messages (instance_id, status, type, id);

-- Fields that few messages have: a message without them costs no row.
CREATE TABLE message_details (
  message_id TEXT PRIMARY KEY,
  contact_id TEXT,
  details    TEXT
) STRICT, WITHOUT ROWID;

-- Finds messages by the network's id, and guards against storing an inbound message twice.
CREATE TABLE network_ids (
  instance_id TEXT NOT NULL,
  network_id  TEXT NOT NULL,
  direction   TEXT NOT NULL,
  sender_id   TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  PRIMARY KEY (instance_id, network_id, direction, sender_id)
) STRICT, WITHOUT ROWID;

-- Actions of instances on messages, such as reactions. Each is deleted with its message.
CREATE TABLE message_actions (
  id              TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  instance_id     TEXT NOT NULL,
  message_id      TEXT NOT NULL,
  network_id      TEXT NOT NULL,
  recipient       TEXT NOT NULL,
  kind            TEXT NOT NULL,
  emoji           TEXT,
  text            TEXT,
  status          TEXT NOT NULL,
  error           TEXT,
  created_at      INTEGER NOT NULL,
  sent_at         INTEGER,
  failed_at       INTEGER,
  idempotency_key TEXT,
  fingerprint     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX message_actions_by_message ON message_actions (message_id, workspace_id, id);
CREATE UNIQUE INDEX message_actions_by_key ON message_actions (idempotency_key, workspace_id)
  WHERE idempotency_key IS NOT NULL;

-- The newest vote of each person in a poll. Each is deleted with its message and with its contact.
CREATE TABLE poll_votes (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  message_id   TEXT NOT NULL,
  -- Null if the instance voted.
  contact_id   TEXT,
  options      TEXT NOT NULL,
  voted_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX poll_votes_by_message ON poll_votes (message_id, workspace_id, id);
CREATE INDEX poll_votes_by_contact ON poll_votes (contact_id) WHERE contact_id IS NOT NULL;

-- Messages that are to be sent, and queued actions, whose ids have the prefix of messages here. A message is found in the queue of its instance, usually near its head, so that an index
-- by message would cost more than it saves.
CREATE TABLE queue (
  instance_id TEXT NOT NULL,
  -- The order of acceptance, which the order of the ids may differ from.
  position    INTEGER NOT NULL,
  message_id  TEXT NOT NULL,
  -- The key of the recipient: messages with the same one are sent in their order, one after another.
  recipient   TEXT NOT NULL,
  tries       INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  PRIMARY KEY (instance_id, position)
) STRICT, WITHOUT ROWID;

-- Queued messages that the network does not accept for now, and those to the same recipients that wait for them: kept out
-- of the way of the others. Usually empty.
CREATE TABLE held_messages (
  message_id  TEXT PRIMARY KEY,
  instance_id TEXT NOT NULL,
  -- The position in the queue, to which a message that only waits returns.
  position    INTEGER NOT NULL,
  recipient   TEXT NOT NULL,
  tries       INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  -- Null for those that only wait. The same as due_at for those that the pace of the instance holds.
  held_since  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX held_messages_by_position ON held_messages (instance_id, position);
CREATE INDEX held_messages_by_recipient ON held_messages (instance_id, recipient, held_since);
CREATE INDEX held_messages_due ON held_messages (instance_id, due_at, position) WHERE held_since IS NOT NULL;
CREATE INDEX held_messages_paced ON held_messages (instance_id, recipient) WHERE held_since = due_at;

-- Queued messages that wait for their time, outside of the queues. The id is the place of the message: its time, then
-- its id.
CREATE TABLE scheduled_messages (
  id           TEXT PRIMARY KEY,
  message_id   TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  instance_id  TEXT NOT NULL,
  recipient    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX scheduled_messages_by_workspace ON scheduled_messages (workspace_id, id);
CREATE INDEX scheduled_messages_by_instance ON scheduled_messages (workspace_id, instance_id, id);

-- Idempotency records, appended in the transaction of their message; idempotency-log.ts says why.
CREATE TABLE idempotency_log (
  -- Never given twice: a reader knows by it how far it has read.
  position     INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL,
  key          TEXT NOT NULL,
  fingerprint  TEXT NOT NULL,
  message_id   TEXT NOT NULL,
  created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_log_by_age ON idempotency_log (created_at);

-- Written later, thousands of records together. An entry may outlive its record.
CREATE TABLE idempotency_index (
  hash     INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (hash, position)
) STRICT, WITHOUT ROWID;

-- One row: the index has every record up to this position.
CREATE TABLE idempotency_indexed (
  up_to INTEGER NOT NULL
) STRICT;
INSERT INTO idempotency_indexed (up_to) VALUES (0);

-- Keys of activities, by which their repeats are recognised.
CREATE TABLE activity_keys (
  instance_id TEXT NOT NULL,
  key         TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_keys_by_age ON activity_keys (recorded_at);

-- Files in the media store. A file that was uploaded before its message was accepted has an id of its own in message_id,
-- and its message in owner_id.
CREATE TABLE contents (
  message_id  TEXT PRIMARY KEY,
  owner_id    TEXT,
  begun_at    INTEGER NOT NULL,
  -- Null until it belongs to a message.
  instance_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX contents_begun ON contents (begun_at, message_id) WHERE instance_id IS NULL;
CREATE INDEX contents_by_instance ON contents (instance_id, message_id) WHERE instance_id IS NOT NULL;

-- Files of inbound messages that the network has not delivered yet.
CREATE TABLE pending_downloads (
  instance_id      TEXT NOT NULL,
  message_id       TEXT NOT NULL,
  workspace_id     TEXT NOT NULL,
  sealed_reference BLOB NOT NULL,
  tries            INTEGER NOT NULL,
  due_at           INTEGER NOT NULL,
  expires_at       INTEGER NOT NULL,
  PRIMARY KEY (instance_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_downloads_due ON pending_downloads (instance_id, due_at, message_id);
CREATE INDEX pending_downloads_expiring ON pending_downloads (expires_at, message_id);

-- Chats

CREATE TABLE chats (
  id              INTEGER PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  instance_id     TEXT NOT NULL,
  -- What its messages are filed under: the id of a group or of a contact, or the digits of a number.
  key             TEXT NOT NULL,
  last_message_id TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX chats_by_key ON chats (workspace_id, key, instance_id);
CREATE INDEX chats_by_last_message ON chats (instance_id, last_message_id);

CREATE TABLE chat_messages (
  chat_id INTEGER NOT NULL,
  -- The id of the message.
  id      TEXT NOT NULL,
  PRIMARY KEY (chat_id, id)
) STRICT, WITHOUT ROWID;

-- Messages that are to be filed: the transaction that stores a message only notes it here (chat-filing.ts).
CREATE TABLE unfiled_messages (
  message_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Expects the details of the message to be deleted after it.
CREATE TRIGGER messages_leave_chat BEFORE DELETE ON messages
BEGIN
  DELETE FROM unfiled_messages WHERE message_id = OLD.id;
  DELETE FROM chat_messages
  WHERE id = OLD.id AND chat_id IN (
    SELECT chats.id FROM chats
    WHERE workspace_id = OLD.workspace_id AND instance_id = OLD.instance_id AND key = coalesce(
      OLD.group_id,
      (SELECT contact_id FROM message_details WHERE message_id = OLD.id),
      CASE OLD.direction WHEN 'inbound' THEN OLD.sender ELSE OLD.recipient END
    )
  );
  UPDATE chats
  SET last_message_id = coalesce((SELECT max(id) FROM chat_messages WHERE chat_id = chats.id), '')
  WHERE instance_id = OLD.instance_id AND last_message_id = OLD.id;
  DELETE FROM chats WHERE instance_id = OLD.instance_id AND last_message_id = '';
END;

-- Search: search-index.ts of storage-kit says how it works

-- The workspaces that have entries, under short numbers.
CREATE TABLE search_workspaces (
  number       INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL UNIQUE,
  -- At least how many entries are in no window.
  added        INTEGER NOT NULL
) STRICT;

CREATE TABLE search_entries (
  workspace INTEGER NOT NULL,
  -- The id of the message.
  id        TEXT NOT NULL,
  words     TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_windows (
  number    INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  -- Null for the first window of a workspace.
  after_id  TEXT,
  last_id   TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX search_windows_by_id ON search_windows (workspace, last_id);

CREATE TABLE search_tokens (
  workspace     INTEGER NOT NULL,
  token         TEXT NOT NULL,
  window_number INTEGER NOT NULL,
  PRIMARY KEY (workspace, token, window_number)
) STRICT, WITHOUT ROWID;

-- The words of entries that were added to a window after it was made, or deleted from it, until its tokens are changed.
CREATE TABLE search_changes (
  id            INTEGER PRIMARY KEY,
  window_number INTEGER NOT NULL,
  words         TEXT NOT NULL
) STRICT;
CREATE INDEX search_changes_by_window ON search_changes (window_number);

CREATE TRIGGER search_entries_deleted AFTER DELETE ON search_entries
BEGIN
  INSERT INTO search_changes (window_number, words)
  SELECT number, OLD.words FROM (
    SELECT number FROM search_windows
    WHERE workspace = OLD.workspace AND last_id >= OLD.id ORDER BY last_id LIMIT 1
  );
END;
CREATE TRIGGER messages_leave_search AFTER DELETE ON messages
BEGIN
  DELETE FROM search_entries
  WHERE workspace = (SELECT number FROM search_workspaces WHERE workspace_id = OLD.workspace_id) AND id = OLD.id;
END;
-- A message whose words change is filed again.
CREATE TRIGGER messages_change_words AFTER UPDATE OF text, caption, media ON messages
WHEN (OLD.text, OLD.caption, OLD.media) IS NOT (NEW.text, NEW.caption, NEW.media)
BEGIN
  DELETE FROM search_entries
  WHERE workspace = (SELECT number FROM search_workspaces WHERE workspace_id = OLD.workspace_id) AND id = OLD.id;
  INSERT OR IGNORE INTO unfiled_messages (message_id) VALUES (OLD.id);
END;

-- Endpoints

CREATE TABLE endpoints (
  id              TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  url             TEXT NOT NULL,
  description     TEXT,
  events          TEXT NOT NULL,
  -- The instances whose events it gets; null for all.
  instances       TEXT,
  status          TEXT NOT NULL,
  sealed_secret   TEXT NOT NULL,
  secret_hint     TEXT NOT NULL,
  -- The secret that signs until sealed_secret does, and the time from which that does.
  sealed_previous_secret TEXT,
  secret_begins_at INTEGER,
  -- Whether its requests have the trace context of their event.
  trace_context   INTEGER NOT NULL DEFAULT 0,
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

-- The URLs of deleted endpoints, which their deliveries still show.
CREATE TABLE deleted_endpoints (
  id         TEXT PRIMARY KEY,
  url        TEXT NOT NULL,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_endpoints_by_age ON deleted_endpoints (deleted_at);

-- Notifications about endpoints that are still to be sent.
CREATE TABLE notices (
  id      TEXT PRIMARY KEY,
  notice  TEXT NOT NULL,
  owed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Events

CREATE TABLE events (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  type         TEXT NOT NULL,
  occurred_at  INTEGER NOT NULL,
  payload      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The span that caused an event; few events have one.
CREATE TABLE event_traces (
  event_id    TEXT PRIMARY KEY,
  traceparent TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Finds the events of a workspace, an instance or a message.
CREATE TABLE event_log (
  workspace_id TEXT NOT NULL,
  id           TEXT NOT NULL,
  type         TEXT NOT NULL,
  instance_id  TEXT,
  message_id   TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_log_by_instance ON event_log (instance_id, type, workspace_id, id) WHERE instance_id IS NOT NULL;
CREATE INDEX event_log_by_message ON event_log (message_id, workspace_id, id) WHERE message_id IS NOT NULL;

-- Deliveries

CREATE TABLE deliveries (
  id                TEXT PRIMARY KEY,
  workspace_id      TEXT NOT NULL,
  webhook_id        TEXT NOT NULL,
  event_id          TEXT NOT NULL,
  event_type        TEXT NOT NULL,
  event_occurred_at INTEGER NOT NULL,
  -- The generation of its lane, with which a cancellation ends it; 0 once it has ended.
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
-- Retrying all failed deliveries of an endpoint walks along it.
CREATE INDEX deliveries_to_retry ON deliveries (webhook_id, last_attempt_at, id) WHERE status IN ('failed', 'exhausted');

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

-- The endpoints to serve next: one small row per endpoint, which outlives its endpoint while deliveries of it are open.
CREATE TABLE lanes (
  endpoint_id           TEXT PRIMARY KEY,
  generation            INTEGER NOT NULL,
  -- When a claim finds something; null while nothing is queued or all slots are held.
  wake_at               INTEGER,
  -- Whether all slots are held.
  is_full               INTEGER NOT NULL,
  -- Whether the work of its workspace is postponed.
  is_paused             INTEGER NOT NULL DEFAULT 0,
  -- Nothing is claimed before: the next start that the throttle allows, or the last start, so that other lanes get a turn.
  ready_from            INTEGER NOT NULL,
  -- When the attempts began that the throttle still counted at the last claim, oldest first: 8 bytes each.
  starts                BLOB NOT NULL DEFAULT x'',
  -- The run of calls that retry all failed deliveries.
  retry_round_began_at  INTEGER,
  retry_round_called_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_to_wake ON lanes (wake_at, endpoint_id) WHERE wake_at IS NOT NULL AND is_paused = 0;

-- One row: the limits that the times of the lanes were computed with.
CREATE TABLE lane_limits (
  limits TEXT NOT NULL
) STRICT;
INSERT INTO lane_limits (limits) VALUES ('');

-- Open deliveries that are not claimed. A claim reads the current generation of the lane, and none that was cancelled.
CREATE TABLE due (
  endpoint_id TEXT NOT NULL,
  generation  INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  delivery_id TEXT NOT NULL UNIQUE,
  -- Claims in a row that ended without an outcome.
  lost_claims INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, generation, due_at, delivery_id)
) STRICT, WITHOUT ROWID;

-- Open deliveries that are claimed. The slot is part of the key, so that no endpoint ever has more claims than slots.
CREATE TABLE claims (
  endpoint_id TEXT NOT NULL,
  slot        INTEGER NOT NULL,
  delivery_id TEXT NOT NULL,
  token       INTEGER NOT NULL,
  generation  INTEGER NOT NULL,
  lost_claims INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  -- 0 if the process is not known.
  process     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (endpoint_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_end ON claims (expires_at);

-- One row: the latest token of a claim.
CREATE TABLE claim_tokens (
  latest INTEGER NOT NULL
) STRICT;
INSERT INTO claim_tokens (latest) VALUES (0);

-- Generations of lanes that were cancelled, and whose deliveries are not all written as ended yet.
CREATE TABLE closings (
  endpoint_id TEXT NOT NULL,
  generation  INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  -- Whether there may be something to write; 0 while all that is left is claimed.
  to_sweep    INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, generation)
) STRICT, WITHOUT ROWID;
CREATE INDEX closings_to_sweep ON closings (endpoint_id, generation) WHERE to_sweep = 1;

-- Subscriptions: queues of events for handlers in process

CREATE TABLE subscriptions (
  id                    TEXT PRIMARY KEY,
  name                  TEXT NOT NULL UNIQUE,
  event_types           TEXT NOT NULL,
  created_at            INTEGER NOT NULL,
  -- The run of calls that retry all exhausted events.
  retry_round_began_at  INTEGER,
  retry_round_called_at INTEGER
) STRICT, WITHOUT ROWID;

-- Deleted subscriptions that may still have queued events.
CREATE TABLE deleted_subscriptions (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE queued_events (
  event_id        TEXT NOT NULL,
  subscription_id TEXT NOT NULL,
  event_type      TEXT NOT NULL,
  -- When it can be claimed or, if it is claimed, when its lease ends. Null once it is exhausted.
  due_at          INTEGER,
  attempts        INTEGER NOT NULL,
  lost_claims     INTEGER NOT NULL,
  -- The token of the latest claim; null if there was none.
  token           INTEGER,
  -- 0 if the process is not known.
  process         INTEGER NOT NULL DEFAULT 0,
  exhausted_at    INTEGER,
  PRIMARY KEY (event_id, subscription_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX queued_events_due ON queued_events (subscription_id, event_type, due_at, event_id)
  WHERE due_at IS NOT NULL;
-- Retrying the exhausted events of a subscription walks along it.
CREATE INDEX queued_events_exhausted ON queued_events (subscription_id, exhausted_at, event_id) WHERE due_at IS NULL;
CREATE INDEX queued_events_claimed ON queued_events (process) WHERE process <> 0;
`;
