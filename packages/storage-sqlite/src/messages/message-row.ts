import { summaryOf } from '@trunkline/core/spi/storage';
import type { ContactSummary, Message, MessageMedia } from '@trunkline/core/spi/storage';
import type { Columns, Database } from '../database/database.ts';
import { entities, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

interface Stored {
  /** The same for all repeats of an inbound message; empty for outbound messages. */
  readonly senderId: string;
  readonly hasReadableNetworkId?: boolean | undefined;
}

export function insertMessage(
  database: Database,
  message: Message,
  { senderId, hasReadableNetworkId = false }: Stored,
): void {
  const columns = entities.message.columns(message);
  columns['sender_id'] = senderId;
  insertMessageRow(database, columns, hasReadableNetworkId);
}

/**
 * Inserts a message, and notes it as unfiled. Only messages that have details, or no readable network id, have rows in
 * further tables.
 */
export function insertMessageRow(
  database: Database,
  { contact_id = null, details = null, ...columns }: Columns,
  hasReadableNetworkId: boolean,
): void {
  const { id = null } = columns;
  database.insert('messages', { ...columns, has_readable_network_id: Number(hasReadableNetworkId) });
  database.run('INSERT INTO unfiled_messages (message_id) VALUES (?)', id);
  if (!hasReadableNetworkId) {
    const { instance_id = null, network_id = null, direction = null, sender_id = null } = columns;
    database.insert('network_ids', { instance_id, network_id, direction, sender_id, message_id: id });
  }
  if (contact_id === null && details === null) return;
  database.insert('message_details', { message_id: id, contact_id, details });
}

/** Writes the changes of a message; `stored` is the stored value of its details. */
export function updateMessage(database: Database, message: Message, stored: unknown): void {
  const { details = null, ...columns } = entities.messageState.columns(message);
  database.update('messages', message.id, columns);
  if (details !== stored) database.run(WRITE_DETAILS, message.id, details);
}

/** Writes the changes of a message except those of its content. */
export function updateProgress(database: Database, message: Message): void {
  database.update('messages', message.id, entities.messageProgress.columns(message));
}

const WRITE_DETAILS = `
  INSERT INTO message_details (message_id, details) VALUES (?, ?)
  ON CONFLICT (message_id) DO UPDATE SET details = excluded.details`;

export function readMessage(database: Database, row: Row): Message {
  const further = database.get(DETAILS, text(row, 'id'));
  const message = entities.message.read(
    { ...row, details: further?.['details'] ?? null },
    further === undefined ? null : readContact(further),
  );
  const media = asOfNow(database, message);
  return media === message.media ? message : { ...message, media };
}

const DETAILS = `
  SELECT message_details.details, contact.*
  FROM message_details
  LEFT JOIN contacts AS given ON given.id = message_details.contact_id
  LEFT JOIN contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
  WHERE message_id = ?`;

function readContact(row: Row): ContactSummary | null {
  return row['id'] === null ? null : summaryOf(entities.contact.read(row));
}

/** Content is deleted with its instance, but the rows of messages still list it as available. */
function asOfNow(database: Database, { instanceId, media }: Message): MessageMedia | null {
  if (!media?.available || database.get('SELECT 1 FROM instances WHERE id = ?', instanceId)) return media;
  return { ...media, available: false };
}
