import { summaryOf } from '@trunkline/core/spi/storage';
import type { ContactSummary, Message } from '@trunkline/core/spi/storage';
import { columnsOf, recordOf } from '../rows/column-arrays.ts';
import type { Shape } from '../rows/column-arrays.ts';
import { entities, flag, json, shapeOf } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import type { Columns, Statements } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf } from '../rows/uuid.ts';

/** The columns that `readMessage` needs from a row called `item`. */
export const MESSAGE_COLUMNS = `item.*, (
    item.media IS NULL OR EXISTS (SELECT 1 FROM trunkline.instances WHERE instances.id = item.instance_id)
  ) AS keeps_media, (
    SELECT row_to_json(contact)::text
    FROM trunkline.contacts AS given
    JOIN trunkline.contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
    WHERE given.id = item.contact_id
  ) AS contact`;

const CONTENT: Shape<string> = { ...shapeOf(entities.messageContent), sender_id: 'text' };
export const MESSAGE_SHAPE: Shape<string> = { ...shapeOf(entities.message), sender_id: 'text' };

/**
 * Columns with their types, as `json_to_recordset` takes them. CONTENT_RECORD leaves out the workspace and the
 * instance.
 */
export const CONTENT_RECORD: string = recordOf(CONTENT);
export const MESSAGE_RECORD: string = recordOf(MESSAGE_SHAPE);

export const CONTENT_NAMES: string = columnsOf(CONTENT).join(', ');
export const MESSAGE_NAMES: string = columnsOf(MESSAGE_SHAPE).join(', ');
/** The columns that a change writes. Indexes contain none of these columns except the status. */
export const CHANGEABLE_NAMES: readonly string[] = Object.keys(entities.messageState.kinds);

/** `senderId` tells inbound messages with the same network id apart; it is '' for outbound messages. */
export function messageColumns(message: Message, senderId: string): Columns {
  return { ...entities.message.columns(message), sender_id: encodeText(senderId) };
}

export function contentColumns(message: Message, senderId: string): Columns {
  return { ...entities.messageContent.columns(message), sender_id: encodeText(senderId) };
}

export function readMessage(row: Row): Message {
  const message = entities.message.read(row, readContact(row));
  // Content is deleted with its instance, but the rows of messages still list it as available.
  if (!message.media?.available || flag(row, 'keeps_media')) return message;
  return { ...message, media: { ...message.media, available: false } };
}

/** The messages with these ids, in any order. */
export async function readMessages({ all }: Statements, ids: readonly string[]): Promise<readonly Message[]> {
  if (ids.length === 0) return [];
  const uuids = ids.map((messageId) => uuidOf('msg', messageId));
  return (await all(MESSAGES, uuids)).map(readMessage);
}

/** Looks up ids one by one, because a join might read the whole table. */
const MESSAGES = `
  SELECT item.* FROM unnest($1::uuid[]) AS asked (id)
  CROSS JOIN LATERAL (
    SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item WHERE item.id = asked.id LIMIT 1
  ) AS item`;

/** The current contact, into which the message's contact may have been merged. */
function readContact(row: Row): ContactSummary | null {
  return row['contact'] === null ? null : summaryOf(entities.contact.read(json<Row>(row, 'contact')));
}
