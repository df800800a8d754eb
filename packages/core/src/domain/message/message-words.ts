import type { Message } from './message.ts';
import { mediaFilename } from './media-filename.ts';
import { asMediaType } from './media-rules.ts';

/** The message after an edit, or why the edit is not carried out. */
export type EditDecision =
  | { readonly kind: 'edited'; readonly message: Message }
  /** The message already has this text. */
  | { readonly kind: 'unchanged' }
  /** The message was deleted, or edited after this edit. */
  | { readonly kind: 'stale' }
  /** The message has no text to edit, such as a location. */
  | { readonly kind: 'forbidden' };

/** Replaces the text, or the caption of a file. `at` and `now` in epoch milliseconds; `at` is null if it is not known. */
export function editMessage(
  message: Message,
  { text, at }: { readonly text: string; readonly at: number | null },
  now: number,
): EditDecision {
  const field = wordsFieldOf(message);
  if (field === null) return { kind: 'forbidden' };
  if (message.deletedAt !== null) return { kind: 'stale' };
  if (at !== null && message.editedAt !== null && at < message.editedAt) return { kind: 'stale' };
  const words = field === 'caption' ? captionOf(text) : text;
  if (message[field] === words) return { kind: 'unchanged' };
  return { kind: 'edited', message: { ...message, [field]: words, editedAt: at ?? now } };
}

/** The field that an edit replaces; null if the message has no words of its own, such as a location or a sticker. */
export function wordsFieldOf({ type, kind }: Pick<Message, 'type' | 'kind'>): 'text' | 'caption' | null {
  if (type !== 'text') return kind === 'sticker' ? null : 'caption';
  return kind === 'text' ? 'text' : null;
}

/** Null for an empty caption, which phones send if a caption is removed. */
export function captionOf(text: string | null): string | null {
  return text === '' ? null : text;
}

/**
 * The message without its content; of its file, only the type and the extension stay. `deletedAt` in epoch
 * milliseconds.
 */
export function deleteMessage(message: Message, deletedAt: number): Message {
  return {
    ...message,
    text: null,
    caption: null,
    media: emptiedMedia(message),
    kind: message.type,
    payload: null,
    deletedAt,
  };
}

/** Drops the name, size and digest, which would reveal parts of the content. */
function emptiedMedia({ id: messageId, type: messageType, media }: Message): Message['media'] {
  const type = asMediaType(messageType);
  if (media === null || type === null) return null;
  const extension = /\.([A-Za-z0-9]{1,10})$/.exec(media.filename)?.[1] ?? 'bin';
  const filename = mediaFilename(null, { type, messageId, extension });
  return { available: false, mimeType: media.mimeType, size: null, filename, sha256: null };
}
