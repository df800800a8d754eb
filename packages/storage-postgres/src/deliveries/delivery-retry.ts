import { dueNow, mayRetry, requeue, takeRetryBatch } from '@trunkline/core/spi/storage';
import type { Delivery, RequestedAttempt, RetryResult } from '@trunkline/core/spi/storage';
import { sweepEndpoint } from './cancellation.ts';
import type { Transaction } from '../database/database.ts';
import { columnArrays, countOf, manySentRows } from '../rows/column-arrays.ts';
import {
  deliveryWith,
  endedDelivery,
  insertOpen,
  OUTCOME,
  outcomeColumns,
  readDelivery,
  setOutcome,
} from './delivery-row.ts';
import { keepEnabled } from './endpoint-row.ts';
import { failedDeliveries, readRetryRound, writeRetryRound } from './failed-deliveries.ts';
import { lockLanes, refreshLanes } from './lane.ts';
import { id, integer } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { boundsOf, uuidOf, uuidToFind } from '../rows/uuid.ts';

interface Retry {
  readonly workspaceId: string;
  readonly id: string;
  readonly attempt: RequestedAttempt;
  readonly now: number;
  /** Rows with smaller uuids are not found. */
  readonly floor: string;
}

/** See `DeliveryStore`. */
export async function retryDelivery(transaction: Transaction, retry: Retry): Promise<RetryResult> {
  const uuid = uuidToFind('whd', retry.id);
  const workspace = uuidToFind('ten', retry.workspaceId);
  const read = (): Promise<Row | undefined> => transaction.get(FIND, uuid, workspace, retry.floor);
  const found = await read();
  if (!found) return { kind: 'not_found' };
  const endpoint = String(found['webhook_id']);
  await lockLanes(transaction, [endpoint]);
  const isEnabled = await keepEnabled(transaction, workspace, endpoint);
  // Reads the row again, because it may have changed before the lock was taken.
  const row = await read();
  if (!row) return { kind: 'not_found' };
  const delivery = readDelivery(row);
  // A claim outlives the cancellation of its delivery, because the request may still be in flight.
  const isAllowed = mayRetry(delivery, retry.attempt) && isEnabled;
  if (!isAllowed || (await claimedAt(transaction, endpoint)).has(retry.id)) {
    return { kind: 'not_allowed' };
  }
  if (retry.attempt === 'next') {
    return { kind: 'requeued', delivery: await makeDueNow(transaction, endpoint, delivery, retry.now) };
  }
  const [requeued = delivery] = await requeueAll(transaction, endpoint, [delivery], retry.now);
  return { kind: 'requeued', delivery: requeued };
}

async function makeDueNow(
  transaction: Transaction,
  endpoint: string,
  delivery: Delivery,
  now: number,
): Promise<Delivery> {
  const early = dueNow(delivery, now);
  await transaction.run(MAKE_DUE, uuidOf('whd', delivery.id), now, early.nextRetryAt);
  await refreshLanes(transaction, [endpoint]);
  transaction.announce({ topic: 'deliveries' });
  return early;
}

const MAKE_DUE = `
  UPDATE trunkline.open_deliveries SET due_at = least(due_at, $2::bigint), next_retry_at = $3::bigint WHERE id = $1`;

interface RetryBatch {
  readonly limit: number;
  readonly countUpTo: number;
  readonly now: number;
  readonly since: number;
}

/**
 * Queues one more attempt of each of at most `limit` failed deliveries, in the order of `failedDeliveries`. Returns
 * null if the endpoint is disabled, or the workspace has no such endpoint.
 */
export async function retryFailedDeliveries(
  transaction: Transaction,
  { workspaceId, endpointId }: { readonly workspaceId: string; readonly endpointId: string },
  { limit, countUpTo, now, since }: RetryBatch,
): Promise<{ readonly requeued: number; readonly remaining: number } | null> {
  const endpoint = uuidToFind('wh', endpointId);
  if (endpoint === null) return null;
  await lockLanes(transaction, [endpoint]);
  if (!(await keepEnabled(transaction, uuidToFind('ten', workspaceId), endpoint))) return null;
  await sweepEndpoint(transaction, endpoint, limit + countUpTo);
  const failed = await failedDeliveries(transaction, endpoint, { since, count: limit + countUpTo });
  const { chosen, remaining, round } = takeRetryBatch(failed, {
    limit,
    now,
    round: await readRetryRound(transaction, endpoint),
    failedAt: ({ lastAttemptAt }) => lastAttemptAt,
  });
  const uuids = chosen.map(({ uuid }) => uuid);
  await requeueAll(transaction, endpoint, await readAll(transaction, uuids), now);
  await writeRetryRound(transaction, endpoint, round);
  return { requeued: chosen.length, remaining };
}

async function readAll(transaction: Transaction, uuids: readonly string[]): Promise<readonly Delivery[]> {
  if (uuids.length === 0) return [];
  const { first, last } = boundsOf(uuids);
  const rows = await transaction.all(READ_ALL, uuids, first, last);
  return rows.map(readDelivery);
}

const READ_ALL = `
  SELECT ${endedDelivery('deliveries')} FROM trunkline.deliveries
  WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2::uuid AND $3::uuid`;

const FIND = `
  SELECT * FROM (${deliveryWith('$1')}) AS delivery WHERE workspace_id = $2 AND id >= $3::uuid`;

/** The deliveries that hold a slot of this endpoint. */
async function claimedAt({ all }: Transaction, endpoint: string): Promise<ReadonlySet<string>> {
  const rows = await all(CLAIMED, endpoint);
  return new Set(rows.map((row) => id(row, 'delivery_id', 'whd')));
}

const CLAIMED = `
  SELECT delivery_id FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) WHERE endpoint_id = $1`;

async function requeueAll(
  transaction: Transaction,
  endpoint: string,
  deliveries: readonly Delivery[],
  now: number,
): Promise<readonly Delivery[]> {
  if (deliveries.length === 0) return [];
  const requeued = deliveries.map(requeue);
  const generation = await generationOf(transaction, endpoint);
  const outcomes = requeued.map((delivery) => ({
    ...outcomeColumns(delivery),
    id: uuidOf('whd', delivery.id),
  }));
  const { first, last } = boundsOf(outcomes.map(({ id: uuid }) => uuid));
  const values = [...columnArrays(OUTCOME, outcomes), generation, now];
  await transaction.run(REQUEUE_UNSWEPT, ...values);
  await transaction.run(REQUEUE, ...values, first, last);
  await refreshLanes(transaction, [endpoint]);
  transaction.announce({ topic: 'deliveries' });
  return requeued;
}

async function generationOf({ get }: Transaction, endpoint: string): Promise<number> {
  const row = await get('SELECT generation FROM trunkline.lanes WHERE endpoint_id = $1', endpoint);
  if (!row)
    throw new Error(`The lane of the endpoint ${endpoint} is missing: check the database for damage.`);
  return integer(row, 'generation');
}

const GENERATION = `$${countOf(OUTCOME) + 1}::integer`;
const NOW = `$${countOf(OUTCOME) + 2}::bigint`;

/** Moves cancelled deliveries that are not swept yet from their closed generation into the current one. */
const REQUEUE_UNSWEPT = `
  UPDATE trunkline.open_deliveries
  SET ${setOutcome('outcome')}, generation = ${GENERATION}, due_at = ${NOW}, lost_claims = 0
  FROM ${manySentRows(OUTCOME, 'outcome')}
  WHERE open_deliveries.id = outcome.id AND open_deliveries.id = ANY ($1::uuid[])`;

/** The bounds on the ids leave out the partitions of other days. */
const REQUEUE = `
  WITH ended AS (
    DELETE FROM trunkline.deliveries
    WHERE id = ANY ($1::uuid[])
      AND id BETWEEN $${countOf(OUTCOME) + 3}::uuid AND $${countOf(OUTCOME) + 4}::uuid
    RETURNING *
  )
  ${insertOpen(GENERATION, NOW)}
  FROM ended JOIN ${manySentRows(OUTCOME, 'outcome')} ON outcome.id = ended.id`;
