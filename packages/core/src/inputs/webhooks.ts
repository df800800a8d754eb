import * as z from 'zod';
import { DELIVERY_STATUSES } from '../domain/delivery/delivery.ts';
import type { DeliveryStatus } from '../domain/delivery/delivery.ts';
import { DESCRIPTION_MAX, EVENTS_MAX } from '../domain/endpoint/endpoint.ts';
import type { EndpointStatus } from '../domain/endpoint/endpoint.ts';
import { NAMEABLE_EVENT_TYPES } from '../domain/event/event.ts';
import type { SubscribableEventType } from '../domain/event/event.ts';
import { pageFields, storableText } from './fields.ts';
import type { CheckedPageQuery, PageQuery } from './fields.ts';

const description = storableText(0, DESCRIPTION_MAX).nullable().optional();
const events = z
  .array(z.enum(NAMEABLE_EVENT_TYPES))
  .min(1)
  .max(EVENTS_MAX)
  .refine((names) => new Set(names).size === names.length, 'Must not repeat a name.')
  .meta({ uniqueItems: true });

const traceContext = z.boolean().optional().meta({
  description:
    'Whether each request has the header `traceparent` (W3C Trace Context), where the attempt or its event is traced. False if it is never set.',
});

/** The fields of a new webhook. The URL rules validate `url`, and have their own error code. */
export type WebhookInput = {
  readonly url: string;
  readonly events: readonly SubscribableEventType[];
  readonly description?: string | null | undefined;
  /** Whether each request has the header `traceparent`, where there is a trace. False by default. */
  readonly trace_context?: boolean | undefined;
};
export const webhookInput: z.ZodType<WebhookInput> = z.object({
  url: z.string(),
  events,
  description,
  trace_context: traceContext,
});

export type WebhookChanges = {
  readonly url?: string | undefined;
  readonly events?: readonly SubscribableEventType[] | undefined;
  readonly description?: string | null | undefined;
  readonly status?: EndpointStatus | undefined;
  readonly trace_context?: boolean | undefined;
};
export const webhookChanges: z.ZodType<WebhookChanges> = z.object({
  url: z.string().optional(),
  events: events.optional(),
  description,
  status: z.enum(['enabled', 'disabled']).optional(),
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
