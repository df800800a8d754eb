import { unsupportedType } from '../../domain/message/media-rules.ts';
import { wantsPreview } from '../../domain/message/link-preview.ts';
import { parseRecipient } from '../../domain/message/recipient.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { messageInput } from '../../inputs/messages.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { checkSendable } from '../media/check-sendable.ts';
import type { SentFile } from '../media/uploads.ts';
import type { CheckedContent } from '../message-kinds/message-kind.ts';
import { asSendable, SENDABLE_KINDS } from '../message-kinds/message-kinds.ts';
import type { SendableKind } from '../message-kinds/message-kinds.ts';

/** The error for `link_preview` if the service makes none. */
const NO_PREVIEWS =
  'Must be left out or false: this service makes no link previews. Its operator can change that (LINK_PREVIEWS, option linkPreviews).';

/** A send request with valid input. Whether the instance or group exists is not checked yet. */
export interface CheckedSend {
  readonly instanceId: string;
  readonly recipient: Recipient;
  /** The id as given, or null; the message may not exist. */
  readonly replyTo: string | null;
  /** Epoch milliseconds; null if the message is not scheduled. Whether it is too late or too early is not checked yet. */
  readonly sendAt: number | null;
  readonly type: SendableKind;
  readonly content: CheckedContent;
}

/** Checks the fields of a send request, and that its file suits its type; see `SentFile` for `upload`. */
export function checkSendInput(
  context: ServiceContext,
  input: unknown,
  upload: SentFile,
): Result<CheckedSend> {
  const common = readInput(messageInput, input);
  if (!common.ok) return common;
  const { instance, to, reply_to: replyTo = null, send_at: sendAt = null } = common.value;
  const type = asSendable(common.value.type);
  if (type === null) return unsupportedType();
  const sendable = checkSendable(context, [type]);
  if (!sendable.ok) return sendable;
  const content = readContent(type, input, upload);
  if (!content.ok) return content;
  const isOff = type === 'text' && context.settings.linkPreviews === 'off';
  if (isOff && wantsPreview(content.value.contentOf(''), 'requested'))
    return invalid({ link_preview: [NO_PREVIEWS] });
  const recipient = parseRecipient(to);
  if (!recipient.ok) return recipient;
  return ok({
    instanceId: instance,
    recipient: recipient.value,
    replyTo,
    sendAt,
    type,
    content: content.value,
  });
}

function readContent(type: SendableKind, input: unknown, upload: SentFile): Result<CheckedContent> {
  const { hasFile, read } = SENDABLE_KINDS[type].sending;
  if (upload !== null && !hasFile)
    return refuse('UNSUPPORTED_MESSAGE_TYPE', `A ${type} message has no file: send it as application/json.`);
  if (upload === null && hasFile)
    return refuse('UNSUPPORTED_MESSAGE_TYPE', 'A media message is sent as multipart/form-data.');
  return read(input, upload);
}
