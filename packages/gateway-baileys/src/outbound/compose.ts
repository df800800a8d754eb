import type { OutgoingContent, OutgoingMessage, QuotedMessage } from '@trunkline/core/spi/gateway';
import { generateWAMessage, isLidUser } from '@whiskeysockets/baileys';
import type { AnyMessageContent, WAMessage, WASocket, proto } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import { Readable } from 'node:stream';
import { withWaveform } from './waveform.ts';

/** An upload is given up after this long without progress. */
const UPLOAD_STALLED_MS = 30_000;

interface ComposedFor {
  readonly jid: string;
  /** The seconds after which messages disappear in the chat; null if they stay. */
  readonly timer: number | null;
}

/** Composes the message that phones understand. Encrypts and uploads its file as the file is read. */
export async function compose(
  { socket, logger }: { readonly socket: WASocket; readonly logger: ILogger },
  { jid, timer }: ComposedFor,
  { networkId, content, replyTo }: OutgoingMessage,
): Promise<proto.IMessage> {
  const { id = '', lid } = socket.user ?? {};
  const { message } = await generateWAMessage(jid, await networkContent(content), {
    // Our own JID, for quoting our own messages, in the form that the chat uses: LID or number.
    userJid: (isLidUser(jid) && lid) || id,
    ...(replyTo && { quoted: quotedMessage(jid, replyTo) }),
    messageId: networkId,
    upload: socket.waUploadToServer,
    mediaUploadTimeoutMs: UPLOAD_STALLED_MS,
    logger,
    // Set the timer as WhatsApp's own apps do; otherwise, the message would stay in the chat.
    ...(timer !== null && { ephemeralExpiration: timer }),
  });
  if (!message) throw new Error('The message is empty.');
  return message;
}

/** The message that is replied to, with the parts that the reply shows. */
function quotedMessage(jid: string, { networkId, senderId, text }: QuotedMessage): WAMessage {
  const participant = senderId ?? undefined;
  return {
    key: { remoteJid: jid, id: networkId, fromMe: senderId === null, ...(participant && { participant }) },
    message: { conversation: text },
  };
}

/** Phones play a voice message as such only if its type names the codec. */
const VOICE_TYPE = 'audio/ogg; codecs=opus';

/** Never makes Baileys fetch an address: no preview of a link in the text, and no file by its URL. */
async function networkContent(content: OutgoingContent): Promise<AnyMessageContent> {
  if (content.type === 'text') return { text: content.text, linkPreview: null };
  const { file } = content;
  const { mimeType: mimetype, filename: fileName } = file;
  const caption = content.caption === null ? {} : { caption: content.caption };
  const opened = await file.open();
  if (content.type === 'audio' && content.voice) return voiceMessage(opened, mimetype);
  const media = { stream: Readable.fromWeb(opened) };
  switch (content.type) {
    case 'image':
      return { image: media, mimetype, ...caption };
    case 'video':
      // Without `jpegThumbnail`, Baileys would run ffmpeg on the file.
      return { video: media, mimetype, jpegThumbnail: '', ...caption };
    case 'audio':
      return { audio: media, mimetype };
    case 'document':
      return { document: media, mimetype, fileName, ...caption };
  }
}

function voiceMessage(opened: ReadableStream<Uint8Array>, mimetype: string): AnyMessageContent {
  const { content, waveform } = withWaveform(opened);
  const message = {
    audio: { stream: Readable.fromWeb(content) },
    mimetype: mimetype.startsWith('audio/ogg') ? VOICE_TYPE : mimetype,
    ptt: true,
    // Read by Baileys only after the file, when the waveform is complete. Its types omit the field.
    waveform,
  };
  return message;
}
