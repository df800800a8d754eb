import { Readable } from 'node:stream';
import { generateWAMessage } from '@whiskeysockets/baileys';
import type { AnyMessageContent, proto, WASocket } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import type { OutgoingContent, OutgoingMessage } from '@trunkline/core/spi/gateway';

/** An upload that does not move for this long is given up. */
const UPLOAD_STALLED_MS = 30_000;

/** Makes the message that phones understand; uploads its file, as it is read, encrypted. */
export async function compose(
  { socket, logger }: { readonly socket: WASocket; readonly logger: ILogger },
  jid: string,
  { networkId, content }: OutgoingMessage,
): Promise<proto.IMessage> {
  const { message } = await generateWAMessage(jid, await networkContent(content), {
    userJid: socket.user?.id ?? '',
    messageId: networkId,
    upload: socket.waUploadToServer,
    mediaUploadTimeoutMs: UPLOAD_STALLED_MS,
    logger,
  });
  if (!message) throw new Error('The message is empty.');
  return message;
}

/** Never an address to fetch: neither a preview of a link in the text nor a file by its URL. */
async function networkContent(content: OutgoingContent): Promise<AnyMessageContent> {
  if (content.type === 'text') return { text: content.text, linkPreview: null };
  const { file } = content;
  const { mimeType: mimetype, filename: fileName } = file;
  const caption = content.caption === null ? {} : { caption: content.caption };
  const media = { stream: Readable.fromWeb(await file.open()) };
  switch (content.type) {
    case 'image':
      return { image: media, mimetype, ...caption };
    case 'video':
      // Else Baileys would run ffmpeg on the file for a thumbnail.
      return { video: media, mimetype, jpegThumbnail: '', ...caption };
    case 'audio':
      return { audio: media, mimetype };
    case 'document':
      return { document: media, mimetype, fileName, ...caption };
  }
}
