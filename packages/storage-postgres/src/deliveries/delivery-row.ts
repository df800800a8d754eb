import { cancelledBy, isOpen } from '@trunkline/core/spi/storage';
import type { Attempt, CancellationReason, Delivery } from '@trunkline/core/spi/storage';
import type { RowOf } from '../rows/column-arrays.ts';
import { entities, wordOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import type { Columns } from '../database/statements.ts';
import { encodeText, encodeTextOrNull } from '../rows/text-encoding.ts';

/** A new delivery as a row of `open_deliveries`, with the generation of the lane in which it is queued. */
export function openColumns(delivery: Delivery, generation: number): Columns {
  const { delivered_at: _, ...columns } = entities.delivery.columns(delivery);
  return { ...columns, generation, due_at: delivery.createdAt, lost_claims: 0 };
}

/** The id of a delivery and the columns that change after its creation, with their types. */
export const OUTCOME = {
  id: 'uuid',
  status: 'text',
  attempts: 'integer',
  manual: 'boolean',
  next_retry_at: 'bigint',
  response_status: 'integer',
  error_code: 'text',
  last_attempt_at: 'bigint',
  delivered_at: 'bigint',
} as const;

export function outcomeColumns(delivery: Delivery): Omit<RowOf<typeof OUTCOME>, 'id'> {
  return entities.deliveryOutcome.columns(delivery) as Omit<RowOf<typeof OUTCOME>, 'id'>; // `OUTCOME` has the same columns
}

const FACTS = Object.keys(entities.delivery.kinds).filter((column) => !(column in OUTCOME));
const OUTCOMES = Object.keys(OUTCOME).filter((column) => column !== 'id');
const OPEN_OUTCOMES = OUTCOMES.filter((column) => column !== 'delivered_at');

/**
 * The columns that `readDelivery` needs from a row of `open_deliveries`, including why the row's generation was closed;
 * null if it was not.
 */
export function openDelivery(row: string): string {
  return `${of(row, ['id', ...FACTS, ...OPEN_OUTCOMES])}, NULL::bigint AS delivered_at, (
    SELECT reason FROM trunkline.closings
    WHERE closings.endpoint_id = ${row}.webhook_id AND closings.generation = ${row}.generation
  ) AS closed_by`;
}

/** The columns that `readDelivery` needs from a row of `deliveries`. */
export function endedDelivery(row: string): string {
  return `${of(row, ['id', ...FACTS, ...OUTCOMES])}, NULL::text AS closed_by`;
}

/** The delivery with this id, whether it is open or has ended, for `readDelivery`. */
export function deliveryWith(uuid: string): string {
  return `
    SELECT ${openDelivery('open')} FROM trunkline.open_deliveries AS open WHERE open.id = ${uuid}
    UNION ALL
    SELECT ${endedDelivery('ended')} FROM trunkline.deliveries AS ended WHERE ended.id = ${uuid}`;
}

/** Like `openDelivery`, for a row whose generation is known to be open. */
export function claimableDelivery(row: string): string {
  return `${of(row, ['id', ...FACTS, ...OPEN_OUTCOMES])}, NULL::bigint AS delivered_at`;
}

/**
 * Inserts the rows `open`, deleted from `open_deliveries`, into `deliveries`. The columns of `OUTCOME` come from the
 * rows `outcome`.
 */
export function insertEnded(firstAttempt: string): string {
  return `
    INSERT INTO trunkline.deliveries (id, ${[...FACTS, ...OUTCOMES].join(', ')}, first_attempt)
    SELECT open.id, ${of('open', FACTS)}, ${of('outcome', OUTCOMES)}, ${firstAttempt}`;
}

/**
 * Inserts the rows `ended`, deleted from `deliveries`, into `open_deliveries`. The columns of `OUTCOME` come from the
 * rows `outcome`.
 */
export function insertOpen(generation: string, dueAt: string): string {
  return `
    INSERT INTO trunkline.open_deliveries (
      id, ${[...FACTS, ...OPEN_OUTCOMES].join(', ')}, first_attempt, generation, due_at, lost_claims
    )
    SELECT ended.id, ${of('ended', FACTS)}, ${of('outcome', OPEN_OUTCOMES)}, ended.first_attempt, ${generation}, ${dueAt}, 0`;
}

/** Assignments for an UPDATE of `open_deliveries` that take the columns of `OUTCOME` from this row. */
export function setOutcome(row: string): string {
  return OPEN_OUTCOMES.map((column) => `${column} = ${row}.${column}`).join(', ');
}

function of(row: string, columns: readonly string[]): string {
  return columns.map((column) => `${row}.${column}`).join(', ');
}

/** Reads a delivery. A cancelled delivery reads as failed even if its outcome is not stored yet. */
export function readDelivery(row: Row): Delivery {
  const delivery = entities.delivery.read(row);
  const reason = wordOrNull<CancellationReason>(row, 'closed_by');
  return reason && isOpen(delivery.status) ? cancelledBy(reason, delivery) : delivery;
}

/**
 * The columns of an attempt, named differently from those of an outcome, in the order of the type `attempt` and of the
 * table `attempts`.
 */
export const ATTEMPT = {
  tried_number: 'integer',
  tried_manual: 'boolean',
  tried_url: 'text',
  tried_response_status: 'integer',
  tried_response_body: 'text',
  tried_duration_ms: 'bigint',
  tried_error_code: 'text',
  tried_at: 'bigint',
} as const;

export function attemptColumns(attempt: Attempt): RowOf<typeof ATTEMPT> {
  return {
    tried_number: attempt.number,
    tried_manual: attempt.manual,
    tried_url: encodeText(attempt.url),
    tried_response_status: attempt.responseStatus,
    tried_response_body: encodeTextOrNull(attempt.responseBody),
    tried_duration_ms: attempt.durationMs,
    tried_error_code: attempt.errorCode,
    tried_at: attempt.at,
  };
}
