import type { LinkPreview, OutgoingMessage, QuotedMessage } from '@trunkline/core/spi/gateway';
import { generateWAMessage, isLidUser } from '@whiskeysockets/baileys';
import type { AnyMessageContent, WAMessage, WAUrlInfo, proto } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import { Readable } from 'node:stream';
import { linkThumbnail, scannerOf, withFacts } from '../file-facts/file-facts.ts';
import { BARS } from '../file-facts/packet-levels.ts';
import type { FileFacts } from '../file-facts/scanner.ts';
import type { SentMessages } from '../session/sent-messages.ts';
import { kindContent } from './kind-content.ts';
import { writeMentions } from './mentions.ts';
import type { Search } from './recipients.ts';

/** An upload is given up after this long without progress. */
const UPLOAD_STALLED_MS = 30_000;

interface ComposedFor {
  readonly jid: string;
  /** Whether people in the chat are addressed by hidden ids (LIDs). */
  readonly usesHiddenIds: boolean;
  /** The seconds after which messages disappear in the chat; null if they stay. */
  readonly timer: number | null;
}

interface Composing extends Search {
  readonly logger: ILogger;
  readonly sent: Pick<SentMessages, 'find'>;
}

/** Composes the message that phones understand. Encrypts and uploads its file as the file is read. */
export async function compose(
  composing: Composing,
  chat: ComposedFor,
  message: OutgoingMessage,
): Promise<proto.IMessage> {
  const { socket, logger, sent } = composing;
  const { jid, timer } = chat;
  const { networkId, content, replyTo, detail } = message;
  // Since a send whose outcome is unknown, the page of a preview may have changed; and a poll would get another secret.
  const isKept = (content.type === 'text' && content.preview !== undefined) || detail?.kind === 'poll';
  const before = isKept ? await sent.find(networkId) : undefined;
  if (before) return before.content;
  const { id = '', lid } = socket.user ?? {};
  const words = content.type === 'text' ? content.text : (content.caption ?? '');
  const written = await writeMentions(composing, chat, { text: words, mentions: message.mentions });
  const { composed, facts } = await networkContent(message, written, (error) =>
    logger.warn(
      { error },
      'the duration, size and thumbnail of a file could not be read: it is sent without',
    ),
  );
  const { message: generated } = await generateWAMessage(jid, composed, {
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
  if (!generated) throw new Error('The message is empty.');
  // The file has been read by now.
  const { imageMessage, videoMessage, audioMessage, stickerMessage } = generated;
  Object.assign(imageMessage ?? videoMessage ?? audioMessage ?? stickerMessage ?? {}, facts());
  return generated;
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

interface NetworkContent {
  readonly composed: AnyMessageContent;
  /** The facts about the file, once it has been read. */
  facts(): FileFacts;
}

/** Never makes Baileys fetch an address: previews of links come with the text, and no file has a URL. */
async function networkContent(
  { content, detail }: OutgoingMessage,
  { text, contextInfo }: Awaited<ReturnType<typeof writeMentions>>,
  failed: (error: unknown) => void,
): Promise<NetworkContent> {
  const mentioning = contextInfo && { contextInfo };
  if (content.type === 'text') {
    const noFacts = (): FileFacts => ({});
    if (detail && detail.kind !== 'sticker') return { composed: kindContent(detail), facts: noFacts };
    const linkPreview = content.preview ? await shownLink(content.preview, failed) : null;
    return { composed: { text, linkPreview, ...mentioning }, facts: noFacts };
  }
  const { file } = content;
  const { mimeType: mimetype, filename: fileName } = file;
  const caption = content.caption === null ? {} : { caption: text, ...mentioning };
  const opened = await file.open();
  const scanner = content.type === 'document' ? null : scannerOf(mimetype);
  const read = scanner
    ? withFacts(opened, scanner, failed)
    : { content: opened, facts: (): FileFacts => ({}) };
  const media = { stream: Readable.fromWeb(read.content) };
  const composed = ((): AnyMessageContent => {
    if (detail?.kind === 'sticker') return { sticker: media, isAnimated: detail.payload.animated, mimetype };
    switch (content.type) {
      // Without these values, Baileys would keep a copy of the file, load sharp, and run ffmpeg.
      case 'image':
        return { image: media, mimetype, jpegThumbnail: '', ...caption };
      case 'video':
        return { video: media, mimetype, jpegThumbnail: '', ...caption };
      case 'audio':
        return audioMessage(media, { mimetype, isVoice: content.voice === true, hasFacts: scanner !== null });
      case 'document':
        return { document: media, mimetype, fileName, ...caption };
    }
  })();
  return {
    composed,
    facts() {
      const { waveform, ...facts } = read.facts();
      return content.type === 'audio' && content.voice && waveform ? { ...facts, waveform } : facts;
    },
  };
}

/** The preview of a link as phones show it. Its image becomes a thumbnail. */
async function shownLink(
  { url, title, description, image }: LinkPreview,
  failed: (error: unknown) => void,
): Promise<WAUrlInfo> {
  const jpegThumbnail = image && (await linkThumbnail(image).catch(failed));
  return {
    'canonical-url': url,
    'matched-text': url,
    title,
    ...(description !== null && { description }),
    ...(jpegThumbnail && { jpegThumbnail: Buffer.from(jpegThumbnail) }),
  };
}

function audioMessage(
  audio: { readonly stream: Readable },
  {
    mimetype,
    isVoice,
    hasFacts,
  }: { readonly mimetype: string; readonly isVoice: boolean; readonly hasFacts: boolean },
): AnyMessageContent {
  // Baileys reads the duration of the types that are not read here.
  const known = hasFacts ? { seconds: 0 } : {};
  if (!isVoice) return { audio, mimetype, ...known };
  const message = {
    audio,
    mimetype: mimetype.startsWith('audio/ogg') ? VOICE_TYPE : mimetype,
    ptt: true,
    ...known,
    // Otherwise, Baileys would decode the file. Its types omit the field.
    waveform: new Uint8Array(BARS),
  };
  return message;
}
