import { contentIdOf } from '../domain/message/message.ts';
import type { Message } from '../domain/message/message.ts';
import type { OutgoingContent } from '../ports/gateway.ts';
import type { MediaStore } from '../ports/media-store.ts';

/** What a gateway is given to send of a message. */
export function outgoingContent(store: MediaStore, message: Message): OutgoingContent {
  const { type, text, caption, media } = message;
  if (type === 'text' || !media) return { type: 'text', text: text ?? '' };
  const { mimeType, filename } = media;
  return {
    type,
    caption,
    file: {
      mimeType,
      filename,
      size: media.size ?? 0,
      async open() {
        const content = await store.get(contentIdOf(message));
        if (!content) throw new Error(`The file of ${message.id} is gone.`);
        return content;
      },
    },
  };
}
