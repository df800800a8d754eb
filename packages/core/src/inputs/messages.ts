import * as z from 'zod';
import { MESSAGE_DIRECTIONS, MESSAGE_STATUSES, MESSAGE_TYPES } from '../domain/message/message.ts';
import type { MessageDirection, MessageStatus, MessageType } from '../domain/message/message.ts';
import { optionalField, pageFields, timeField } from './fields.ts';
import type { CheckedPageQuery, PageQuery } from './fields.ts';

/** The fields of every message. `type` and `kind`, of which one is required, have their own rule with its own error code. */
export type MessageInput = {
  readonly instance: string;
  readonly to: string;
  readonly type?: string | undefined;
  readonly kind?: string | undefined;
  readonly text?: string | undefined;
  readonly reply_to?: string | undefined;
  /** Epoch milliseconds. */
  readonly send_at?: number | undefined;
};
export const messageInput: z.ZodType<MessageInput, unknown> = z
  .object({
    instance: z.string(),
    to: z.string(),
    type: optionalField(z.string()),
    kind: optionalField(z.string()),
    text: optionalField(z.string()),
    reply_to: optionalField(z.string()),
    send_at: optionalField(timeField()),
  })
  .refine(({ type, kind }) => (type ?? kind ?? null) !== null, {
    path: ['type'],
    error: 'Is required.',
    // Also next to other errors.
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

const QUERY_MAX = 100;

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
  /**
   * Words to search for, 1 to 100 characters, or the id of a message. Each word must begin a word of the message's text,
   * caption or file name, of the name of the other side, or the other side's number. An addition to the specification.
   */
  readonly q?: string | undefined;
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
  q: z.string().min(1).max(QUERY_MAX).optional(),
  ...pageFields,
});

/** Selects a page of the scheduled messages. */
export type ScheduledQuery = Pick<MessageQuery, 'instance' | 'limit' | 'cursor'>;
type CheckedScheduledQuery = Pick<CheckedMessageQuery, 'instance' | 'limit' | 'cursor'>;
export const scheduledQuery: z.ZodType<CheckedScheduledQuery, unknown> = z.object({
  instance: z.string().min(1).max(40).optional(),
  limit: pageFields.limit,
  cursor: pageFields.cursor,
});
