import { deliveryIdsOf } from '@trunkline/storage-kit';
import type { Transaction } from '../database/database.ts';
import { lockLanes, refreshLanes, releasing } from '../deliveries/lane.ts';
import { id } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf } from '../rows/uuid.ts';

/** Deletes events with their places in queues, their deliveries and attempts. Returns the number of events. */
export async function deleteEvents(
  transaction: Transaction,
  workspace: string | null,
  given: readonly string[],
): Promise<number> {
  if (given.length === 0) return 0;
  const { all, run } = transaction;
  const own = await all(OWN, given, workspace);
  const events = own.map((row) => String(row['id']));
  const spans = spansOf(own);
  const before = await all(DELIVERIES, events, ...spans);
  const endpoints = [...new Set(before.map((row) => String(row['webhook_id'])))];
  // Until these locks are held, open deliveries may end, and ended ones may be retried, so the deliveries are read
  // again.
  await lockLanes(transaction, endpoints);
  const deliveries = (await all(DELIVERIES, events, ...spans)).map((row) => String(row['id']));
  await unqueueDeliveries(transaction, endpoints, deliveries);
  await run('DELETE FROM trunkline.attempts WHERE delivery_id = ANY ($1::uuid[])', deliveries);
  await run('DELETE FROM trunkline.deliveries WHERE id = ANY ($1::uuid[])', deliveries);
  await run('DELETE FROM trunkline.queued_events WHERE event_id = ANY ($1::uuid[])', events);
  await run(FORGET, given, workspace);
  await run('DELETE FROM trunkline.events WHERE id = ANY ($1::uuid[])', events);
  return events.length;
}

const OWN = 'SELECT id FROM trunkline.events WHERE id = ANY ($1::uuid[]) AND workspace_id = $2';

const FORGET = 'DELETE FROM trunkline.event_log WHERE id = ANY ($1::uuid[]) AND workspace_id = $2';

/** The first and last possible ids of each event's deliveries. */
function spansOf(events: readonly Row[]): readonly [first: readonly string[], last: readonly string[]] {
  const spans = events.map((row) => deliveryIdsOf(id(row, 'id', 'evt'), 0));
  return [spans.map(({ first }) => uuidOf('whd', first)), spans.map(({ last }) => uuidOf('whd', last))];
}

// Walks the primary keys, because an index by event would have to be written with every delivery.
const DELIVERIES = `
  SELECT found.id, found.webhook_id
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS event (id, first, last)
  CROSS JOIN LATERAL (
    SELECT open.id, open.webhook_id FROM trunkline.open_deliveries AS open
    WHERE open.id BETWEEN event.first AND event.last AND open.event_id = event.id
    UNION ALL
    SELECT ended.id, ended.webhook_id FROM trunkline.deliveries AS ended
    WHERE ended.id BETWEEN event.first AND event.last AND ended.event_id = event.id
  ) AS found`;

/** Takes queued and claimed deliveries out of these lanes. The caller holds the lanes' locks. */
export async function unqueueDeliveries(
  transaction: Transaction,
  endpoints: readonly string[],
  deliveries: readonly string[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await transaction.run(SWEEP_AGAIN, endpoints, deliveries);
  await transaction.run(releasing('claim.delivery_id = ANY ($2::uuid[])'), endpoints, deliveries);
  await transaction.run('DELETE FROM trunkline.open_deliveries WHERE id = ANY ($1::uuid[])', deliveries);
  await refreshLanes(transaction, endpoints);
}

/** A cancellation may have been waiting only for these claimed deliveries. */
const SWEEP_AGAIN = `
  UPDATE trunkline.closings SET to_sweep = true
  FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) AS claim
  WHERE lanes.endpoint_id = ANY ($1::uuid[]) AND claim.delivery_id = ANY ($2::uuid[])
    AND closings.endpoint_id = lanes.endpoint_id AND closings.generation = claim.generation`;
