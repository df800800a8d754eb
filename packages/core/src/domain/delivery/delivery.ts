import type { EventType } from '../event/event.ts';

export const DELIVERY_STATUSES = ['pending', 'retrying', 'success', 'failed', 'exhausted'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why an attempt failed, or what ended a delivery without one. */
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

/** What ends every open delivery of an endpoint at once. */
export type ClosingReason = Extract<DeliveryErrorCode, 'ENDPOINT_DISABLED' | 'ENDPOINT_DELETED'>;

/** One event on its way to one endpoint. Times are epoch milliseconds, `eventOccurredAt` epoch microseconds. */
export interface Delivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly eventOccurredAt: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Whether the next attempt is one that a person asked for: it is made once and not retried. */
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
  /** The URL that this attempt went to; the endpoint's may have changed since. */
  readonly url: string;
  readonly responseStatus: number | null;
  /** At most 16 KiB, as text; null where there was no response. */
  readonly responseBody: string | null;
  readonly durationMs: number;
  readonly errorCode: DeliveryErrorCode | null;
  readonly at: number;
}

export function isOpen(status: DeliveryStatus): boolean {
  return status === 'pending' || status === 'retrying';
}
