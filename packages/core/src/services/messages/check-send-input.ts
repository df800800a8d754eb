import { unsupportedType } from '../../domain/message/media-rules.ts';
import { wantsPreview } from '../../domain/message/link-preview.ts';
import { MESSAGE_TYPES } from '../../domain/message/message.ts';
import { parseRecipient } from '../../domain/message/recipient.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { messageInput } from '../../inputs/messages.ts';
import type { MessageInput } from '../../inputs/messages.ts';
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
  readonly kind: SendableKind;
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
  const { instance, to, type, reply_to: replyTo = null, send_at: sendAt = null } = common.value;
  const kind = kindOf(common.value);
  if (kind === null) return unsupportedType();
  const { capability, type: ownType } = SENDABLE_KINDS[kind].sending;
  if (type !== undefined && type !== ownType)
    return invalid({ type: [`Must be ${ownType} with the kind ${kind}, or be left out.`] });
  const sendable = checkSendable(context, [capability]);
  if (!sendable.ok) return sendable;
  const content = readContent(kind, input, upload);
  if (!content.ok) return content;
  if (content.value.mentions) {
    const mentionable = checkSendable(context, ['mentions']);
    if (!mentionable.ok) return mentionable;
  }
  const isOff = kind === 'text' && context.settings.linkPreviews === 'off';
  if (isOff && wantsPreview(content.value.contentOf(''), 'requested'))
    return invalid({ link_preview: [NO_PREVIEWS] });
  const recipient = parseRecipient(to);
  if (!recipient.ok) return recipient;
  return ok({
    instanceId: instance,
    recipient: recipient.value,
    replyTo,
    sendAt,
    kind,
    content: content.value,
  });
}

/** The kind of a message to send, which a request names by its type if it is the same; null if it is unknown. */
function kindOf({ type = '', kind }: MessageInput): SendableKind | null {
  return asSendable(kind ?? MESSAGE_TYPES.find((known) => known === type) ?? '');
}

function readContent(kind: SendableKind, input: unknown, upload: SentFile): Result<CheckedContent> {
  const { hasFile, read } = SENDABLE_KINDS[kind].sending;
  if (upload !== null && !hasFile)
    return refuse('UNSUPPORTED_MESSAGE_TYPE', `A ${kind} message has no file: send it as application/json.`);
  if (upload === null && hasFile)
    return refuse(
      'UNSUPPORTED_MESSAGE_TYPE',
      kind === 'sticker'
        ? 'A sticker is sent as multipart/form-data.'
        : 'A media message is sent as multipart/form-data.',
    );
  return read(input, upload);
}
