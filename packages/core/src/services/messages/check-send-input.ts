import {
  checkMediaSize,
  checkMimeType,
  checkVoiceFile,
  unsupportedType,
} from '../../domain/message/media-rules.ts';
import type { MediaType } from '../../domain/message/media-rules.ts';
import { MESSAGE_TYPES } from '../../domain/message/message.ts';
import { captionOf } from '../../domain/message/message-words.ts';
import { parseRecipient } from '../../domain/message/recipient.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { mediaFields, messageInput, NOT_AUDIO, textInput } from '../../inputs/messages.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { checkSendable } from '../media/check-sendable.ts';
import type { SentFile, StoredUpload } from '../media/uploads.ts';

/** A send request with valid input. Whether the instance or group exists is not checked yet. */
export interface CheckedSend {
  readonly instanceId: string;
  readonly recipient: Recipient;
  /** The id as given, or null; the message may not exist. */
  readonly replyTo: string | null;
  readonly content: TextContent | MediaContent;
}

interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

export interface MediaContent {
  readonly type: MediaType;
  readonly caption: string | null;
  /** The name that the client gave, or null. Requests with different names are different requests. */
  readonly givenFilename: string | null;
  readonly upload: StoredUpload;
  /** Whether audio is sent as a recorded voice message. */
  readonly voice: boolean;
}

/** Checks the fields of a send request, and that its file suits its type; see `SentFile` for `upload`. */
export function checkSendInput(
  context: ServiceContext,
  input: unknown,
  upload: SentFile,
): Result<CheckedSend> {
  const common = readInput(messageInput, input);
  if (!common.ok) return common;
  const { instance, to, type, reply_to: replyTo = null } = common.value;
  const knownType = MESSAGE_TYPES.find((known) => known === type);
  if (knownType === undefined) return unsupportedType();
  const sendable = checkSendable(context, [knownType]);
  if (!sendable.ok) return sendable;
  const content = knownType === 'text' ? checkText(input, upload) : checkMedia(knownType, input, upload);
  if (!content.ok) return content;
  const recipient = parseRecipient(to);
  if (!recipient.ok) return recipient;
  return ok({ instanceId: instance, recipient: recipient.value, replyTo, content: content.value });
}

function checkText(input: unknown, upload: SentFile): Result<TextContent> {
  if (upload)
    return refuse('UNSUPPORTED_MESSAGE_TYPE', 'A text message has no file: send it as application/json.');
  const read = readInput(textInput, input);
  return read.ok ? ok({ type: 'text', text: read.value.text }) : read;
}

function checkMedia(type: MediaType, input: unknown, upload: SentFile): Result<MediaContent> {
  if (upload === null)
    return refuse('UNSUPPORTED_MESSAGE_TYPE', 'A media message is sent as multipart/form-data.');
  const read = readInput(mediaFields, input);
  if (!read.ok) return read;
  const { caption, filename, voice = false } = read.value;
  if (voice && type !== 'audio') return invalid({ voice: [NOT_AUDIO] });
  if (upload === 'missing') return invalid({ file: ['Must be given with a media type.'] });
  const mimeType = checkMimeType(type, upload.mimeType);
  if (!mimeType.ok) return mimeType;
  const recording = voice ? checkVoiceFile(upload) : ok(true);
  if (!recording.ok) return recording;
  const size = checkMediaSize(type, upload.size);
  if (!size.ok) return size;
  return ok({
    type,
    caption: captionOf(caption ?? null),
    givenFilename: filename ?? null,
    upload,
    voice,
  });
}
