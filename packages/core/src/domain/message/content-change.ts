import type { Message } from './message.ts';

/** What an edit or a deletion makes of a message. */
export interface ContentChange {
  /** The message afterwards. Of it, what it says is written, and nothing else. */
  readonly message: Message;
  /** The message when this was decided. */
  readonly expected: Pick<Message, 'editedAt' | 'deletedAt'>;
}

/** What a message says. */
export type MessageSays = Pick<
  Message,
  'text' | 'caption' | 'media' | 'kind' | 'payload' | 'editedAt' | 'deletedAt'
>;

export function saysOf(message: Message): MessageSays {
  const { text, caption, media, kind, payload, editedAt, deletedAt } = message;
  return { text, caption, media, kind, payload, editedAt, deletedAt };
}

/**
 * The stored message with what it says from now on; null if it was edited or deleted after the decision. Everything else
 * stays as it is stored, since receipts change it concurrently.
 */
export function changeContent(stored: Message, { message, expected }: ContentChange): Message | null {
  if (stored.editedAt !== expected.editedAt || stored.deletedAt !== expected.deletedAt) return null;
  const changed = { ...stored, ...saysOf(message) };
  // An edit says nothing about the file, which may have come since it was decided.
  return message.deletedAt === stored.deletedAt ? { ...changed, media: stored.media } : changed;
}
