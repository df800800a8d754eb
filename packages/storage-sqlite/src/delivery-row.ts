import { endedBy, isOpen } from '@trunkline/core/spi/storage';
import type { Attempt, Delivery } from '@trunkline/core/spi/storage';
import { closingOf } from './closing.ts';
import type { Columns, Database } from './database.ts';
import { flag, integer, integerOrNull, text, textOrNull, word, wordOrNull } from './row.ts';
import type { Row } from './row.ts';

/** `generation` is that of the lane that the delivery is queued in. */
export function deliveryColumns(delivery: Delivery, generation: number): Columns {
  return {
    id: delivery.id,
    workspace_id: delivery.workspaceId,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    event_occurred_at: delivery.eventOccurredAt,
    created_at: delivery.createdAt,
    max_attempts: delivery.maxAttempts,
    ...outcomeColumns(delivery, generation),
  };
}

/** What changes of a delivery after it is made. */
export function outcomeColumns(delivery: Delivery, generation: number): Columns {
  return {
    generation: isOpen(delivery.status) ? generation : ENDED,
    status: delivery.status,
    attempts: delivery.attempts,
    manual: Number(delivery.manual),
    next_retry_at: delivery.nextRetryAt,
    response_status: delivery.responseStatus,
    error_code: delivery.errorCode,
    last_attempt_at: delivery.lastAttemptAt,
    delivered_at: delivery.deliveredAt,
  };
}

/** The generation of what has ended and been written down. */
export const ENDED = 0;

/** The delivery as it reads: what a closing has ended is failed from then on, written down or not. */
export function readDelivery(database: Database, row: Row): Delivery {
  const delivery = readStoredDelivery(row);
  if (!isOpen(delivery.status)) return delivery;
  const reason = closingOf(database, delivery.webhookId, integer(row, 'generation'));
  return reason ? endedBy(reason, delivery) : delivery;
}

/** As it was written down last. */
export function readStoredDelivery(row: Row): Delivery {
  return {
    id: text(row, 'id'),
    workspaceId: text(row, 'workspace_id'),
    webhookId: text(row, 'webhook_id'),
    eventId: text(row, 'event_id'),
    eventType: word(row, 'event_type'),
    eventOccurredAt: integer(row, 'event_occurred_at'),
    status: word(row, 'status'),
    attempts: integer(row, 'attempts'),
    maxAttempts: integer(row, 'max_attempts'),
    manual: flag(row, 'manual'),
    nextRetryAt: integerOrNull(row, 'next_retry_at'),
    responseStatus: integerOrNull(row, 'response_status'),
    errorCode: wordOrNull(row, 'error_code'),
    lastAttemptAt: integerOrNull(row, 'last_attempt_at'),
    deliveredAt: integerOrNull(row, 'delivered_at'),
    createdAt: integer(row, 'created_at'),
  };
}

export function attemptColumns(deliveryId: string, attempt: Attempt): Columns {
  return {
    delivery_id: deliveryId,
    number: attempt.number,
    manual: Number(attempt.manual),
    url: attempt.url,
    response_status: attempt.responseStatus,
    response_body: attempt.responseBody,
    duration_ms: attempt.durationMs,
    error_code: attempt.errorCode,
    at: attempt.at,
  };
}

export function readAttempt(row: Row): Attempt {
  return {
    number: integer(row, 'number'),
    manual: flag(row, 'manual'),
    url: text(row, 'url'),
    responseStatus: integerOrNull(row, 'response_status'),
    responseBody: textOrNull(row, 'response_body'),
    durationMs: integer(row, 'duration_ms'),
    errorCode: wordOrNull(row, 'error_code'),
    at: integer(row, 'at'),
  };
}
