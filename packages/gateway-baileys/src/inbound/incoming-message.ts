import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock, IncomingContent, IncomingMessage } from '@trunkline/core/spi/gateway';
import { isJidGroup } from '@whiskeysockets/baileys';
import type { WAMessage, WASocket } from '@whiskeysockets/baileys';
import { downloadMedia } from './media-download.ts';
import type { MediaNetwork } from './media-download.ts';
import type { MediaContent, MessageContent } from './message-content.ts';
import { networkIdOf } from './network-id.ts';
import { numberOf, senderOf } from './phone-number.ts';

/** How long the sender's phone may take to upload a file again. */
const REUPLOAD_MS = 30_000;

type Content = Extract<MessageContent, { kind: 'content' }>['content'];

/** A message of the network as core takes it. */
export async function incomingMessage(
  { socket, clock }: { readonly socket: WASocket; readonly clock: Clock },
  message: WAMessage,
  content: Content,
): Promise<IncomingMessage> {
  const { key } = message;
  const chat = key.remoteJid ?? '';
  return {
    networkId: networkIdOf(key.id),
    senderId: senderOf(key),
    from: await numberOf(key, socket.signalRepository.lidMapping),
    groupNetworkId: isJidGroup(chat) ? chat : null,
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
