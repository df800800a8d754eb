import * as z from 'zod';
import { DELIVERY_STATUSES } from '../domain/delivery/delivery.ts';
import type { DeliveryStatus } from '../domain/delivery/delivery.ts';
import { DESCRIPTION_MAX, EVENTS_MAX } from '../domain/endpoint/endpoint.ts';
import type { EndpointStatus } from '../domain/endpoint/endpoint.ts';
import { NAMEABLE_EVENT_TYPES } from '../domain/event/event.ts';
import type { SubscribableEventType } from '../domain/event/event.ts';
import { optionalField, pageFields, storableText } from './fields.ts';
import type { CheckedPageQuery, PageQuery, WithoutNulls } from './fields.ts';

const description = storableText(0, DESCRIPTION_MAX).nullable().optional();
const events = z
  .array(z.enum(NAMEABLE_EVENT_TYPES))
  .min(1)
  .max(EVENTS_MAX)
  .refine((names) => new Set(names).size === names.length, 'Must not repeat a name.')
  .meta({ uniqueItems: true });

const traceContext = optionalField(z.boolean()).meta({
  description:
    'Whether each request has the header `traceparent` (W3C Trace Context), where the attempt or its event is traced. False if it is never set.',
});

/** The fields of a new webhook. The URL rules validate `url`, and have their own error code. */
export type WebhookInput = {
  readonly url: string;
  readonly events: readonly SubscribableEventType[];
  readonly description?: string | null | undefined;
  /** Whether each request has the header `traceparent`, if there is a trace. False by default. */
  readonly trace_context?: boolean | null | undefined;
};
export const webhookInput: z.ZodType<WithoutNulls<WebhookInput, 'trace_context'>, unknown> = z.object({
  url: z.string(),
  events,
  description,
  trace_context: traceContext,
});

export type WebhookChanges = {
  readonly url?: string | null | undefined;
  readonly events?: readonly SubscribableEventType[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly status?: EndpointStatus | null | undefined;
  readonly trace_context?: boolean | null | undefined;
};
export type CheckedWebhookChanges = WithoutNulls<
  WebhookChanges,
  'url' | 'events' | 'status' | 'trace_context'
>;
export const webhookChanges: z.ZodType<CheckedWebhookChanges, unknown> = z.object({
  url: optionalField(z.string()),
  events: optionalField(events),
  description,
  status: optionalField(z.enum(['enabled', 'disabled'])),
  trace_context: traceContext,
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
  ...pageFields,
});
