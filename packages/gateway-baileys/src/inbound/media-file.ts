import { MAX_REFERENCE_BYTES } from '@trunkline/core/spi/gateway';
import { proto } from '@whiskeysockets/baileys';
import type { MediaContent, MediaSource } from './message-content.ts';

/** A message's file, which is still on WhatsApp's media hosts or on the phone. */
export interface MediaFile extends Pick<MediaContent, 'keyType' | 'source'> {
  /** The message's key, by which the phone finds the file. */
  readonly key: proto.IMessageKey;
}

/** The media types for which keys are derived, with their message fields. */
const FIELDS = [
  ['image', 'imageMessage'],
  ['sticker', 'stickerMessage'],
  ['video', 'videoMessage'],
  ['audio', 'audioMessage'],
  ['document', 'documentMessage'],
] as const;

/**
 * The file as a `proto.WebMessageInfo` without the rest of its message. Undefined if the sender's description of the
 * file is too long to store, so that later connections cannot download it.
 */
export function referenceTo({ key, keyType, source }: MediaFile): Uint8Array | undefined {
  const field = FIELDS.find(([type]) => type === keyType)?.[1];
  if (!field) return undefined;
  const { id = null, remoteJid = null, participant = null, fromMe = null } = key;
  const { directPath, url, mediaKey, fileSha256, fileLength } = source;
  const named = proto.WebMessageInfo.create({
    key: { id, remoteJid, participant, fromMe },
    message: { [field]: { directPath, url, mediaKey, fileSha256, fileLength } },
  });
  const bytes = proto.WebMessageInfo.encode(named).finish();
  return bytes.length <= MAX_REFERENCE_BYTES ? bytes : undefined;
}

/** Throws if `reference` is malformed. */
export function fileOf(reference: Uint8Array): MediaFile {
  const { key, message } = decode(reference);
  for (const [keyType, field] of FIELDS) {
    const source: MediaSource | null | undefined = message?.[field];
    if (key?.id && source?.mediaKey) return { key, keyType, source };
  }
  throw notReference();
}

function decode(reference: Uint8Array): proto.IWebMessageInfo {
  try {
    return proto.WebMessageInfo.decode(reference);
  } catch (cause) {
    throw notReference(cause);
  }
}

function notReference(cause?: unknown): Error {
  return new Error(
    'The reference names no file of a message: it was made by another gateway, or is damaged.',
    {
      cause,
    },
  );
}
