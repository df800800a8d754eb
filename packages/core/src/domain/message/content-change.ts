import type { Message } from './message.ts';

/** The change of a message by an edit or a deletion. */
export interface ContentChange {
  /** The message afterwards. Only its content (`saysOf`) is written. */
  readonly message: Message;
  /** The message when the change was decided. */
  readonly expected: Pick<Message, 'editedAt' | 'deletedAt'>;
}

type MessageSays = Pick<
  Message,
  'text' | 'caption' | 'media' | 'kind' | 'payload' | 'editedAt' | 'deletedAt'
>;

function saysOf(message: Message): MessageSays {
  const { text, caption, media, kind, payload, editedAt, deletedAt } = message;
  return { text, caption, media, kind, payload, editedAt, deletedAt };
}

/**
 * The stored message with its new content; null if it was edited or deleted after the decision. All other fields stay
 * as stored, since receipts may change them concurrently.
 */
export function changeContent(stored: Message, { message, expected }: ContentChange): Message | null {
  if (stored.editedAt !== expected.editedAt || stored.deletedAt !== expected.deletedAt) return null;
  const changed = { ...stored, ...saysOf(message) };
  // An edit does not change the file, which may have arrived since the edit was decided.
  return message.deletedAt === stored.deletedAt ? { ...changed, media: stored.media } : changed;
}
