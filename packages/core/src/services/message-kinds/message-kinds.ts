import type { MessageKind, MessageKindAndPayload, MessagePayloads } from '@trunkline/receiver';
import * as z from 'zod';
import { CALL_CAPABILITIES } from '../../domain/instance/instance-call.ts';
import type { Capability } from '../../domain/instance/instance.ts';
import { ACTION_CAPABILITIES } from '../../domain/message/message-action.ts';
import type { MediaType } from '../../domain/message/media-rules.ts';
import { contact } from './contact.ts';
import type { SendContactInput } from './contact.ts';
import { event } from './event.ts';
import { audio, document, image, sticker, video, videoNote, voice } from './files.ts';
import type { SendMediaInput, SendStickerInput } from './files.ts';
import { buttonReply, formReply, interactive, listReply } from './interactive.ts';
import { liveLocation, location } from './location.ts';
import type { SendLocationInput } from './location.ts';
import type { KindRules, SendableKindRules } from './message-kind.ts';
import { order } from './order.ts';
import { poll } from './poll.ts';
import type { SendPollInput } from './poll.ts';
import { text } from './text.ts';
import type { SendTextInput } from './text.ts';

/** The kinds that callers can send. */
export type SendableKind = 'text' | MediaType | 'location' | 'contact' | 'poll' | 'sticker';

export const SENDABLE_KINDS: { readonly [Kind in SendableKind]: SendableKindRules<Kind> } = {
  text,
  image,
  document,
  audio,
  video,
  location,
  contact,
  poll,
  sticker,
};

export const CAPABILITIES: readonly Capability[] = [
  ...Object.values(SENDABLE_KINDS).map(({ sending }) => sending.capability),
  'mentions',
  'groups',
  ...Object.values(ACTION_CAPABILITIES),
  ...CALL_CAPABILITIES,
];

/** Null for anything that is not the kind of a send request. */
export function asSendable(kind: string): SendableKind | null {
  return Object.hasOwn(SENDABLE_KINDS, kind) ? (kind as SendableKind) : null; // the table has no other keys
}

/** A message to send. */
export type SendInput =
  SendTextInput | SendMediaInput | SendLocationInput | SendContactInput | SendPollInput | SendStickerInput;

/** All kinds of messages, those that callers send and those that only arrive. */
export const KIND_RULES: { readonly [Kind in MessageKind]: KindRules<Kind> } = {
  text,
  image,
  document,
  video,
  audio,
  sticker,
  voice,
  video_note: videoNote,
  location,
  live_location: liveLocation,
  contact,
  button_reply: buttonReply,
  list_reply: listReply,
  form_reply: formReply,
  interactive,
  poll,
  order,
  event,
};

export const MESSAGE_KINDS: readonly MessageKind[] = Object.keys(KIND_RULES) as MessageKind[]; // the table has no other keys

/** A text for a message whose kind has none, for apps and people who read only texts; empty for the other kinds. */
export function kindText<Kind extends MessageKind>({
  kind,
  payload,
}: {
  readonly kind: Kind;
  readonly payload: MessagePayloads[Kind];
}): string {
  return KIND_RULES[kind].words(payload);
}

/** A kind with its payload, as given by a caller other than a gateway. */
export const messageDetail: z.ZodType<MessageKindAndPayload, unknown> = z
  .object({ kind: z.enum(MESSAGE_KINDS), payload: z.unknown() })
  .transform(({ kind, payload }, context): MessageKindAndPayload => {
    const read = (KIND_RULES[kind].payload ?? z.null()).safeParse(payload);
    if (read.success) return { kind, payload: read.data } as MessageKindAndPayload; // checked by the schema of its kind
    for (const { message } of read.error.issues)
      context.addIssue(`The payload of the kind ${kind}: ${message}`);
    return z.NEVER;
  });
