import { queuedEventDue, withinSchedule } from '@trunkline/core/spi/storage';
import type { EventClaim, WaitsStep } from '@trunkline/core/spi/storage';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { wakeLane } from './lane.ts';
import { entities, integer, text } from './row.ts';
import type { Row } from './row.ts';

/** See `DeliveryStore`. Checks first, because usually there is nothing to write. */
export async function shortenDeliveryWaits(
  { database, write }: Connection,
  { now, after, limit }: WaitsStep,
): Promise<string | null> {
  const [endpointId, dueAt, deliveryId] = after === null ? ['', now, ''] : readDeliveryPlace(after);
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
  return JSON.stringify([text(last, 'endpoint_id'), integer(last, 'due_at'), text(last, 'delivery_id')]);
}

type DeliveryPlace = readonly [endpointId: string, dueAt: number, deliveryId: string];

function readDeliveryPlace(after: string): DeliveryPlace {
  return JSON.parse(after) as DeliveryPlace; // the previous step wrote it
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

/** See `SubscriptionStore`. Each step takes one event type. */
export async function shortenEventWaits(
  { database, write }: Connection,
  { subscriptionId, eventTypes, leaseMs }: Pick<EventClaim, 'subscriptionId' | 'eventTypes' | 'leaseMs'>,
  { now, after, limit }: WaitsStep,
): Promise<string | null> {
  const [index, dueAt, eventId] = after === null ? [0, now, ''] : readEventPlace(after);
  const eventType = eventTypes[index];
  if (eventType === undefined) return null;
  const from = Math.max(now, dueAt);
  const rows = database.all(EVENTS, subscriptionId, eventType, from, from, eventId, limit);
  const shorter = rows.flatMap((row) => {
    const queued = entities.eventWait.read(row);
    const due = queuedEventDue(queued, { leaseMs, now });
    return due === queued.dueAt ? [] : [{ ...queued, due, eventId: text(row, 'event_id') }];
  });
  if (shorter.length > 0) {
    await write((announce) => {
      for (const one of shorter)
        database.run(SHORTEN_EVENT, one.due, one.eventId, subscriptionId, one.dueAt, one.token);
      announce({ topic: 'subscriptions' });
    });
  }
  const last = rows.at(-1);
  const place: EventPlace =
    last && rows.length === limit
      ? [index, integer(last, 'due_at'), text(last, 'event_id')]
      : [index + 1, now, ''];
  return JSON.stringify(place);
}

type EventPlace = readonly [typeIndex: number, dueAt: number, eventId: string];

function readEventPlace(after: string): EventPlace {
  return JSON.parse(after) as EventPlace; // the previous step wrote it
}

// Relies on queued_events_due.
const EVENTS = `
  SELECT event_id, due_at, attempts, token FROM queued_events
  WHERE subscription_id = ? AND event_type = ? AND due_at >= ? AND (due_at, event_id) > (?, ?)
  ORDER BY due_at, event_id
  LIMIT ?`;

/** Does nothing if the event was claimed, renewed or completed since it was read. */
const SHORTEN_EVENT = `
  UPDATE queued_events SET due_at = ?
  WHERE event_id = ? AND subscription_id = ? AND due_at = ? AND token IS ?`;
