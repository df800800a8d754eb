import { extractMessageContent } from '@whiskeysockets/baileys';
import type { MediaType as WAMediaType, proto } from '@whiskeysockets/baileys';
import type { MediaType } from '@trunkline/core/spi/gateway';

/** A file as a message describes it. */
export interface MediaContent {
  readonly type: MediaType;
  readonly caption: string | null;
  readonly filename: string | null;
  readonly mimeType: string;
  /** What its key is derived for. */
  readonly keyType: WAMediaType;
  readonly source: MediaSource;
}

/** Where a file is and what opens it. */
export type MediaSource = Pick<
  proto.Message.IImageMessage,
  'directPath' | 'url' | 'mediaKey' | 'fileSha256' | 'fileLength'
>;

export type MessageContent =
  | {
      readonly kind: 'content';
      readonly content: { readonly type: 'text'; readonly text: string } | MediaContent;
    }
  /** A reaction, a poll, a change of settings…: counted, not stored. */
  | { readonly kind: 'other'; readonly name: string };

/** Reads what a message says, whatever it is wrapped in. Stickers are images here, and voice notes audio. */
export function readContent(message: proto.IMessage | null | undefined): MessageContent {
  const inner = extractMessageContent(message);
  const text = storable(inner?.conversation || inner?.extendedTextMessage?.text);
  if (text) return { kind: 'content', content: { type: 'text', text } };
  const media = inner && readMedia(inner);
  if (media) return { kind: 'content', content: media };
  return { kind: 'other', name: nameOf(inner) };
}

function readMedia(message: proto.IMessage): MediaContent | null {
  const { imageMessage, stickerMessage, videoMessage, ptvMessage, audioMessage, documentMessage } = message;
  if (imageMessage) return media('image', 'image', imageMessage);
  if (stickerMessage) return media('image', 'sticker', stickerMessage);
  if (videoMessage ?? ptvMessage) return media('video', 'video', videoMessage ?? ptvMessage);
  if (audioMessage) return media('audio', 'audio', audioMessage);
  if (documentMessage) return media('document', 'document', documentMessage);
  return null;
}

type AnyMedia = MediaSource & {
  readonly caption?: string | null;
  readonly fileName?: string | null;
  readonly mimetype?: string | null;
};

function media(
  type: MediaType,
  keyType: WAMediaType,
  source: AnyMedia | null | undefined,
): MediaContent | null {
  if (!source) return null;
  return {
    type,
    keyType,
    source,
    caption: storable(source.caption),
    filename: storable(source.fileName),
    mimeType: storable(source.mimetype) ?? 'application/octet-stream',
  };
}

/** Text that every database can store: senders may put anything into it. Null where nothing is left. */
export function storable(text: string | null | undefined): string | null {
  return text?.replaceAll('\0', '').toWellFormed() || null;
}

/** For the count alone: the name of the first field that is set. */
function nameOf(message: proto.IMessage | undefined): string {
  const set = Object.entries(message ?? {}).find(
    ([name, value]) => value !== null && value !== undefined && name !== 'messageContextInfo',
  );
  return set?.[0] ?? 'empty';
}
