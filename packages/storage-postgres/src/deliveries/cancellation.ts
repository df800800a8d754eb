import type { CancellationReason } from '@trunkline/core/spi/storage';
import type { Database, Transaction } from '../database/database.ts';
import { insertEnded } from './delivery-row.ts';
import { lockLanes, wakeAt } from './lane.ts';
import { integer, word } from '../rows/row.ts';

/**
 * Cancels all open deliveries of an endpoint at a cost that does not depend on their number. Until they are swept, they
 * stay in a closed generation, which no claim reads. The caller has locked the lane, and the endpoint FOR UPDATE, so no
 * delivery is being queued.
 */
export async function closeLane(
  { get, run }: Transaction,
  endpoint: string,
  reason: CancellationReason,
): Promise<void> {
  if (!(await get(CLOSE, endpoint, reason))) return;
  await run(GO_ON, endpoint);
  await run('UPDATE trunkline.endpoints SET generation = generation + 1 WHERE id = $1', endpoint);
}

const CLOSE = `
  INSERT INTO trunkline.closings (endpoint_id, generation, reason, to_sweep)
  SELECT endpoint_id, generation, $2, true FROM trunkline.lanes
  WHERE endpoint_id = $1 AND (
    -- This order is that of open_deliveries_queue: else all open deliveries might be read.
    SELECT due_at FROM trunkline.open_deliveries AS open
    WHERE open.generation = lanes.generation AND open.webhook_id = lanes.endpoint_id
    ORDER BY due_at, id
    LIMIT 1
  ) IS NOT NULL
  RETURNING 1`;

/** The next generation is empty, so the lane wakes only when claims of earlier generations expire. */
const GO_ON = `
  UPDATE trunkline.lanes SET generation = generation + 1, wake_at = ${wakeAt('true')} WHERE endpoint_id = $1`;

/** Takes at most `limit` cancelled deliveries out of the queues, writes their outcomes and returns their number. */
export async function sweepCancellations(database: Database, limit: number): Promise<number> {
  let swept = 0;
  while (swept < limit) {
    const cancellation = await database.get(TO_SWEEP);
    if (!cancellation) break;
    const endpoint = String(cancellation['endpoint_id']);
    const generation = integer(cancellation, 'generation');
    swept += await database.transaction((transaction) =>
      sweepCancellation(transaction, { endpoint, generation, limit: limit - swept }),
    );
  }
  return swept;
}

/** Sweeps at most `limit` deliveries of one endpoint's cancellations. The caller holds the lane's lock. */
export async function sweepEndpoint(
  transaction: Transaction,
  endpoint: string,
  limit: number,
): Promise<void> {
  const cancellations = await transaction.all(TO_SWEEP_AT, endpoint);
  let left = limit;
  for (const cancellation of cancellations) {
    if (left <= 0) return;
    left -= await sweepCancellation(transaction, {
      endpoint,
      generation: integer(cancellation, 'generation'),
      limit: left,
    });
  }
}

const TO_SWEEP_AT = `
  SELECT generation FROM trunkline.closings WHERE endpoint_id = $1 AND to_sweep ORDER BY generation`;

/** The next cancellation to sweep. Relies on closings_to_sweep. */
const TO_SWEEP = `
  SELECT endpoint_id, generation FROM trunkline.closings WHERE to_sweep
  ORDER BY endpoint_id, generation LIMIT 1`;

interface Sweep {
  readonly endpoint: string;
  readonly generation: number;
  readonly limit: number;
}

async function sweepCancellation(
  transaction: Transaction,
  { endpoint, generation, limit }: Sweep,
): Promise<number> {
  await lockLanes(transaction, [endpoint]);
  const cancellation = await transaction.get(
    'SELECT reason FROM trunkline.closings WHERE endpoint_id = $1 AND generation = $2',
    endpoint,
    generation,
  );
  // Another process has swept this cancellation.
  if (!cancellation) return 0;
  const reason = word<CancellationReason>(cancellation, 'reason');
  const swept = await transaction.run(SWEEP, endpoint, generation, limit, reason);
  if (swept < limit) await finishSweep(transaction, endpoint, generation);
  return swept;
}

/** Skips claimed deliveries, which end with their claims. Relies on open_deliveries_queue. */
const SWEEP = `
  WITH open AS (
    DELETE FROM trunkline.open_deliveries WHERE id = ANY (ARRAY(
      SELECT id FROM trunkline.open_deliveries
      WHERE generation = $2 AND webhook_id = $1 AND id <> ALL (ARRAY(
        SELECT delivery_id FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) WHERE endpoint_id = $1
      ))
      ORDER BY due_at, id
      LIMIT $3
    ))
    RETURNING *
  )
  ${insertEnded('open.first_attempt')}
  FROM open
  CROSS JOIN LATERAL (
    SELECT 'failed' AS status, open.attempts, open.manual, NULL::bigint AS next_retry_at, open.response_status,
      $4::text AS error_code, open.last_attempt_at, NULL::bigint AS delivered_at
  ) AS outcome`;

/** Called when no deliveries except claimed ones are left in this generation. */
async function finishSweep({ run }: Transaction, endpoint: string, generation: number): Promise<void> {
  // If claims are left, the cancellation is not swept again until one of them ends, so that sweeps do not read it
  // needlessly.
  if ((await run(LEAVE_TO_CLAIMS, endpoint, generation)) > 0) return;
  await run(
    'DELETE FROM trunkline.closings WHERE endpoint_id = $1 AND generation = $2',
    endpoint,
    generation,
  );
  await run(DROP_LANE, endpoint);
}

const LEAVE_TO_CLAIMS = `
  UPDATE trunkline.closings SET to_sweep = false
  WHERE endpoint_id = $1 AND generation = $2 AND EXISTS (
    SELECT 1 FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) AS claim
    WHERE lanes.endpoint_id = $1 AND claim.generation = $2
  )`;

/** Deletes the lane if its endpoint is deleted and has no cancellations left. */
export async function dropLane({ run }: Transaction, endpoint: string): Promise<void> {
  await run(DROP_LANE, endpoint);
}

const DROP_LANE = `
  DELETE FROM trunkline.lanes
  WHERE endpoint_id = $1
    AND NOT EXISTS (SELECT 1 FROM trunkline.endpoints WHERE endpoints.id = lanes.endpoint_id)
    AND NOT EXISTS (SELECT 1 FROM trunkline.closings WHERE closings.endpoint_id = lanes.endpoint_id)`;
