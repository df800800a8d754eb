import { queuedEventDue, withinSchedule } from '@trunkline/core/spi/storage';
import type { WaitsStep } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { lockLanes, refreshLanes } from './lane.ts';
import { entities, integer } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** Sorts before all other uuids. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** The last row of the previous step. The walk visits all deliveries, then all events. */
type Place =
  | { readonly deliveriesAfter: readonly [endpoint: string, dueAt: number, delivery: string] }
  | { readonly eventsAfter: readonly [event: string, subscription: string] };

/** See `Storage`. Each part checks first, because usually there is nothing to write. */
export async function shortenWaits(database: Database, step: WaitsStep): Promise<string | null> {
  const place: Place =
    step.after === null ? { deliveriesAfter: [NIL, step.now, NIL] } : (JSON.parse(step.after) as Place); // the previous step wrote it
  const next =
    'eventsAfter' in place
      ? await shortenEventWaits(database, step, place.eventsAfter)
      : ((await shortenDeliveryWaits(database, step, place.deliveriesAfter)) ?? { eventsAfter: [NIL, NIL] });
  return next && JSON.stringify(next);
}

async function shortenDeliveryWaits(
  database: Database,
  { now, limit }: WaitsStep,
  [endpoint, dueAt, delivery]: readonly [endpoint: string, dueAt: number, delivery: string],
): Promise<Place | null> {
  const waiting = await database.all(WAITING, endpoint, Math.max(now, dueAt), delivery, now, limit);
  const shorter = shorterWaits(waiting, now);
  if (shorter.length > 0) {
    await database.transaction(async (transaction) => {
      const endpoints = [...new Set(shorter.map(({ endpoint_id }) => endpoint_id))];
      await lockLanes(transaction, endpoints);
      await transaction.run(SHORTEN, JSON.stringify(shorter));
      await refreshLanes(transaction, endpoints);
      transaction.announce({ topic: 'deliveries' });
    });
  }
  const last = waiting.at(-1);
  if (!last || waiting.length < limit) return null;
  return {
    deliveriesAfter: [String(last['endpoint_id']), integer(last, 'due_at'), String(last['delivery_id'])],
  };
}

// Walks open_deliveries_queue lane by lane.
const WAITING = `
  SELECT lanes.endpoint_id, waiting.*
  FROM trunkline.lanes
  CROSS JOIN LATERAL (
    SELECT due_at, id AS delivery_id, status, attempts, next_retry_at FROM trunkline.open_deliveries AS open
    WHERE open.generation = lanes.generation AND open.webhook_id = lanes.endpoint_id
      AND (due_at, id) > (
        CASE WHEN lanes.endpoint_id = $1::uuid THEN $2::bigint ELSE $4::bigint END,
        CASE WHEN lanes.endpoint_id = $1::uuid THEN $3::uuid ELSE '${NIL}'::uuid END
      )
      AND id <> ALL (ARRAY(SELECT delivery_id FROM unnest(lanes.claims)))
    ORDER BY due_at, id
    LIMIT $5
  ) AS waiting
  WHERE lanes.endpoint_id >= $1::uuid
  ORDER BY lanes.endpoint_id, waiting.due_at, waiting.delivery_id
  LIMIT $5`;

/** The fields are named like the columns. */
interface ShorterWait {
  readonly endpoint_id: string;
  readonly delivery_id: string;
  readonly was_due_at: number;
  readonly due_at: number;
  readonly next_retry_at: number | null;
}

function shorterWaits(waiting: readonly Row[], now: number): readonly ShorterWait[] {
  return waiting.flatMap((row) => {
    const dueAt = integer(row, 'due_at');
    const within = withinSchedule(entities.deliveryWait.read(row), dueAt, now);
    if (!within) return [];
    return [
      {
        endpoint_id: String(row['endpoint_id']),
        delivery_id: String(row['delivery_id']),
        was_due_at: dueAt,
        due_at: within.dueAt,
        next_retry_at: within.nextRetryAt,
      },
    ];
  });
}

/** Skips deliveries that were claimed or queued differently since they were read. */
const SHORTEN = `
  UPDATE trunkline.open_deliveries SET due_at = shorter.due_at, next_retry_at = shorter.next_retry_at
  FROM json_to_recordset($1::text::json)
    AS shorter (endpoint_id uuid, delivery_id uuid, was_due_at bigint, due_at bigint, next_retry_at bigint)
  WHERE open_deliveries.id = shorter.delivery_id AND open_deliveries.due_at = shorter.was_due_at
    AND NOT EXISTS (
      SELECT 1 FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) AS claim
      WHERE lanes.endpoint_id = shorter.endpoint_id AND claim.delivery_id = shorter.delivery_id
    )`;

async function shortenEventWaits(
  database: Database,
  { now, limit, leaseMs }: WaitsStep,
  [event, subscription]: readonly [event: string, subscription: string],
): Promise<Place | null> {
  const rows = await database.all(EVENTS, event, subscription, limit);
  const shorter = rows.flatMap((row) => {
    if (row['due_at'] === null) return [];
    const queued = entities.eventWait.read(row);
    const due = queuedEventDue(queued, { leaseMs, now });
    if (due === queued.dueAt) return [];
    const key = { event_id: String(row['event_id']), subscription_id: String(row['subscription_id']) };
    return [{ ...key, was_due_at: queued.dueAt, due_at: due, token: queued.token }];
  });
  if (shorter.length > 0) {
    await database.transaction(async (transaction) => {
      await transaction.run(SHORTEN_EVENTS, JSON.stringify(shorter));
      transaction.announce({ topic: 'subscriptions' });
    });
  }
  const last = rows.at(-1);
  if (!last || rows.length < limit) return null;
  return { eventsAfter: [String(last['event_id']), String(last['subscription_id'])] };
}

// Walks the primary key, whatever is due, because a step may read no more rows than its limit.
const EVENTS = `
  SELECT event_id, subscription_id, due_at, attempts, token FROM trunkline.queued_events
  WHERE (event_id, subscription_id) > ($1::uuid, $2::uuid)
  ORDER BY event_id, subscription_id
  LIMIT $3`;

/** Locks rows in the order of the primary key. Skips events that were claimed, renewed or completed since they were read. */
const SHORTEN_EVENTS = `
  WITH held AS MATERIALIZED (
    SELECT queued_events.event_id, queued_events.subscription_id, shorter.due_at
    FROM trunkline.queued_events
    JOIN json_to_recordset($1::text::json)
      AS shorter (event_id uuid, subscription_id uuid, was_due_at bigint, due_at bigint, token bigint)
      ON shorter.event_id = queued_events.event_id AND shorter.subscription_id = queued_events.subscription_id
        AND shorter.was_due_at = queued_events.due_at
        AND shorter.token IS NOT DISTINCT FROM queued_events.token
    ORDER BY queued_events.event_id, queued_events.subscription_id
    FOR UPDATE OF queued_events
  )
  UPDATE trunkline.queued_events SET due_at = held.due_at
  FROM held
  WHERE queued_events.event_id = held.event_id AND queued_events.subscription_id = held.subscription_id`;
