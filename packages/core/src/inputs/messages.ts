import * as z from 'zod';
import {
  CAPTION_MAX,
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  MESSAGE_TYPES,
  TEXT_MAX,
} from '../domain/message/message.ts';
import type { MessageDirection, MessageStatus, MessageType } from '../domain/message/message.ts';
import { optionalField, pageFields, storableText } from './fields.ts';
import type { CheckedPageQuery, PageQuery } from './fields.ts';

/** The fields of every message. `type` has its own rule with its own error code. */
export type MessageInput = {
  readonly instance: string;
  readonly to: string;
  readonly type: string;
  readonly text?: string | undefined;
  readonly reply_to?: string | undefined;
};
export const messageInput: z.ZodType<MessageInput, unknown> = z.object({
  instance: z.string(),
  to: z.string(),
  type: z.string(),
  text: optionalField(z.string()),
  reply_to: optionalField(z.string()),
});

/** The error for `voice` with a type other than audio. */
export const NOT_AUDIO = 'Must be given only with the type audio.';

/** U+0085 is white space in Unicode, but not in JavaScript. */
const NOT_WHITE_SPACE = /[^\s\u0085]/;

export const textInput: z.ZodType<{ readonly text: string }, unknown> = z.object({
  text: storableText(1, TEXT_MAX).refine(
    (text) => NOT_WHITE_SPACE.test(text),
    'Must hold more than white space.',
  ),
  voice: optionalField(z.literal(false, NOT_AUDIO)),
});

/** The fields of a media message, except its file. A `text` is refused: use `caption`. */
export type MediaFields = {
  readonly caption?: string | undefined;
  readonly filename?: string | undefined;
  readonly voice?: boolean | undefined;
};
export const mediaFields: z.ZodType<MediaFields, unknown> = z.object({
  caption: optionalField(storableText(0, CAPTION_MAX)),
  filename: optionalField(z.string()),
  // In a form, every value is a string.
  voice: optionalField(
    z.union(
      [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
      'Must be true or false.',
    ),
  ),
  text: optionalField(z.undefined('Must not be given with a file: use caption.')),
});

type MessageFilterQuery<Status> = {
  /** Only messages of this instance, `ins_…`. */
  readonly instance?: string | undefined;
  /** Only messages that were received, or only those that were sent. */
  readonly direction?: MessageDirection | undefined;
  /** Only messages of this type. */
  readonly type?: MessageType | undefined;
  /** Only messages with this status, or with one of these statuses. */
  readonly status?: Status | undefined;
  /**
   * The other side: a phone number, formatted or not, or the id of a contact or of a group. An addition to the
   * specification.
   */
  readonly counterpart?: string | undefined;
  /**
   * `device`: only messages that were typed on the phone; `any`: all messages. By default, messages from the phone are
   * left out. An addition to the specification.
   */
  readonly origin?: 'device' | 'any' | undefined;
};
/** `status`: one status or a comma-separated list. */
export type MessageQuery = MessageFilterQuery<string> & PageQuery;
export type CheckedMessageQuery = MessageFilterQuery<readonly MessageStatus[]> & CheckedPageQuery;
export const messageQuery: z.ZodType<CheckedMessageQuery, unknown> = z.object({
  instance: z.string().min(1).max(40).optional(),
  direction: z.enum(MESSAGE_DIRECTIONS).optional(),
  type: z.enum(MESSAGE_TYPES).optional(),
  status: z
    .string()
    .min(1)
    .max(120)
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(MESSAGE_STATUSES)))
    .transform((statuses) => [...new Set(statuses)].toSorted())
    .optional(),
  counterpart: z.string().min(1).max(64).optional(),
  origin: z.enum(['device', 'any']).optional(),
  ...pageFields,
});
