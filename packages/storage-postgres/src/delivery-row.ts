import { endedBy, isOpen } from '@trunkline/core/spi/storage';
import type { Attempt, ClosingReason, Delivery } from '@trunkline/core/spi/storage';
import { columnArrays, countOf, manySentRows } from './column-arrays.ts';
import type { RowOf } from './column-arrays.ts';
import { flag, id, integer, integerOrNull, text, textOrNull, word, wordOrNull } from './row.ts';
import type { Row } from './row.ts';
import type { Columns } from './statements.ts';
import { encodeText, encodeTextOrNull } from './text-encoding.ts';
import { boundsOf, uuidOf } from './uuid.ts';

/** `generation` is that of the lane that the delivery is queued in. */
export function deliveryColumns(delivery: Delivery, generation: number): Columns {
  return {
    id: uuidOf('whd', delivery.id),
    workspace_id: uuidOf('ten', delivery.workspaceId),
    webhook_id: uuidOf('wh', delivery.webhookId),
    event_id: uuidOf('evt', delivery.eventId),
    event_type: delivery.eventType,
    event_occurred_at: delivery.eventOccurredAt,
    created_at: delivery.createdAt,
    max_attempts: delivery.maxAttempts,
    ...outcomeColumns(delivery, generation),
  };
}

/** What changes of a delivery after it is made. */
export function outcomeColumns(delivery: Delivery, generation: number): Omit<RowOf<typeof OUTCOME>, 'id'> {
  return {
    generation: isOpen(delivery.status) ? generation : ENDED,
    status: delivery.status,
    attempts: delivery.attempts,
    manual: delivery.manual,
    next_retry_at: delivery.nextRetryAt,
    response_status: delivery.responseStatus,
    error_code: delivery.errorCode,
    last_attempt_at: delivery.lastAttemptAt,
    delivered_at: delivery.deliveredAt,
  };
}

/** As deliveries are written: the ids are those of `outcomeColumns`. */
export const OUTCOME = {
  id: 'uuid',
  generation: 'integer',
  status: 'text',
  attempts: 'integer',
  manual: 'boolean',
  next_retry_at: 'bigint',
  response_status: 'integer',
  error_code: 'text',
  last_attempt_at: 'bigint',
  delivered_at: 'bigint',
} as const;

/** The generation of what has ended and been written down. */
export const ENDED = 0;

/** What `readDelivery` reads of a row under this name: the delivery, with what has closed its generation, if anything has. */
export function deliveryOf(row: string): string {
  return `${row}.*, (
    SELECT reason FROM trunkline.closings
    WHERE closings.endpoint_id = ${row}.webhook_id AND closings.generation = ${row}.generation
  ) AS closed_by`;
}

/** The delivery as it reads: what a closing has ended is failed from then on, written down or not. */
export function readDelivery(row: Row): Delivery {
  const delivery = readStoredDelivery(row);
  const reason = wordOrNull<ClosingReason>(row, 'closed_by');
  return reason && isOpen(delivery.status) ? endedBy(reason, delivery) : delivery;
}

/** As it was written down last. */
export function readStoredDelivery(row: Row): Delivery {
  return {
    id: id(row, 'id', 'whd'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    webhookId: id(row, 'webhook_id', 'wh'),
    eventId: id(row, 'event_id', 'evt'),
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

/**
 * An UPDATE of deliveries to these outcomes, the first parameters of its statement: the ids are looked up all together,
 * and their bounds leave out the partitions of other days.
 */
export const SETTLE: string = `
  UPDATE trunkline.deliveries
  SET generation = outcome.generation, status = outcome.status, attempts = outcome.attempts,
    manual = outcome.manual, next_retry_at = outcome.next_retry_at, response_status = outcome.response_status,
    error_code = outcome.error_code, last_attempt_at = outcome.last_attempt_at,
    delivered_at = outcome.delivered_at
  FROM ${manySentRows(OUTCOME, 'outcome', 3)}
  WHERE deliveries.id = outcome.id AND deliveries.id = ANY ($3::uuid[])
    AND deliveries.id BETWEEN $1::uuid AND $2::uuid`;

/** How many parameters `SETTLE` takes. */
export const SETTLE_COUNT: number = 2 + countOf(OUTCOME);

/** The parameters of `SETTLE`. */
export function settleValues(outcomes: readonly RowOf<typeof OUTCOME>[]): readonly string[] {
  const { first, last } = boundsOf(outcomes.map(({ id: uuid }) => String(uuid)));
  return [first, last, ...columnArrays(OUTCOME, outcomes)];
}

export const ATTEMPT = {
  delivery_id: 'uuid',
  number: 'integer',
  manual: 'boolean',
  url: 'text',
  response_status: 'integer',
  response_body: 'text',
  duration_ms: 'bigint',
  error_code: 'text',
  at: 'bigint',
} as const;

/** `delivery` is its uuid. */
export function attemptColumns(delivery: string, attempt: Attempt): RowOf<typeof ATTEMPT> {
  return {
    delivery_id: delivery,
    number: attempt.number,
    manual: attempt.manual,
    url: encodeText(attempt.url),
    response_status: attempt.responseStatus,
    response_body: encodeTextOrNull(attempt.responseBody),
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
