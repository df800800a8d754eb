import { ok, refuse } from '../result.ts';
import type { Refusal, Result } from '../result.ts';

export const MEDIA_TYPES = ['image', 'document', 'audio', 'video'] as const;
/** The types of messages with a file. */
export type MediaType = (typeof MEDIA_TYPES)[number];

const MB = 1_048_576;

/** The largest file of each type, in bytes. */
export const MEDIA_SIZE_MAX: Readonly<Record<MediaType, number>> = {
  image: 5 * MB,
  audio: 16 * MB,
  video: 16 * MB,
  document: 100 * MB,
};

export const LARGEST_MEDIA_SIZE: number = Math.max(...Object.values(MEDIA_SIZE_MAX));

/** The refusal of a message type that is unknown, or that the gateway cannot send. */
export function unsupportedType(): { ok: false; refusal: Refusal } {
  return refuse(
    'UNSUPPORTED_MESSAGE_TYPE',
    'This message type is unknown or not supported by the instance, whose capabilities list those that it can send.',
  );
}

/** The refusal of a file that the gateway could send, in a service without a media store. */
export function noPlaceForFiles(): { ok: false; refusal: Refusal } {
  return refuse(
    'UNSUPPORTED_MESSAGE_TYPE',
    'Files cannot be sent, because this service has no media store: give nodeRuntime the option `mediaDirectory`, or createTrunkline the option `media`.',
  );
}

/** Null for anything that is not a type of media. */
export function asMediaType(type: unknown): MediaType | null {
  return MEDIA_TYPES.find((known) => known === type) ?? null;
}

/** The type of media that a request sends: by its kind, if it has one. Null for anything else. A sticker is an image. */
export function requestedMediaType({
  type,
  kind,
}: {
  readonly type?: unknown;
  readonly kind?: unknown;
}): MediaType | null {
  return kind === 'sticker' ? 'image' : asMediaType(kind ?? type);
}

/** The file types of each message type; a document can be any file. */
const MIME_TYPES: Readonly<Record<MediaType, readonly string[] | null>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  audio: ['audio/aac', 'audio/mp4', 'audio/mpeg', 'audio/amr', 'audio/ogg', 'audio/3gpp'],
  video: ['video/mp4', 'video/3gpp'],
  document: null,
};

/** The audio types of video files that have no video track. */
export const AUDIO_ALONE: ReadonlyMap<
  string,
  { readonly mimeType: string; readonly extension: string; readonly isCertain: true }
> = new Map([
  ['video/mp4', { mimeType: 'audio/mp4', extension: 'm4a', isCertain: true }],
  ['video/3gpp', { mimeType: 'audio/3gpp', extension: '3gp', isCertain: true }],
]);

/** `image`, `audio` or `video`; null for any other type. */
export function mediaFamily(mimeType: string): Exclude<MediaType, 'document'> | null {
  const family = asMediaType(mimeType.split('/', 1)[0]);
  return family === 'document' ? null : family;
}

/** The registered names of types that detectors and networks name differently. */
const REGISTERED_NAMES: ReadonlyMap<string, string> = new Map([
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-aac', 'audio/aac'],
  ['audio/opus', 'audio/ogg'],
  ['application/ogg', 'audio/ogg'],
  ['video/x-m4v', 'video/mp4'],
]);

/** The type of a file about which nothing is known (RFC 2046 section 4.5.1). */
export const UNKNOWN_MIME_TYPE = 'application/octet-stream';

/** Type and subtype (RFC 6838 section 4.2). */
const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/**
 * The registered name of a MIME type, without parameters: `audio/mp4` for `audio/x-m4a`. An invalid type, which a
 * network may deliver, becomes the unknown type.
 */
export function registeredMimeType(mimeType: string): string {
  const bare = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!MIME_TYPE.test(bare)) return UNKNOWN_MIME_TYPE;
  return REGISTERED_NAMES.get(bare) ?? bare;
}

/** Whether a file of this (registered) MIME type may be sent as this type of message. */
export function checkMimeType(type: MediaType, mimeType: string): Result<string> {
  const accepted = MIME_TYPES[type];
  return accepted === null || accepted.includes(mimeType)
    ? ok(mimeType)
    : refuse(
        'INVALID_MEDIA_TYPE',
        `A file of type ${mimeType} cannot be sent as ${type}; ${accepted.join(', ')} can.`,
      );
}

/**
 * The same as `checkMimeType`, for a file of which only the beginning is known: a video may still turn out to be audio.
 */
export function checkBeginning(type: MediaType, mimeType: string): Result<string> {
  const checked = checkMimeType(type, mimeType);
  const audio = AUDIO_ALONE.get(mimeType);
  return checked.ok || audio === undefined ? checked : checkMimeType(type, audio.mimeType);
}

/** WhatsApp's apps play only Opus in Ogg as a voice message. The extension is that of the detected type. */
export function checkVoiceFile({
  mimeType,
  extension,
}: {
  readonly mimeType: string;
  readonly extension: string;
}): Result<true> {
  return mimeType === 'audio/ogg' && extension === 'opus'
    ? ok(true)
    : refuse(
        'INVALID_MEDIA_TYPE',
        `A voice message must be Opus in an Ogg file (audio/ogg); this file is ${mimeType}. Convert it, or send it without voice.`,
      );
}

/** In bytes. WhatsApp's apps show no larger ones. */
const STICKER_SIZE_MAX = MB;

/** Stickers are WebP, animated or not. */
export function checkStickerFile({
  mimeType,
  size,
}: {
  readonly mimeType: string;
  readonly size: number;
}): Result<true> {
  if (mimeType !== 'image/webp')
    return refuse(
      'INVALID_MEDIA_TYPE',
      `A sticker must be image/webp; this file is ${mimeType}. Convert it.`,
    );
  return size <= STICKER_SIZE_MAX ? ok(true) : mediaTooLarge(STICKER_SIZE_MAX);
}

export function checkMediaSize(type: MediaType, size: number): Result<number> {
  return size <= MEDIA_SIZE_MAX[type] ? ok(size) : mediaTooLarge(MEDIA_SIZE_MAX[type]);
}

export function mediaTooLarge(limit: number): { ok: false; refusal: Refusal } {
  return refuse('MEDIA_TOO_LARGE', `The file is larger than ${limit} bytes.`);
}

const MEDIA_ID = /^[A-Za-z0-9_]{3,64}$/;

/**
 * Returns the id of a stored file, or throws a TypeError if it is invalid, because media stores use ids in paths and
 * addresses.
 */
export function checkMediaId(id: string): string {
  if (!MEDIA_ID.test(id)) {
    throw new TypeError(
      `${JSON.stringify(id)} is not a media id, which must be 3 to 64 letters, digits and underscores.`,
    );
  }
  return id;
}
