import * as z from 'zod';
import { DELIVERY_STATUSES } from '../domain/delivery/delivery.ts';
import type { DeliveryStatus } from '../domain/delivery/delivery.ts';
import {
  DESCRIPTION_MAX,
  EVENTS_MAX,
  INSTANCES_MAX,
  SECRET_AFTER_MAX_S,
} from '../domain/endpoint/endpoint.ts';
import type { EndpointStatus } from '../domain/endpoint/endpoint.ts';
import { NAMEABLE_EVENT_TYPES } from '../domain/event/event.ts';
import type { SubscribableEventType } from '../domain/event/event.ts';
import { isId } from '../domain/id.ts';
import { optionalField, pageFields, storableText } from './fields.ts';
import type { CheckedPageQuery, PageQuery, WithoutNulls } from './fields.ts';

const description = storableText(0, DESCRIPTION_MAX).nullable().optional();
const events = z
  .array(z.enum(NAMEABLE_EVENT_TYPES))
  .min(1)
  .max(EVENTS_MAX)
  .refine((names) => new Set(names).size === names.length, 'Must not repeat a name.')
  .meta({ uniqueItems: true });

const instances = z
  .array(z.string().refine((id) => isId('ins', id), 'Must be ids of instances, ins_….'))
  .min(1)
  .max(INSTANCES_MAX)
  .refine((ids) => new Set(ids).size === ids.length, 'Must not repeat an id.')
  .nullable()
  .optional()
  .meta({
    uniqueItems: true,
    description: 'The instances whose events are sent; null, the default, for all.',
  });

const traceContext = optionalField(z.boolean()).meta({
  description:
    'Whether each request has the header `traceparent` (W3C Trace Context), where the attempt or its event is traced. False if it is never set.',
});

/** The fields of a new webhook. The URL rules validate `url`, and have their own error code. */
export type WebhookInput = {
  /**
   * Where events are sent: an https URL of a public host, at most 2,048 characters, unless `urlPolicy` or
   * `webhookAllow` permit other URLs.
   */
  readonly url: string;
  /** The event types to send, 1 to 20. */
  readonly events: readonly SubscribableEventType[];
  /** The ids of the instances whose events are sent, at most 100; null, the default, for all. */
  readonly instances?: readonly string[] | null | undefined;
  /** A note of at most 255 characters. By default null. */
  readonly description?: string | null | undefined;
  /** Whether each request has the header `traceparent`, if there is a trace. False by default. */
  readonly trace_context?: boolean | null | undefined;
};
export const webhookInput: z.ZodType<WithoutNulls<WebhookInput, 'trace_context'>, unknown> = z.object({
  url: z.string(),
  events,
  instances,
  description,
  trace_context: traceContext,
});

/**
 * The fields of a webhook to change. Fields that are absent or, except for `instances` and `description`, null keep their
 * values.
 */
export type WebhookChanges = {
  /** The new URL; the rules of new webhooks apply. */
  readonly url?: string | null | undefined;
  /** The event types that replace the current ones, 1 to 20. */
  readonly events?: readonly SubscribableEventType[] | null | undefined;
  /** The ids of the instances whose events are sent from now on, at most 100; null for all. */
  readonly instances?: readonly string[] | null | undefined;
  /** A note of at most 255 characters; null removes it. */
  readonly description?: string | null | undefined;
  /** `enabled` also clears the record of failures. Nothing is delivered to a `disabled` endpoint. */
  readonly status?: EndpointStatus | null | undefined;
  /** Whether each request has the header `traceparent`, if there is a trace. */
  readonly trace_context?: boolean | null | undefined;
};
export type CheckedWebhookChanges = WithoutNulls<
  WebhookChanges,
  'url' | 'events' | 'status' | 'trace_context'
>;
export const webhookChanges: z.ZodType<CheckedWebhookChanges, unknown> = z.object({
  url: optionalField(z.string()),
  events: optionalField(events),
  instances,
  description,
  status: optionalField(z.enum(['enabled', 'disabled'])),
  trace_context: traceContext,
});

/** When a new secret replaces the current one. */
export type SecretRotation = {
  /**
   * The seconds until the new secret begins to sign, at most a week (604,800), so that receivers can learn it first. By
   * default 0: it signs immediately.
   */
  readonly after_seconds?: number | null | undefined;
};
export const secretRotation: z.ZodType<WithoutNulls<SecretRotation, 'after_seconds'>, unknown> = z.object({
  after_seconds: optionalField(z.int().min(0).max(SECRET_AFTER_MAX_S)),
});

type DeliveryFilterQuery = {
  /** Only deliveries with this status. */
  readonly status?: DeliveryStatus | undefined;
  /** Only deliveries of this type of event. An unknown type matches no delivery. */
  readonly event?: string | undefined;
};
/** Selects a page of the deliveries of an endpoint. */
export type DeliveryQuery = DeliveryFilterQuery & PageQuery;
export type CheckedDeliveryQuery = DeliveryFilterQuery & CheckedPageQuery;
export const deliveryQuery: z.ZodType<CheckedDeliveryQuery, unknown> = z.object({
  status: z.enum(DELIVERY_STATUSES).optional(),
  event: z.string().min(1).max(40).optional(),
  ...pageFields,
});
