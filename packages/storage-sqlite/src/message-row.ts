import type { Message, MessageMedia } from '@trunkline/core/spi/storage';
import type { Columns, Database } from './database.ts';
import { entities } from './row.ts';
import type { Row } from './row.ts';

/** Repeats of an inbound message have the same `senderId`. */
export function messageColumns(message: Message, senderId: string): Columns {
  return { ...entities.message.columns(message), sender_id: senderId };
}

export function readMessage(database: Database, row: Row): Message {
  const message = entities.message.read(row);
  const media = asOfNow(database, message);
  return media === message.media ? message : { ...message, media };
}

/** The content of an instance's messages goes with it, whatever their rows say. */
function asOfNow(database: Database, { instanceId, media }: Message): MessageMedia | null {
  if (!media?.available || database.get('SELECT 1 FROM instances WHERE id = ?', instanceId)) return media;
  return { ...media, available: false };
}
