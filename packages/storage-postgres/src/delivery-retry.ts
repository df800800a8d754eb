import { mayRetry, requeue, takeRetryBatch } from '@trunkline/core/spi/storage';
import type { Delivery, RetryResult } from '@trunkline/core/spi/storage';
import { sweepEndpoint } from './closing.ts';
import type { Transaction } from './database.ts';
import { deliveryOf, outcomeColumns, readDelivery, SETTLE, settleValues } from './delivery-row.ts';
import { keepEnabled } from './endpoint-row.ts';
import { failedDeliveries, readRetryRound, writeRetryRound } from './failed-deliveries.ts';
import { lockLanes, refreshLanes } from './lane.ts';
import { id, integer } from './row.ts';
import type { Row } from './row.ts';
import { boundsOf, uuidOf, uuidToFind } from './uuid.ts';

interface Retry {
  readonly workspaceId: string;
  readonly id: string;
  readonly now: number;
  /** Rows with smaller uuids are not found. */
  readonly floor: string;
}

/** Queues one more attempt of a delivery that has ended. */
export async function retryOne(transaction: Transaction, retry: Retry): Promise<RetryResult> {
  const uuid = uuidToFind('whd', retry.id);
  const workspace = uuidToFind('ten', retry.workspaceId);
  const read = (): Promise<Row | undefined> => transaction.get(FIND, uuid, workspace, retry.floor);
  const found = await read();
  if (!found) return { kind: 'not_found' };
  const endpoint = String(found['webhook_id']);
  await lockLanes(transaction, [endpoint]);
  const isEnabled = await keepEnabled(transaction, workspace, endpoint);
  // Once more: what it was before the lock may have changed.
  const row = await read();
  if (!row) return { kind: 'not_found' };
  const delivery = readDelivery(row);
  // A claim outlives the closing that ended its delivery: the request is still on its way.
  if (!mayRetry(delivery) || !isEnabled || (await claimedAt(transaction, endpoint)).has(retry.id)) {
    return { kind: 'not_allowed' };
  }
  const [requeued = delivery] = await requeueAll(transaction, endpoint, [delivery], retry.now);
  return { kind: 'requeued', delivery: requeued };
}

interface RetryBatch {
  readonly limit: number;
  readonly countUpTo: number;
  readonly now: number;
  readonly since: number;
}

/** The same for all that have failed at an endpoint, those attempted longest ago first. Null when it is gone or disabled. */
export async function retryAll(
  transaction: Transaction,
  { workspaceId, webhookId }: { readonly workspaceId: string; readonly webhookId: string },
  { limit, countUpTo, now, since }: RetryBatch,
): Promise<{ readonly requeued: number; readonly remaining: number } | null> {
  const endpoint = uuidToFind('wh', webhookId);
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
  SELECT ${deliveryOf('deliveries')} FROM trunkline.deliveries
  WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2::uuid AND $3::uuid`;

const FIND = `
  SELECT ${deliveryOf('deliveries')} FROM trunkline.deliveries WHERE id = $1 AND workspace_id = $2 AND id >= $3::uuid`;

/** The deliveries that hold a slot of this endpoint. */
async function claimedAt({ all }: Transaction, endpoint: string): Promise<ReadonlySet<string>> {
  const rows = await all('SELECT delivery_id FROM trunkline.claims WHERE endpoint_id = $1', endpoint);
  return new Set(rows.map((row) => id(row, 'delivery_id', 'whd')));
}

async function requeueAll(
  transaction: Transaction,
  endpoint: string,
  deliveries: readonly Delivery[],
  now: number,
): Promise<readonly Delivery[]> {
  if (deliveries.length === 0) return [];
  const requeued = deliveries.map(requeue);
  const generation = await generationOf(transaction, endpoint);
  const uuids = requeued.map((delivery) => uuidOf('whd', delivery.id));
  const outcomes = requeued.map((delivery, index) => ({
    id: uuids[index] ?? '',
    ...outcomeColumns(delivery, generation),
  }));
  // Out of the closed generation, where it has not been swept.
  await transaction.run('DELETE FROM trunkline.due WHERE delivery_id = ANY ($1::uuid[])', uuids);
  await transaction.run(QUEUE, endpoint, generation, uuids, now);
  await transaction.run(SETTLE, ...settleValues(outcomes));
  await refreshLanes(transaction, [endpoint]);
  transaction.announce({ topic: 'deliveries' });
  return requeued;
}

async function generationOf({ get }: Transaction, endpoint: string): Promise<number> {
  const row = await get('SELECT generation FROM trunkline.lanes WHERE endpoint_id = $1', endpoint);
  if (!row) throw new Error('The lane of an endpoint is missing.');
  return integer(row, 'generation');
}

const QUEUE = `
  INSERT INTO trunkline.due (endpoint_id, generation, delivery_id, due_at, lost_claims)
  SELECT $1, $2, delivery_id, $4, 0 FROM unnest($3::uuid[]) AS delivery_id`;
