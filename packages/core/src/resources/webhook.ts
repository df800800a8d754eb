import { DELIVERY_HEADER, EVENT_HEADER, STANDARD_ID_HEADER } from '@trunkline/receiver';
import type { Attempt, Delivery, DeliveryErrorCode, DeliveryStatus } from '../domain/delivery/delivery.ts';
import { waitingOf } from '../domain/delivery/waiting.ts';
import type { LanePosition, WaitingReason } from '../domain/delivery/waiting.ts';
import { signingSecret } from '../domain/endpoint/endpoint-secret.ts';
import type { DisabledReason, Endpoint, EndpointStatus } from '../domain/endpoint/endpoint.ts';
import { disablingTime } from '../domain/endpoint/failing-policy.ts';
import type { EventType, SubscribableEventType } from '../domain/event/event.ts';
import type { EventData } from './event.ts';
import { timestamp, timestampOrNull } from './time.ts';

/** Webhook endpoint of the REST API (specification, "Webhook endpoint"). */
export interface WebhookResource {
  /** `wh_…` */
  readonly id: string;
  /** The URL that events are sent to. */
  readonly url: string;
  /** A note by the webhook's owner; null if there is none. */
  readonly description: string | null;
  /** The event types that are sent. */
  readonly events: readonly SubscribableEventType[];
  /** The ids of the instances whose events are sent; null for all. */
  readonly instances: readonly string[] | null;
  /** Events are sent only while the status is `enabled`. */
  readonly status: EndpointStatus;
  /** `…` and the last four characters of the secret. */
  readonly secret_hint: string;
  /** When the secret begins to sign, until which the previous one does; null if it signs now. ISO 8601 with an offset. */
  readonly secret_begins_at: string | null;
  /** The delivery of the last attempt; null before the first attempt. */
  readonly last_delivery: {
    /** `whd_…` */
    readonly id: string;
    /** How far the delivery has come. */
    readonly status: DeliveryStatus;
    /** The HTTP status of the response; null if there was none. */
    readonly response_status: number | null;
    /** When the attempt was made; ISO 8601 with an offset. */
    readonly at: string;
  } | null;
  /** ISO 8601 with an offset; null while the webhook is enabled. */
  readonly disabled_at: string | null;
  /** `manual` if disabled on request, `auto_no_delivery_72h` if disabled by the service; null while enabled. */
  readonly disabled_reason: DisabledReason | null;
  /** ISO 8601 with an offset. */
  readonly created_at: string;
  /** ISO 8601 with an offset. */
  readonly updated_at: string;
  /** Whether requests have the header `traceparent` if there is a trace. */
  readonly trace_context: boolean;
  /**
   * When the current run of failures began; null if there is none. Stays when the service disables the endpoint;
   * enabling the endpoint, or resuming its workspace, clears it.
   */
  readonly failing_since: string | null;
  /**
   * The earliest time at which the service disables the endpoint if nothing is delivered; null if the
   * endpoint is not failing.
   */
  readonly auto_disable_at: string | null;
}

/** A webhook with its signing secret, which is shown only when the secret is created or rotated. */
export interface WebhookResourceWithSecret extends WebhookResource {
  /** `whsec_…`: the whole text is the key of Trunkline's own signature. */
  readonly secret: string;
}

export function webhookResource(endpoint: Endpoint, now: number): WebhookResource {
  const { lastDelivery, failingSince } = endpoint.health;
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: [...endpoint.events],
    instances: endpoint.instances && [...endpoint.instances],
    status: endpoint.status,
    secret_hint: endpoint.secretHint,
    secret_begins_at:
      signingSecret(endpoint, now) === endpoint.sealedSecret
        ? null
        : timestampOrNull(endpoint.secretBeginsAt),
    last_delivery: lastDelivery && {
      id: lastDelivery.id,
      status: lastDelivery.status,
      response_status: lastDelivery.responseStatus,
      at: timestamp(lastDelivery.at),
    },
    disabled_at: timestampOrNull(endpoint.disabledAt),
    disabled_reason: endpoint.disabledReason,
    created_at: timestamp(endpoint.createdAt),
    updated_at: timestamp(endpoint.updatedAt),
    trace_context: endpoint.traceContext,
    failing_since: timestampOrNull(failingSince),
    auto_disable_at: timestampOrNull(disablingTime(endpoint, now)),
  };
}

/** The webhook, as the event `webhook.test` shows it. */
export function testedWebhook({ id, url, description }: Endpoint): EventData<'webhook.test'>['webhook'] {
  return { id, url, description };
}

/** Webhook delivery of the REST API (specification, "Webhook delivery"). */
export interface DeliveryResource {
  /** `whd_…` */
  readonly id: string;
  /** The endpoint of the delivery, `wh_…`. */
  readonly webhook_id: string;
  /** The event that is delivered. */
  readonly event: {
    /** `evt_…` */
    readonly id: string;
    /** The type, such as `message.received`. */
    readonly type: EventType;
    /** When the event happened; ISO 8601 with an offset. */
    readonly occurred_at: string;
  };
  /** How far the delivery has come; `failed` and `exhausted` can be retried. */
  readonly status: DeliveryStatus;
  /** How many attempts were made. */
  readonly attempts: number;
  /** After how many failed attempts the delivery is `exhausted`. */
  readonly max_attempts: number;
  /**
   * When the next retry is due, ISO 8601 with an offset; null if no retry is scheduled, as before the first
   * attempt.
   */
  readonly next_retry_at: string | null;
  /** The HTTP status of the last attempt's response; null if there was none. */
  readonly response_status: number | null;
  /**
   * Why the last attempt failed, or why the delivery ended. Null after a success; null before the first attempt unless
   * the delivery was cancelled.
   */
  readonly error_code: DeliveryErrorCode | null;
  /** ISO 8601 with an offset; null before the first attempt. */
  readonly last_attempt_at: string | null;
  /** ISO 8601 with an offset; null until an attempt succeeds. */
  readonly delivered_at: string | null;
  /** When the delivery was queued; ISO 8601 with an offset. */
  readonly created_at: string;
}

export function deliveryResource(delivery: Delivery): DeliveryResource {
  return {
    id: delivery.id,
    webhook_id: delivery.endpointId,
    event: {
      id: delivery.eventId,
      type: delivery.eventType,
      occurred_at: timestamp(Math.floor(delivery.eventOccurredAt / 1000)),
    },
    status: delivery.status,
    attempts: delivery.attempts,
    max_attempts: delivery.maxAttempts,
    next_retry_at: timestampOrNull(delivery.nextRetryAt),
    response_status: delivery.responseStatus,
    error_code: delivery.errorCode,
    last_attempt_at: timestampOrNull(delivery.lastAttemptAt),
    delivered_at: timestampOrNull(delivery.deliveredAt),
    created_at: timestamp(delivery.createdAt),
  };
}

/** One attempt to deliver a webhook. */
export interface AttemptResource {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Whether the attempt was requested by hand: with `deliveries.retry` or `webhooks.retryFailedDeliveries`. */
  readonly manual: boolean;
  /** The HTTP status of the response; null if there was none. */
  readonly response_status: number | null;
  /** The beginning of the response's body, at most 16 KiB; null if there was no response. */
  readonly response_body: string | null;
  /** How long the attempt took, in milliseconds. */
  readonly duration_ms: number;
  /** Why the attempt failed; null if it succeeded. */
  readonly error_code: DeliveryErrorCode | null;
  /** When the attempt began; ISO 8601 with an offset. */
  readonly at: string;
}

/** A delivery with its request and the log of its attempts. */
export interface DeliveryDetailResource extends DeliveryResource {
  /** The request as it is sent in each attempt. */
  readonly request: {
    /**
     * The URL of the last attempt; before the first attempt, the webhook's URL, even if the webhook was
     * deleted. Empty if the webhook was deleted by a version that did not keep URLs.
     */
    readonly url: string;
    /** The headers, without signatures and timestamps, which differ in each attempt. */
    readonly headers: Readonly<Record<string, string>>;
    /** The body, which is the event; an empty object if the event is no longer stored. */
    readonly payload: unknown;
  };
  /** The attempts, oldest first. */
  readonly attempt_log: readonly AttemptResource[];
  /**
   * Why the delivery has not been sent yet, and the earliest time at which this can change automatically; absent if the
   * delivery does not wait.
   */
  readonly waiting?: {
    /** Why the delivery waits, such as `endpoint_busy`. */
    readonly reason: WaitingReason;
    /** The earliest time of the next attempt, ISO 8601 with an offset; null if no time is known. */
    readonly until: string | null;
  };
}

function attemptResource(attempt: Attempt): AttemptResource {
  return {
    attempt: attempt.number,
    manual: attempt.manual,
    response_status: attempt.responseStatus,
    response_body: attempt.responseBody,
    duration_ms: attempt.durationMs,
    error_code: attempt.errorCode,
    at: timestamp(attempt.at),
  };
}

export function deliveryDetailResource(
  detail: {
    readonly delivery: Delivery;
    readonly attempts: readonly Attempt[];
    readonly payload: string | null;
    readonly endpointUrl: string | null;
    readonly lane: LanePosition | null;
  },
  { now, standardWebhooks }: { readonly now: number; readonly standardWebhooks: boolean },
): DeliveryDetailResource {
  const { delivery, attempts, payload, endpointUrl, lane } = detail;
  const waiting = waitingOf(delivery, lane, now);
  return {
    ...deliveryResource(delivery),
    request: {
      url: attempts.at(-1)?.url ?? endpointUrl ?? '',
      headers: requestHeaders(delivery, { standardWebhooks }),
      // Always an object, which is empty if the body is not stored.
      payload: payload === null ? {} : JSON.parse(payload),
    },
    attempt_log: attempts.map(attemptResource),
    ...(waiting && { waiting: { reason: waiting.reason, until: timestampOrNull(waiting.until) } }),
  };
}

/** "User-Agent" (specification, "Request the receiver gets"). */
export const WEBHOOK_USER_AGENT = 'Service-Webhooks/1.0';

/**
 * The headers of a delivery's request that are the same on every attempt and contain no secret
 * (specification, "Request the receiver gets"). Timestamps and signatures are added when an attempt is
 * signed. The Standard Webhooks id is the event's id.
 */
export function requestHeaders(
  delivery: Pick<Delivery, 'id' | 'eventType' | 'eventId'>,
  { standardWebhooks }: { readonly standardWebhooks: boolean },
): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': WEBHOOK_USER_AGENT,
    [EVENT_HEADER]: delivery.eventType,
    [DELIVERY_HEADER]: delivery.id,
    ...(standardWebhooks ? { [STANDARD_ID_HEADER]: delivery.eventId } : {}),
  };
}
