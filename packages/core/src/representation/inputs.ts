import * as z from 'zod';
import { SUBSCRIBABLE_EVENT_TYPES } from '../domain/event/event.ts';
import type { SubscribableEventType } from '../domain/event/event.ts';
import { DELIVERY_STATUSES } from '../domain/delivery/delivery.ts';
import type { DeliveryStatus } from '../domain/delivery/delivery.ts';
import { INSTANCE_NAME_MAX } from '../domain/instance/instance-name.ts';
import { MESSAGE_DIRECTIONS, MESSAGE_STATUSES, MESSAGE_TYPES } from '../domain/message/message.ts';
import type { MessageDirection, MessageStatus, MessageType } from '../domain/message/message.ts';
import { CAPTION_MAX, TEXT_MAX } from '../domain/message/message-limits.ts';
import type { EndpointStatus } from '../domain/webhook/endpoint.ts';
import { DESCRIPTION_MAX, EVENTS_MAX } from '../domain/webhook/endpoint-limits.ts';

/** Page size (specification, "Limits"). */
const PAGE_LIMIT_MAX = 100;
const PAGE_LIMIT_DEFAULT = 25;

/** Text that every database can store: well-formed Unicode without NUL, counted in code points. */
function storableText(min: number, max: number): z.ZodType<string, string> {
  return z
    .string()
    .refine(
      (text) => text.isWellFormed() && !text.includes('\0'),
      'Must be well-formed Unicode without NUL characters.',
    )
    .refine((text) => codePoints(text) <= max, `Must have at most ${max} characters.`)
    .refine((text) => codePoints(text) >= min, `Must have at least ${min} character${min === 1 ? '' : 's'}.`)
    .meta({ minLength: min, maxLength: max }); // JSON Schema counts code points too
}

function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; count++) i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

const notBlank = (text: string): boolean => text.trim() !== '';

export type InstanceInput = { readonly name?: string | undefined };
export const instanceInput: z.ZodType<InstanceInput> = z.object({
  name: z
    .string()
    .transform((name) => name.trim())
    .pipe(storableText(1, INSTANCE_NAME_MAX))
    .optional(),
});

/** `pairing_phone_number`: formatted or not, the phone that is to type a code instead of scanning the QR. */
export type ConnectInput = { readonly pairing_phone_number?: string | null | undefined };
export const connectInput: z.ZodType<ConnectInput> = z.object({
  pairing_phone_number: z.string().nullable().optional(),
});

/** What every message has. `type` is judged by its own rule, which has a code of its own. */
export type MessageInput = {
  readonly instance: string;
  readonly to: string;
  readonly type: string;
  readonly text?: string | undefined;
};
export const messageInput: z.ZodType<MessageInput> = z.object({
  instance: z.string(),
  to: z.string(),
  type: z.string(),
  text: z.string().optional(),
});

export const textInput: z.ZodType<{ readonly text: string }> = z.object({
  text: storableText(1, TEXT_MAX).refine(notBlank, 'Must hold more than white space.'),
});

/** What a media message has beside its file. A given `text` is refused: the words with a file are its caption. */
export type MediaFields = { readonly caption?: string | undefined; readonly filename?: string | undefined };
export const mediaFields: z.ZodType<MediaFields> = z.object({
  caption: storableText(0, CAPTION_MAX).optional(),
  filename: z.string().optional(),
  text: z.undefined('Must not be given with a file: use caption.').optional(),
});

const description = storableText(0, DESCRIPTION_MAX).nullable().optional();
const events = z
  .array(z.enum(SUBSCRIBABLE_EVENT_TYPES))
  .min(1)
  .max(EVENTS_MAX)
  .refine((names) => new Set(names).size === names.length, 'Must not repeat a name.')
  .meta({ uniqueItems: true });

/** `url` is judged by the URL rules, which have a code of their own. */
export type WebhookInput = {
  readonly url: string;
  readonly events: readonly SubscribableEventType[];
  readonly description?: string | null | undefined;
};
export const webhookInput: z.ZodType<WebhookInput> = z.object({ url: z.string(), events, description });

export type WebhookChanges = {
  readonly url?: string | undefined;
  readonly events?: readonly SubscribableEventType[] | undefined;
  readonly description?: string | null | undefined;
  readonly status?: EndpointStatus | undefined;
};
export const webhookChanges: z.ZodType<WebhookChanges> = z.object({
  url: z.string().optional(),
  events: events.optional(),
  description,
  status: z.enum(['enabled', 'disabled']).optional(),
});

const limit = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^[0-9]{1,9}$/)
        .transform(Number),
    ],
    'Must be a whole number.',
  )
  .pipe(z.int().min(1).max(PAGE_LIMIT_MAX))
  .default(PAGE_LIMIT_DEFAULT);
const cursor = z.string().min(1).max(512).optional();

/** A page of a list; both may come as the text of a query parameter. */
type PageQuery = { readonly limit?: number | string | undefined; readonly cursor?: string | undefined };
type CheckedPageQuery = { readonly limit: number; readonly cursor?: string | undefined };

type MessageFilterQuery<Status> = {
  readonly instance?: string | undefined;
  readonly direction?: MessageDirection | undefined;
  readonly type?: MessageType | undefined;
  readonly status?: Status | undefined;
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
  limit,
  cursor,
});

type DeliveryFilterQuery = {
  readonly status?: DeliveryStatus | undefined;
  readonly event?: string | undefined;
};
export type DeliveryQuery = DeliveryFilterQuery & PageQuery;
export type CheckedDeliveryQuery = DeliveryFilterQuery & CheckedPageQuery;
export const deliveryQuery: z.ZodType<CheckedDeliveryQuery, unknown> = z.object({
  status: z.enum(DELIVERY_STATUSES).optional(),
  event: z.string().min(1).max(40).optional(),
  limit,
  cursor,
});
