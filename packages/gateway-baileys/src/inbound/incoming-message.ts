import type { Activity, IncomingContent, IncomingMessage } from '@trunkline/core/spi/gateway';
import type { WAMessage, WAMessageKey, WASocket } from '@whiskeysockets/baileys';
import { groupOf, sentAt } from './activity.ts';
import { contactOf } from './contact-report.ts';
import { downloadMedia } from './media-download.ts';
import { referenceTo } from './media-file.ts';
import type { MediaNetwork } from './media-network.ts';
import type { MediaContent, MessageContent } from './message-content.ts';
import { networkIdOf } from './network-id.ts';
import { senderOf } from './phone-number.ts';

type Said = Extract<MessageContent, { kind: 'content' }>;

interface Receiver {
  readonly socket: WASocket;
  readonly media: MediaNetwork;
}

/** Converts a message of the network to core's type. */
export async function incomingMessage(
  receiver: Receiver,
  message: WAMessage,
  said: Said,
): Promise<IncomingMessage> {
  const contact = await contactOf(receiver.socket, message);
  return {
    senderId: senderOf(message.key),
    from: contact?.phoneNumber ?? null,
    contact,
    ...commonParts(receiver, message, said),
  };
}

/** Converts an echo to core's type: a message that the owner of the number wrote on another device. */
export async function echoOf(receiver: Receiver, message: WAMessage, said: Said): Promise<Echo> {
  const contact = await contactOf(receiver.socket, message);
  return {
    kind: 'echo',
    to: contact?.phoneNumber ?? null,
    contact,
    ...commonParts(receiver, message, said),
  };
}

type Echo = Extract<Activity, { kind: 'echo' }>;

function commonParts({ media }: Receiver, message: WAMessage, { content, detail, replyTo }: Said) {
  return {
    networkId: networkIdOf(message.key.id),
    groupNetworkId: groupOf(message),
    sentAt: sentAt(message),
    replyTo,
    ...(detail && { detail }),
    content: content.type === 'text' ? content : withFile(content, message.key, media),
  };
}

function withFile(content: MediaContent, key: WAMessageKey, network: MediaNetwork): IncomingContent {
  const { type, caption, mimeType, filename, keyType, source } = content;
  const file = { key, keyType, source };
  const reference = referenceTo(file);
  return {
    type,
    caption,
    file: {
      mimeType,
      filename,
      ...(reference && { reference }),
      open: async () => downloadMedia(file, network),
    },
  };
}
