import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Activity, Clock, IncomingContent, IncomingMessage } from '@trunkline/core/spi/gateway';
import type { WAMessage, WASocket } from '@whiskeysockets/baileys';
import { groupOf, sentAt } from './activity.ts';
import { contactOf } from './contact-report.ts';
import { downloadMedia } from './media-download.ts';
import type { MediaNetwork } from './media-download.ts';
import type { MediaContent, MessageContent } from './message-content.ts';
import { networkIdOf } from './network-id.ts';
import { senderOf } from './phone-number.ts';

/** How long the sender's phone may take to upload a file again. */
const REUPLOAD_MS = 30_000;

type Said = Extract<MessageContent, { kind: 'content' }>;

interface Receiver {
  readonly socket: WASocket;
  readonly clock: Clock;
}

/** A message of the network as core takes it. */
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

/** What the owner of the number wrote on another device, as core takes it. */
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

function commonParts({ socket, clock }: Receiver, message: WAMessage, { content, detail, replyTo }: Said) {
  return {
    networkId: networkIdOf(message.key.id),
    groupNetworkId: groupOf(message),
    sentAt: sentAt(message),
    replyTo,
    ...(detail && { detail }),
    content: content.type === 'text' ? content : withFile(content, mediaNetwork(socket, message, clock)),
  };
}

function withFile(media: MediaContent, network: MediaNetwork): IncomingContent {
  const { type, caption, mimeType, filename } = media;
  return { type, caption, file: { mimeType, filename, open: async () => downloadMedia(media, network) } };
}

function mediaNetwork(socket: WASocket, message: WAMessage, clock: Clock): MediaNetwork {
  return {
    clock,
    async host() {
      await socket.refreshMediaConn(false);
      return socket.getMediaHost();
    },
    async requestUpload() {
      await withDeadline(
        clock,
        { what: "The sender's upload of a file", ms: REUPLOAD_MS },
        socket.updateMediaMessage(message),
      );
    },
  };
}
