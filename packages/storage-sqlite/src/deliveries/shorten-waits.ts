import { queuedEventDue, withinSchedule } from '@trunkline/core/spi/storage';
import type { WaitsStep } from '@trunkline/core/spi/storage';
import type { Connection } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { wakeLane } from './lane.ts';
import { entities, integer, integerOrNull, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** The last row of the previous step. The walk visits all deliveries, then all events. */
type Place =
  | { readonly deliveriesAfter: readonly [endpointId: string, dueAt: number, deliveryId: string] }
  | { readonly eventsAfter: readonly [eventId: string, subscriptionId: string] };

/** See `Storage`. Each part checks first, because usually there is nothing to write. */
export async function shortenWaits(connection: Connection, step: WaitsStep): Promise<string | null> {
  const place: Place =
    step.after === null ? { deliveriesAfter: ['', step.now, ''] } : (JSON.parse(step.after) as Place); // the previous step wrote it
  const next =
    'eventsAfter' in place
      ? await shortenEventWaits(connection, step, place.eventsAfter)
      : ((await shortenDeliveryWaits(connection, step, place.deliveriesAfter)) ?? { eventsAfter: ['', ''] });
  return next && JSON.stringify(next);
}

async function shortenDeliveryWaits(
  { database, write }: Connection,
  { now, limit }: WaitsStep,
  [endpointId, dueAt, deliveryId]: readonly [endpointId: string, dueAt: number, deliveryId: string],
): Promise<Place | null> {
  const place = [endpointId, Math.max(now, dueAt), deliveryId] as const;
  const rows = database.all(DELIVERIES, endpointId, place[1], now, endpointId, ...place, limit);
  const overlong = rows.filter((row) => deliveryWait(row, now) !== null);
  if (overlong.length > 0) {
    await write((announce) => {
      for (const row of overlong) shortenDelivery(database, row, now);
      announce({ topic: 'deliveries' });
    });
  }
  const last = rows.at(-1);
  if (!last || rows.length < limit) return null;
  return {
    deliveriesAfter: [text(last, 'endpoint_id'), integer(last, 'due_at'), text(last, 'delivery_id')],
  };
}

// Walks the primary key of `due`, lane by lane.
const DELIVERIES = `
  SELECT due.endpoint_id, due.due_at, due.delivery_id, deliveries.status, deliveries.attempts, deliveries.next_retry_at
  FROM lanes
  CROSS JOIN due ON due.endpoint_id = lanes.endpoint_id AND due.generation = lanes.generation
    AND due.due_at >= iif(lanes.endpoint_id = ?, ?, ?)
  JOIN deliveries ON deliveries.id = due.delivery_id
  WHERE lanes.endpoint_id >= ? AND (due.endpoint_id, due.due_at, due.delivery_id) > (?, ?, ?)
  ORDER BY lanes.endpoint_id, due.due_at, due.delivery_id
  LIMIT ?`;

function deliveryWait(row: Row, now: number): ReturnType<typeof withinSchedule> {
  return withinSchedule(entities.deliveryWait.read(row), integer(row, 'due_at'), now);
}

/** Does nothing if the delivery was claimed or queued differently since it was read. */
function shortenDelivery(database: Database, row: Row, now: number): void {
  const within = deliveryWait(row, now);
  if (!within) return;
  const [endpointId, deliveryId] = [text(row, 'endpoint_id'), text(row, 'delivery_id')];
  const isThere = database.run(
    'UPDATE due SET due_at = ? WHERE delivery_id = ? AND due_at = ?',
    within.dueAt,
    deliveryId,
    integer(row, 'due_at'),
  );
  if (isThere === 0) return;
  database.update('deliveries', deliveryId, { next_retry_at: within.nextRetryAt });
  wakeLane(database, endpointId);
}

async function shortenEventWaits(
  { database, write }: Connection,
  { now, limit, leaseMs }: WaitsStep,
  [eventId, subscriptionId]: readonly [eventId: string, subscriptionId: string],
): Promise<Place | null> {
  const rows = database.all(EVENTS, eventId, subscriptionId, limit);
  const shorter = rows.flatMap((row) => {
    if (integerOrNull(row, 'due_at') === null) return [];
    const queued = entities.eventWait.read(row);
    const due = queuedEventDue(queued, { leaseMs, now });
    return due === queued.dueAt ? [] : [{ row, queued, due }];
  });
  if (shorter.length > 0) {
    await write((announce) => {
      for (const { row, queued, due } of shorter) {
        const key = [text(row, 'event_id'), text(row, 'subscription_id')] as const;
        database.run(SHORTEN_EVENT, due, ...key, queued.dueAt, queued.token);
      }
      announce({ topic: 'subscriptions' });
    });
  }
  const last = rows.at(-1);
  if (!last || rows.length < limit) return null;
  return { eventsAfter: [text(last, 'event_id'), text(last, 'subscription_id')] };
}

// Walks the primary key, whatever is due, because a step may read no more rows than its limit.
const EVENTS = `
  SELECT event_id, subscription_id, due_at, attempts, token FROM queued_events
  WHERE (event_id, subscription_id) > (?, ?)
  ORDER BY event_id, subscription_id
  LIMIT ?`;

/** Does nothing if the event was claimed, renewed or completed since it was read. */
const SHORTEN_EVENT = `
  UPDATE queued_events SET due_at = ?
  WHERE event_id = ? AND subscription_id = ? AND due_at = ? AND token IS ?`;
