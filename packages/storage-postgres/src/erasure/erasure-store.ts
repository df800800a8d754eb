import { contentIdOf, floorId } from '@trunkline/core/spi/storage';
import type {
  ErasureStore,
  Message,
  MessageDeletion,
  MessagesDeleted,
  StoredMessage,
  Walk,
  WalkPart,
} from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { deleteEvents } from './event-deletion.ts';
import { leaveHeld } from '../messages/held-messages.ts';
import { MESSAGE_COLUMNS, readMessage } from '../messages/message-row.ts';
import { settleWindows } from '../messages/search-filing.ts';
import { leaveQueues } from '../messages/queue.ts';
import { unschedule } from '../messages/scheduled-messages.ts';
import { entities, flag, id, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { contentUuid } from '../messages/upload-registry.ts';
import { NIL, uuidOf, uuidToFind } from '../rows/uuid.ts';

export function erasureStore(connected: Connected): ErasureStore {
  return {
    listMessages: async (workspaceId, { before, ...walk }) => {
      const after = walk.after === null ? NIL : uuidOf('msg', walk.after);
      const end = before === undefined ? AFTER_ALL : uuidOf('msg', floorId('msg', before));
      const rows = await connected().all(MESSAGES, uuidToFind('ten', workspaceId), after, end, walk.limit);
      const read = (row: Row): StoredMessage => ({
        message: readMessage(row),
        senderId: text(row, 'sender_id'),
      });
      return partOf(rows, walk, { read, idOf: ({ message }) => message.id });
    },
    deleteMessages: async (workspaceId, deletion) => {
      const workspace = uuidToFind('ten', workspaceId);
      const uuids = deletion.ids.flatMap((one) => uuidToFind('msg', one) ?? []);
      // Events go first, in their own transaction, because only messages without events are deleted.
      const events = await connected().transaction((transaction) =>
        deleteEventsOfMessages(transaction, { workspace, uuids, deletion }),
      );
      if (events === deletion.limit) return { messages: 0, events, more: true };
      const deleted = await connected().transaction((transaction) =>
        deleteMessages(transaction, { workspace, uuids, deletion }),
      );
      return { ...deleted, events };
    },
    listEvents: async (workspaceId, walk) => {
      const after = walk.after === null ? NIL : uuidOf('evt', walk.after);
      const rows = await connected().all(EVENTS, after, walk.limit);
      const part = partOf(rows, walk, { read: entities.event.read, idOf: (event) => event.id });
      return { ...part, rows: part.rows.filter((event) => event.workspaceId === workspaceId) };
    },
    deleteEvents: async (workspaceId, ids) => {
      const uuids = ids.flatMap((one) => uuidToFind('evt', one) ?? []);
      return connected().transaction((transaction) =>
        deleteEvents(transaction, uuidToFind('ten', workspaceId), uuids),
      );
    },
    listContacts: async (workspaceId, walk) => {
      const after = walk.after === null ? NIL : uuidOf('con', walk.after);
      const rows = await connected().all(CONTACTS, after, walk.limit);
      const read = (row: Row) => ({
        contact: entities.contact.read(row),
        isMerged: row['merged_into'] !== null,
      });
      const { rows: all, next } = partOf(rows, walk, { read, idOf: ({ contact }) => contact.id });
      const own = all.filter(({ contact, isMerged }) => !isMerged && contact.workspaceId === workspaceId);
      return { rows: own.map(({ contact }) => contact), next };
    },
    deleteContacts: async (workspaceId, { ids, unlessAfter }) =>
      connected().transaction(async ({ all }) => {
        const uuids = ids.flatMap((one) => uuidToFind('con', one) ?? []);
        // Waits for messages that are being stored for the contacts. The next statement then sees these messages.
        await all(LOCK_CONTACTS, uuids);
        const rows = await all(
          DELETE_CONTACTS,
          uuids,
          uuidToFind('ten', workspaceId),
          uuidOf('msg', unlessAfter),
        );
        return rows.map((row) => id(row, 'id', 'con'));
      }),
  };
}

const AFTER_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

// Walks messages_by_workspace.
const MESSAGES = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item
  WHERE item.workspace_id = $1 AND item.id > $2 AND item.id < $3
  ORDER BY item.workspace_id, item.id LIMIT $4`;

// EVENTS and CONTACTS walk primary keys, through the rows of all workspaces.
const EVENTS = 'SELECT * FROM trunkline.events WHERE id > $1 ORDER BY id LIMIT $2';
const CONTACTS = 'SELECT * FROM trunkline.contacts WHERE id > $1 ORDER BY id LIMIT $2';

function partOf<Value>(
  rows: readonly Row[],
  { limit }: Walk,
  { read, idOf }: { readonly read: (row: Row) => Value; readonly idOf: (value: Value) => string },
): WalkPart<Value> {
  const values = rows.map(read);
  const last = values.at(-1);
  return { rows: values, next: last !== undefined && rows.length === limit ? idOf(last) : null };
}

interface Deletion {
  readonly workspace: string | null;
  /** The uuids of messages. */
  readonly uuids: readonly string[];
  readonly deletion: MessageDeletion;
}

/** Deletes at most `limit` events of these messages. Returns how many were deleted. */
async function deleteEventsOfMessages(
  transaction: Transaction,
  { workspace, uuids, deletion: { unfinished, limit } }: Deletion,
): Promise<number> {
  const rows = await transaction.all(EVENTS_OF, uuids, workspace, limit, unfinished === 'deleted');
  return deleteEvents(
    transaction,
    workspace,
    rows.map((row) => String(row['id'])),
  );
}

/** Whether no send, action or download of a message is pending. */
const IS_DONE = `(
    item.status <> 'queued' AND NOT EXISTS (
      SELECT 1 FROM trunkline.message_actions AS action
      WHERE action.message_id = item.id AND action.workspace_id = item.workspace_id AND action.status = 'queued'
    ) AND NOT EXISTS (
      SELECT 1 FROM trunkline.pending_downloads AS pending
      WHERE pending.instance_id = item.instance_id AND pending.message_id = item.id
    )
  )`;

// Relies on event_log_by_message.
const EVENTS_OF = `
  SELECT event_log.id
  FROM trunkline.messages AS item JOIN trunkline.event_log ON event_log.message_id = item.id
  WHERE item.id = ANY ($1::uuid[]) AND item.workspace_id = $2 AND event_log.workspace_id = $2
    AND ($4::boolean OR ${IS_DONE})
  LIMIT $3`;

/** Deletes only messages without events, because another event may have come since their events were deleted. */
async function deleteMessages(
  transaction: Transaction,
  { workspace, uuids, deletion: { unfinished } }: Deletion,
): Promise<Pick<MessagesDeleted, 'messages' | 'more'>> {
  await transaction.run(LOCK, uuids, workspace);
  const rows = await transaction.all(TO_DELETE, uuids, workspace, unfinished === 'deleted');
  const free = rows.filter((row) => !flag(row, 'has_events'));
  const messages = free.map(readMessage);
  if (messages.length > 0) await remove(transaction, messages);
  return { messages: messages.length, more: free.length < rows.length };
}

async function remove(transaction: Transaction, messages: readonly Message[]): Promise<void> {
  const { run } = transaction;
  const uuids = messages.map((message) => uuidOf('msg', message.id));
  await unschedule(transaction, messages);
  const actions = (await transaction.all(QUEUED_ACTIONS, uuids)).map((row) => String(row['id']));
  await leaveQueues(transaction, [...uuids, ...actions]);
  await leaveHeld(transaction, [...uuids, ...actions]);
  await run('DELETE FROM trunkline.message_actions WHERE message_id = ANY ($1::uuid[])', uuids);
  await run('DELETE FROM trunkline.poll_votes WHERE message_id = ANY ($1::uuid[])', uuids);
  await run('DELETE FROM trunkline.pending_downloads WHERE message_id = ANY ($1::uuid[])', uuids);
  const contents = messages.flatMap((message) => contentUuid(contentIdOf(message)) ?? []);
  await run(ABANDON, contents, uuids);
  const createdAt = [...new Set(messages.map((message) => message.createdAt))];
  await run(FORGET_KEYS, createdAt, uuids);
  await run('DELETE FROM trunkline.messages WHERE id = ANY ($1::uuid[])', uuids);
  // The deletion keeps others from filing until the transaction ends.
  await settleWindows(transaction, Infinity);
}

// Relies on message_actions_by_message, as does their deletion.
const QUEUED_ACTIONS = `
  SELECT id FROM trunkline.message_actions WHERE message_id = ANY ($1::uuid[]) AND status = 'queued'`;

// Every change of a message locks the message, so statements after this lock see all earlier changes.
const LOCK = `
  SELECT 1 FROM trunkline.messages WHERE id = ANY ($1::uuid[]) AND workspace_id = $2 ORDER BY id FOR UPDATE`;

const TO_DELETE = `
  SELECT ${MESSAGE_COLUMNS}, EXISTS (
    SELECT 1 FROM trunkline.event_log WHERE event_log.message_id = item.id AND event_log.workspace_id = $2
  ) AS has_events
  FROM trunkline.messages AS item
  WHERE item.id = ANY ($1::uuid[]) AND item.workspace_id = $2 AND ($3::boolean OR ${IS_DONE})`;

/** Content without an owner is swept before all other content. */
const ABANDON = `
  UPDATE trunkline.contents SET instance_id = NULL, owner_id = NULL, begun_at = 0
  WHERE message_id = ANY ($1::uuid[]) AND instance_id IS NOT NULL
    AND coalesce(owner_id, message_id) = ANY ($2::uuid[])`;

/**
 * Deletes the records of these messages. A record has the creation time of its message, so the index
 * idempotency_records_by_age finds it.
 */
const FORGET_KEYS = `
  DELETE FROM trunkline.idempotency_records
  WHERE created_at = ANY ($1::bigint[]) AND message_id = ANY ($2::uuid[])`;

const LOCK_CONTACTS = 'SELECT id FROM trunkline.contacts WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE';

const DELETE_CONTACTS = `
  WITH gone AS MATERIALIZED (
    SELECT id, instance_id, ARRAY(
      SELECT merged.id FROM trunkline.contacts AS merged WHERE merged.merged_into = contact.id
    ) || contact.id AS ids
    FROM trunkline.contacts AS contact
    WHERE contact.id = ANY ($1::uuid[]) AND contact.workspace_id = $2 AND contact.merged_into IS NULL
  ), left_alone AS MATERIALIZED (
    SELECT contact_id FROM trunkline.messages WHERE id > $3 AND contact_id IS NOT NULL
  ), deleted AS MATERIALIZED (
    SELECT * FROM gone WHERE NOT ids && ARRAY(SELECT contact_id FROM left_alone)
  ), named AS (
    DELETE FROM trunkline.contact_network_ids USING deleted
    WHERE contact_network_ids.instance_id = deleted.instance_id
      AND contact_network_ids.contact_id = ANY (deleted.ids)
  ), dialled AS (
    DELETE FROM trunkline.contact_numbers USING deleted
    WHERE contact_numbers.workspace_id = $2 AND contact_numbers.contact_id = ANY (deleted.ids)
  ), voted AS (
    DELETE FROM trunkline.poll_votes USING deleted WHERE poll_votes.contact_id = ANY (deleted.ids)
  ), known AS (
    DELETE FROM trunkline.contacts USING deleted WHERE contacts.id = ANY (deleted.ids)
  )
  SELECT id FROM deleted`;
