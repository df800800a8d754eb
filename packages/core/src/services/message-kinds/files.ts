import * as z from 'zod';
import { mediaFilename } from '../../domain/message/media-filename.ts';
import {
  checkMediaSize,
  checkMimeType,
  checkStickerFile,
  checkVoiceFile,
} from '../../domain/message/media-rules.ts';
import type { MediaType } from '../../domain/message/media-rules.ts';
import { CAPTION_MAX } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import { captionOf } from '../../domain/message/message-words.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { absentField, optionalField, storableText } from '../../inputs/fields.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { OutgoingContent, OutgoingDetail, OutgoingFile } from '../../ports/gateway.ts';
import type { SentFile, StoredUpload, Upload } from '../media/uploads.ts';
import { mentionsField, NO_WORDS, noMentions, storedMentions } from './mentions.ts';
import { noWords } from './message-kind.ts';
import type { CheckedContent, KindRules, SendableKindRules } from './message-kind.ts';
import type { CommonSendInput, Mentions } from './send-input.ts';

/**
 * A media message. The service detects the type of the file from its content; a document whose content does not show a
 * format keeps its declared type.
 */
export interface SendMediaInput extends CommonSendInput, Mentions {
  /** The type that the recipient sees, which has to fit the content of the file. */
  readonly type: MediaType;
  /** The content: a `Blob` (`openAsBlob` of `node:fs`), a stream, or a file that `upload` has stored. */
  readonly file: Blob | ReadableStream<Uint8Array> | Upload;
  /** The text below the file, at most 1,024 characters. */
  readonly caption?: string | null | undefined;
  /** The file name that the recipient sees; by default, the service makes one. */
  readonly filename?: string | null | undefined;
  /** True shows an audio file as a recorded voice message. The file must be Opus in Ogg. */
  readonly voice?: boolean | null | undefined;
}

/** A sticker, which recipients see without a frame and without a text. */
export interface SendStickerInput extends CommonSendInput {
  /** Always `sticker`. */
  readonly kind: 'sticker';
  /** `image`, which stickers have as their `type`. May be left out. */
  readonly type?: 'image' | null | undefined;
  /** The picture: WebP, which may be animated, at most 1 MB. Apps expect 512 by 512 pixels. Otherwise as in a media message. */
  readonly file: SendMediaInput['file'];
  /** The file name; by default, the service makes one. */
  readonly filename?: string | null | undefined;
}

/** The error for `voice` with a type other than audio. */
export const NOT_AUDIO = 'Must be given only with the type audio.';

type MediaFields = {
  readonly caption?: string | undefined;
  readonly filename?: string | undefined;
  readonly voice?: boolean | undefined;
  readonly mentions?: readonly string[] | undefined;
};
/** The fields of a media message, except its file. A `text` is refused: use `caption`. */
const mediaFields: z.ZodType<MediaFields, unknown> = z.object({
  caption: optionalField(storableText(0, CAPTION_MAX)),
  filename: optionalField(z.string()),
  // In a form, every value is a string.
  voice: optionalField(
    z.union(
      [z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')],
      'Must be true or false.',
    ),
  ),
  text: absentField('Must not be given with a file: use caption.'),
  mentions: mentionsField,
});

/** The fields of a sticker, except its file. */
const stickerFields: z.ZodType<{ readonly filename?: string | undefined }, unknown> = z.object({
  filename: optionalField(z.string()),
  caption: absentField('Must not be given with a sticker, which has no caption.'),
  text: absentField('Must not be given with a sticker, which has no text.'),
  mentions: noMentions,
});

const captioned = z.strictObject({ mentions: storedMentions }).nullable();

export const image: SendableKindRules<'image'> = fileKind('image', captioned);
export const document: SendableKindRules<'document'> = fileKind('document', captioned);
export const video: SendableKindRules<'video'> = fileKind('video', captioned);
export const audio: SendableKindRules<'audio'> = fileKind('audio', null);

export const sticker: SendableKindRules<'sticker'> = {
  payload: z.strictObject({ animated: z.boolean() }),
  words: noWords,
  sending: {
    capability: 'stickers',
    type: 'image',
    input: stickerFields,
    hasFile: true,
    read: readSticker,
    outgoing: (message, open) => ({
      content: outgoingFile('image', message, open),
      // Stored with this kind.
      detail: { kind: 'sticker', payload: message.payload } as OutgoingDetail,
    }),
  },
};

const recording = z.strictObject({ seconds: z.number().nullable() });

/** Sent as an audio with `voice`. */
export const voice: KindRules<'voice'> = { payload: recording, words: noWords, sending: audio.sending };

export const videoNote: KindRules<'video_note'> = { payload: recording, words: noWords, sending: null };

function fileKind<Type extends MediaType>(
  type: Type,
  payload: SendableKindRules<Type>['payload'],
): SendableKindRules<Type> {
  return {
    payload,
    words: noWords,
    sending: {
      capability: type,
      type,
      input: mediaFields,
      hasFile: true,
      read: (input, file) => readFile(type, input, file),
      outgoing: (message, open) => ({ content: outgoingFile(type, message, open) }),
    },
  };
}

function readFile(type: MediaType, input: unknown, file: SentFile): Result<CheckedContent> {
  const read = readInput(mediaFields, input);
  if (!read.ok) return read;
  const { filename: givenName = null, voice: isVoice = false, mentions } = read.value;
  const caption = captionOf(read.value.caption ?? null);
  if (isVoice && type !== 'audio') return invalid({ voice: [NOT_AUDIO] });
  if (mentions && (caption === null || type === 'audio')) return invalid({ mentions: [NO_WORDS] });
  if (file === null || file === 'missing') return NO_FILE;
  const suits = checkMimeType(type, file.mimeType);
  if (!suits.ok) return suits;
  const playable = isVoice ? checkVoiceFile(file) : ok(true);
  if (!playable.ok) return playable;
  const fits = checkMediaSize(type, file.size);
  if (!fits.ok) return fits;
  return ok({
    // Requests that give the file different names are different requests.
    fingerprint: [caption, givenName, file.sha256, isVoice, ...(mentions ?? [])],
    mentions,
    contentOf: (messageId) => ({
      type,
      ...(isVoice
        ? { kind: 'voice', payload: { seconds: null } }
        : { kind: type, payload: mentions ? { mentions } : null }),
      text: null,
      caption,
      media: storedMedia({ type, messageId, givenName }, file),
    }),
  });
}

const NO_FILE = invalid({ file: ['Must be given with a media type.'] });

function readSticker(input: unknown, file: SentFile): Result<CheckedContent> {
  const read = readInput(stickerFields, input);
  if (!read.ok) return read;
  const { filename: givenName = null } = read.value;
  if (file === null || file === 'missing') return NO_FILE;
  const suits = checkStickerFile(file);
  if (!suits.ok) return suits;
  return ok({
    fingerprint: [givenName, file.sha256],
    contentOf: (messageId) => ({
      type: 'image',
      kind: 'sticker',
      payload: { animated: file.isAnimated === true },
      text: null,
      caption: null,
      media: storedMedia({ type: 'image', messageId, givenName }, file),
    }),
  });
}

function storedMedia(
  {
    type,
    messageId,
    givenName,
  }: { readonly type: MediaType; readonly messageId: string; readonly givenName: string | null },
  { contentId, mimeType, extension, size, sha256 }: StoredUpload,
): Message['media'] {
  return {
    available: true,
    mimeType,
    size,
    filename: mediaFilename(givenName, { type, messageId, extension }),
    sha256,
    uploadId: contentId,
  };
}

function outgoingFile(
  type: MediaType,
  { id, kind, caption, media }: Message,
  open: OutgoingFile['open'],
): OutgoingContent {
  if (media === null) throw new Error(`The message ${id} of the type ${type} has no file.`);
  const { mimeType, filename, size } = media;
  return {
    type,
    caption,
    ...(kind === 'voice' && { voice: true }),
    file: { mimeType, filename, size: size ?? 0, open },
  };
}
