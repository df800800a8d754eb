import { normalizeMessageContent, proto } from '@whiskeysockets/baileys';
import type { SentMessage } from '../chronicle/sent-log.ts';
import { openFile } from '../media/media-cipher.ts';
import type { FileReference } from '../media/media-cipher.ts';
import type { MediaHost } from '../media/media-host.ts';
import { MEDIA_KINDS } from './content.ts';
import type { Content, MediaContent, MediaKind, TextContent } from './content.ts';

/** The content of a decrypted message; a file is fetched and checked. Throws if the file does not match the message. */
export async function fromProto(message: proto.IMessage, media: MediaHost): Promise<Content> {
  const content = normalizeMessageContent(message) ?? message;
  const text = content.conversation ?? content.extendedTextMessage?.text;
  if (typeof text === 'string' && text !== '')
    return { type: 'text', text, ...linkIn(content), ...mentionsIn(content.extendedTextMessage) };

  for (const type of MEDIA_KINDS) {
    const file = content[`${type}Message`];
    if (file === null || file === undefined) continue;
    return {
      type,
      bytes: await readFile(type, file, media),
      mimeType: file.mimetype ?? '',
      caption: 'caption' in file ? (file.caption ?? null) : null,
      filename: 'fileName' in file ? (file.fileName ?? null) : null,
      ...shownOf(file),
      ...mentionsIn(file),
      ...('ptt' in file &&
        file.ptt && { voice: { seconds: file.seconds ?? null, waveform: [...(file.waveform ?? [])] } }),
    };
  }
  return (
    (await stickerIn(content, media)) ??
    kindIn(content, message.messageContextInfo?.messageSecret) ?? {
      type: 'other',
      message: proto.Message.fromObject(message).toJSON(),
    }
  );
}

async function stickerIn({ stickerMessage }: proto.IMessage, media: MediaHost): Promise<Content | null> {
  if (!stickerMessage) return null;
  return {
    type: 'sticker',
    bytes: await readFile('sticker', stickerMessage, media),
    mimeType: stickerMessage.mimetype ?? '',
    animated: stickerMessage.isAnimated ?? false,
    ...shownOf(stickerMessage),
  };
}

function kindIn(content: proto.IMessage, secret: Uint8Array | null | undefined): Content | null {
  const { locationMessage: place, contactMessage, contactsArrayMessage } = content;
  if (place)
    return {
      type: 'location',
      latitude: place.degreesLatitude ?? 0,
      longitude: place.degreesLongitude ?? 0,
      name: place.name ?? null,
      address: place.address ?? null,
    };
  const cards = contactMessage ? [contactMessage] : contactsArrayMessage?.contacts;
  if (cards)
    return {
      type: 'contacts',
      cards: cards.map(({ displayName, vcard }) => ({ name: displayName ?? '', vcard: vcard ?? '' })),
    };
  const poll = content.pollCreationMessage ?? content.pollCreationMessageV3;
  if (!poll) return null;
  return {
    type: 'poll',
    question: poll.name ?? '',
    options: (poll.options ?? []).map(({ optionName }) => optionName ?? ''),
    multiple: poll.selectableOptionsCount !== 1,
    secret: secret ?? new Uint8Array(),
  };
}

function mentionsIn(
  part: { readonly contextInfo?: proto.IContextInfo | null } | null | undefined,
): Pick<TextContent, 'mentions'> {
  const mentions = part?.contextInfo?.mentionedJid ?? [];
  return mentions.length > 0 ? { mentions } : {};
}

function linkIn({ extendedTextMessage }: proto.IMessage): Pick<TextContent, 'link'> {
  const { matchedText, title, description, jpegThumbnail } = extendedTextMessage ?? {};
  if (!matchedText) return {};
  const link = {
    matched: matchedText,
    title: title ?? '',
    description: description ?? '',
    thumbnail: jpegThumbnail ?? new Uint8Array(),
  };
  return { link };
}

/** The facts in a media message; all of them are optional. */
function shownOf(
  file: Partial<
    Pick<proto.Message.IVideoMessage, 'seconds' | 'width' | 'height'> &
      Pick<proto.Message.IImageMessage, 'jpegThumbnail'>
  >,
): Pick<MediaContent, 'shown'> {
  const { seconds, width, height, jpegThumbnail } = file;
  const shown = {
    ...(seconds && { seconds }),
    ...(width && { width }),
    ...(height && { height }),
    ...(jpegThumbnail && jpegThumbnail.length > 0 && { thumbnail: jpegThumbnail }),
  };
  return Object.keys(shown).length > 0 ? { shown } : {};
}

export function quotedIn(message: proto.IMessage): SentMessage['quotes'] {
  const content = normalizeMessageContent(message) ?? message;
  for (const part of Object.values(content)) {
    const context: proto.IContextInfo | null | undefined = part?.contextInfo;
    if (!context?.stanzaId) continue;
    const quoted = context.quotedMessage?.conversation ?? '';
    return { id: context.stanzaId, author: context.participant ?? '', text: quoted };
  }
  return null;
}

type MediaMessage = proto.Message.IImageMessage | proto.Message.IAudioMessage;

async function readFile(kind: MediaKind | 'sticker', file: MediaMessage, media: MediaHost): Promise<Buffer> {
  const sealed = media.get(file.directPath ?? '');
  if (sealed === undefined) throw new Error(`no file was uploaded to ${file.directPath ?? 'nowhere'}`);
  return openFile(kind, sealed, referenceOf(file));
}

function referenceOf({ mediaKey, fileSha256, fileEncSha256, fileLength }: MediaMessage): FileReference {
  if (!mediaKey || !fileSha256 || !fileEncSha256) throw new Error('media message without key or hashes');
  return { mediaKey, fileSha256, fileEncSha256, fileLength: Number(fileLength ?? 0) };
}
