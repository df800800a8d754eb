import { floorId } from '@trunkline/core/spi/storage';
import type {
  ErasureStore,
  Message,
  MessageDeletion,
  MessagesDeleted,
  StoredMessage,
  Walk,
  WalkPart,
} from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { SLICE } from '../database/slices.ts';
import { removeDownload } from '../messages/download-store.ts';
import { deleteEvent } from './event-deletion.ts';
import { deleteRecordOf } from '../messages/idempotency-log.ts';
import { deleteActionsOn, hasQueuedAction } from '../messages/message-actions.ts';
import { leaveQueue } from '../messages/message-queue.ts';
import { readMessage } from '../messages/message-row.ts';
import { stopWaiting } from '../messages/scheduled-messages.ts';
import { entities, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { abandonDeletedContent } from '../messages/upload-registry.ts';
import { deleteVotesOf, deleteVotesOn } from '../messages/vote-store.ts';

export function erasureStore(connected: Connected): ErasureStore {
  return {
    listMessages: async (workspaceId, { before, ...walk }) => {
      await turnOfOthers();
      const { database } = connected();
      return database.snapshot(() => {
        const end = before === undefined ? AFTER_ALL : floorId('msg', before);
        const rows = database.all(MESSAGES, workspaceId, walk.after ?? '', end, walk.limit);
        return partOf(rows, walk, (row): StoredMessage => ({
          message: readMessage(database, row),
          senderId: text(row, 'sender_id'),
        }));
      });
    },
    deleteMessages: async (workspaceId, deletion) => {
      const { ids, limit } = deletion;
      let [messages, events, seen] = [0, 0, 0];
      while (seen < ids.length) {
        const { database, write } = connected();
        const step = { ...deletion, ids: ids.slice(seen), limit: limit - events };
        const deleted = await write(() => deleteMessages(database, workspaceId, step));
        messages += deleted.messages;
        events += deleted.events;
        seen += deleted.seen;
        if (events === limit) return { messages, events, more: true };
      }
      return { messages, events, more: false };
    },
    listEvents: async (workspaceId, walk) => {
      await turnOfOthers();
      const rows = connected().database.all(EVENTS, walk.after ?? '', walk.limit);
      const { rows: all, next } = partOf(rows, walk, entities.event.read);
      return { rows: all.filter((event) => event.workspaceId === workspaceId), next };
    },
    deleteEvents: async (workspaceId, ids) => {
      const { database, write } = connected();
      return write(() => ids.filter((id) => deleteEvent(database, workspaceId, id)).length);
    },
    listContacts: async (workspaceId, walk) => {
      await turnOfOthers();
      const rows = connected().database.all(CONTACTS, walk.after ?? '', walk.limit);
      const { rows: all, next } = partOf(
        rows,
        walk,
        (row) => [row['merged_into'], entities.contact.read(row)] as const,
      );
      const current = all.flatMap(([mergedInto, contact]) => (mergedInto === null ? [contact] : []));
      return { rows: current.filter((contact) => contact.workspaceId === workspaceId), next };
    },
    deleteContacts: async (workspaceId, { ids, unlessAfter }) => {
      const { database, write } = connected();
      return write(() => ids.filter((id) => deleteContact(database, { workspaceId, id, unlessAfter })));
    },
  };
}

/**
 * Lets other work run first, because reads resolve within the current turn of the event loop, and a walk may have
 * thousands of parts.
 */
async function turnOfOthers(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Sorts after every id. */
const AFTER_ALL = '~';

// Walks messages_by_workspace.
const MESSAGES = `
  SELECT * FROM messages WHERE workspace_id = ? AND id > ? AND id < ? ORDER BY id LIMIT ?`;

// EVENTS and CONTACTS walk primary keys, through the rows of all workspaces.
const EVENTS = 'SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?';
const CONTACTS = 'SELECT * FROM contacts WHERE id > ? ORDER BY id LIMIT ?';

function partOf<Value>(rows: readonly Row[], { limit }: Walk, read: (row: Row) => Value): WalkPart<Value> {
  const last = rows.at(-1);
  return { rows: rows.map(read), next: last && rows.length === limit ? text(last, 'id') : null };
}

/** Deletes at most `SLICE` messages and events. `seen` counts the messages that are deleted or kept. */
function deleteMessages(
  database: Database,
  workspaceId: string,
  { ids, unfinished, limit }: MessageDeletion,
): Omit<MessagesDeleted, 'more'> & { readonly seen: number } {
  let [messages, events] = [0, 0];
  for (const [seen, id] of ids.entries()) {
    if (messages + events >= SLICE) return { messages, events, seen };
    const row = database.get('SELECT * FROM messages WHERE id = ? AND workspace_id = ?', id, workspaceId);
    if (!row || (unfinished === 'kept' && isUnfinished(database, row))) continue;
    const most = Math.min(limit, SLICE - messages) - events;
    const own = database.all(EVENTS_OF, id, workspaceId, most);
    for (const event of own) deleteEvent(database, workspaceId, text(event, 'id'));
    events += own.length;
    if (own.length === most) return { messages, events, seen };
    deleteMessage(database, readMessage(database, row), text(row, 'sender_id'));
    messages += 1;
  }
  return { messages, events, seen: ids.length };
}

// Relies on event_log_by_message.
const EVENTS_OF = 'SELECT id FROM event_log WHERE message_id = ? AND workspace_id = ? LIMIT ?';

function isUnfinished(database: Database, row: Row): boolean {
  if (row['status'] === 'queued') return true;
  if (hasQueuedAction(database, text(row, 'id'), text(row, 'workspace_id'))) return true;
  return database.get(DOWNLOAD, text(row, 'instance_id'), text(row, 'id')) !== undefined;
}

const DOWNLOAD = 'SELECT 1 FROM pending_downloads WHERE instance_id = ? AND message_id = ?';

function deleteMessage(database: Database, message: Message, senderId: string): void {
  const { id, workspaceId, instanceId, networkId, direction, status, createdAt } = message;
  if (status === 'queued') stopWaiting(database, message);
  deleteActionsOn(database, message, (entryId) => leaveQueue(database, instanceId, entryId));
  deleteVotesOn(database, message);
  removeDownload(database, instanceId, id);
  abandonDeletedContent(database, message);
  database.run(FORGET_NETWORK_ID, instanceId, networkId, direction, senderId);
  if (direction === 'outbound') deleteRecordOf(database, { workspaceId, messageId: id, createdAt });
  database.run('DELETE FROM messages WHERE id = ?', id);
  // Deletes the details after the message, because the trigger on messages finds the message's chat by the details.
  database.run('DELETE FROM message_details WHERE message_id = ?', id);
}

const FORGET_NETWORK_ID = `
  DELETE FROM network_ids WHERE instance_id = ? AND network_id = ? AND direction = ? AND sender_id = ?`;

interface ContactDeletion {
  readonly workspaceId: string;
  readonly id: string;
  readonly unlessAfter: string;
}

function deleteContact(database: Database, { workspaceId, id, unlessAfter }: ContactDeletion): boolean {
  const sql = 'SELECT * FROM contacts WHERE id = ? AND workspace_id = ? AND merged_into IS NULL';
  const row = database.get(sql, id, workspaceId);
  if (!row) return false;
  const contact = entities.contact.read(row);
  const all = JSON.stringify([id, ...contact.formerIds]);
  if (database.get(LATER_MESSAGE, unlessAfter, all)) return false;
  database.run(
    'DELETE FROM contact_network_ids WHERE instance_id = ? AND contact_id IN (SELECT value FROM json_each(?))',
    contact.instanceId,
    all,
  );
  database.run(
    'DELETE FROM contact_numbers WHERE workspace_id = ? AND contact_id IN (SELECT value FROM json_each(?))',
    workspaceId,
    all,
  );
  deleteVotesOf(database, all);
  database.run('DELETE FROM contacts WHERE id IN (SELECT value FROM json_each(?))', all);
  return true;
}

// Walks the primary key, through all later messages.
const LATER_MESSAGE = `
  SELECT 1 FROM message_details
  WHERE message_id > ? AND +contact_id IN (SELECT value FROM json_each(?))
  LIMIT 1`;
