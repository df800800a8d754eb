import type { Event, EventType } from '../event/event.ts';
import { orderOfId, withOrder } from '../id.ts';
import type { NewId } from '../id.ts';
import { MAX_ATTEMPTS } from './retry-schedule.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * The maximum number of concurrent requests to one endpoint (specification, "Receiver response and delivery behaviour",
 * 5).
 */
export const ENDPOINT_SLOTS = 2;
/** The maximum number of requests to one endpoint that start within a minute. */
export const ENDPOINT_STARTS_PER_MINUTE = 120;
/**
 * A second longer than the minute, because requests leave some time after their claim, and the receiver counts
 * arrivals.
 */
export const THROTTLE_WINDOW_MS = 61_000;
/**
 * After this many lost claims in a row, the next claim counts as a failed attempt without a request, so that a delivery
 * that kills its process ends eventually.
 */
export const MAX_LOST_CLAIMS = 5;
/** How long events, deliveries and attempts can be read; they are deleted later. */
export const RETENTION_MS: number = 30 * DAY;
/** The maximum number of deliveries that one retry-failed call queues. */
export const RETRY_FAILED_BATCH = 100;
/** The highest number that retry-failed counts to for `remaining`, so that a call does not count a whole history. */
export const RETRY_FAILED_COUNT_MAX = 1_000;

export const DELIVERY_STATUSES = ['pending', 'retrying', 'success', 'failed', 'exhausted'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why an attempt failed, or why a delivery ended without an attempt. */
export type DeliveryErrorCode =
  | 'TIMEOUT'
  | 'CONNECTION_FAILED'
  | 'TLS_FAILED'
  | 'DNS_FAILED'
  | 'REDIRECT'
  | 'HTTP_ERROR'
  | 'UNSAFE_URL'
  | 'ENDPOINT_DISABLED'
  | 'ENDPOINT_DELETED';

/** The reasons for which all open deliveries of an endpoint end together. */
export type CancellationReason = Extract<DeliveryErrorCode, 'ENDPOINT_DISABLED' | 'ENDPOINT_DELETED'>;

/**
 * One event on its way to one endpoint. Times are epoch milliseconds, except `eventOccurredAt`
 * (epoch microseconds).
 */
export interface Delivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly eventOccurredAt: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Whether the next attempt was requested by hand, so that it is not retried if it fails. */
  readonly manual: boolean;
  readonly nextRetryAt: number | null;
  readonly responseStatus: number | null;
  readonly errorCode: DeliveryErrorCode | null;
  readonly lastAttemptAt: number | null;
  readonly deliveredAt: number | null;
  readonly createdAt: number;
}

/** One request to the receiver, as the log keeps it. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly manual: boolean;
  /** The URL that this attempt went to; the endpoint's URL may have changed since. */
  readonly url: string;
  readonly responseStatus: number | null;
  /** The first 16 KiB, as text; null if there was no response. */
  readonly responseBody: string | null;
  readonly durationMs: number;
  readonly errorCode: DeliveryErrorCode | null;
  readonly at: number;
}

export function isOpen(status: DeliveryStatus): boolean {
  return status === 'pending' || status === 'retrying';
}

/**
 * A new delivery of an event to an endpoint, created and due at the event's millisecond. Its id has the order of the
 * event's id (`withOrder`), so that the deliveries of an event are adjacent and can be found without an index on the
 * event.
 */
export function newDelivery(event: Event, endpointId: string, newId: NewId): Delivery {
  const createdAt = Math.floor(event.occurredAt / 1000);
  const order = orderOfId('evt', event.id);
  return {
    id: withOrder('whd', newId('whd', order.ms), order),
    workspaceId: event.workspaceId,
    endpointId,
    eventId: event.id,
    eventType: event.type,
    eventOccurredAt: event.occurredAt,
    status: 'pending',
    attempts: 0,
    maxAttempts: MAX_ATTEMPTS,
    manual: false,
    nextRetryAt: null,
    responseStatus: null,
    errorCode: null,
    lastAttemptAt: null,
    deliveredAt: null,
    createdAt,
  };
}
