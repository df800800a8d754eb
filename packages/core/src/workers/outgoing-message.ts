import { contentIdOf } from '../domain/message/message.ts';
import type { Message } from '../domain/message/message.ts';
import type { OutgoingContent, OutgoingMessage } from '../ports/gateway.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { ServiceContext } from '../services/context.ts';

/** What a gateway is given to send of a message. */
export async function outgoingMessage(
  { storage, mediaStore }: ServiceContext,
  message: Message,
): Promise<OutgoingMessage | 'group_unknown'> {
  const { workspaceId, instanceId, networkId, to, groupId } = message;
  const content = outgoingContent(mediaStore, message);
  if (groupId === null) return { networkId, to: to ?? '', isGroup: false, content };
  const group = await storage.groups.find(workspaceId, instanceId, groupId);
  return group ? { networkId, to: group.networkId, isGroup: true, content } : 'group_unknown';
}

/** A file that was deleted does not come back: trying again would only delay reporting it. */
export async function isFileGone({ mediaStore }: ServiceContext, message: Message): Promise<boolean> {
  if (!message.media) return false;
  return !message.media.available || (await mediaStore.size(contentIdOf(message))) === null;
}

function outgoingContent(store: MediaStore, message: Message): OutgoingContent {
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
        if (!content)
          throw new Error(
            `The file of ${message.id} was deleted from the media store just before it was read.`,
          );
        return content;
      },
    },
  };
}
