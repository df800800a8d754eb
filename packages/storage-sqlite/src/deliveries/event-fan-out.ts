import { isAboutOneOf, newDelivery } from '@trunkline/core/spi/storage';
import type { Delivery, Event, EventRecord, NewId } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { deliveryColumns } from './delivery-row.ts';
import { queueDelivery } from './lane.ts';
import { integer, json, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { queueEvent, subscriptionsTo } from './subscription-queue.ts';
import type { Announce } from '../database/writer.ts';

/** The parts of an open transaction that are needed to store events. */
export interface Transaction {
  readonly database: Database;
  readonly newId: NewId;
  readonly announce: Announce;
}

/**
 * Stores events, each with a delivery for each subscribed endpoint and a place in the queue of each subscription to its
 * type.
 */
export function storeEvents(transaction: Transaction, events: readonly EventRecord[]): void {
  const { database, announce } = transaction;
  for (const event of events) {
    const endpoints = subscribers(database, event);
    const subscriptionIds = subscriptionsTo(database, event.type);
    storeEvent(database, event);
    log(database, event);
    storeTrace(database, event);
    announce({ topic: 'events', workspaceId: event.workspaceId });
    deliver(transaction, event, endpoints);
    queue(transaction, event, subscriptionIds);
  }
}

/**
 * Stores an event with a delivery to this endpoint only. Returns null if the endpoint is gone, disabled or of another
 * workspace.
 */
export function storeEventFor(transaction: Transaction, endpointId: string, event: Event): Delivery | null {
  const endpoint = transaction.database.get(`${ENABLED} AND endpoints.id = ?`, event.workspaceId, endpointId);
  if (!endpoint) return null;
  storeEvent(transaction.database, event);
  return deliver(transaction, event, [endpoint])[0] ?? null;
}

/** The enabled endpoints of a workspace, with the generations of their lanes. Relies on endpoints_by_workspace. */
const ENABLED = `
  SELECT endpoints.id, endpoints.events, endpoints.instances, lanes.generation
  FROM endpoints JOIN lanes ON lanes.endpoint_id = endpoints.id
  WHERE endpoints.workspace_id = ? AND endpoints.status = 'enabled'`;

/** A workspace has few endpoints, so their lists of events are read rather than indexed. */
function subscribers(database: Database, { workspaceId, type, subject }: EventRecord): readonly Row[] {
  return database
    .all(`${ENABLED} ORDER BY endpoints.id`, workspaceId)
    .filter((row) => json<readonly string[]>(row, 'events').includes(type))
    .filter((row) => isAboutOneOf(row['instances'] === null ? null : json(row, 'instances'), subject));
}

function deliver(
  { database, newId, announce }: Transaction,
  event: Event,
  endpoints: readonly Row[],
): readonly Delivery[] {
  if (endpoints.length > 0) announce({ topic: 'deliveries' });
  return endpoints.map((endpoint) => {
    const generation = integer(endpoint, 'generation');
    const delivery = newDelivery(event, text(endpoint, 'id'), newId);
    const { id, endpointId, createdAt } = delivery;
    database.insert('deliveries', deliveryColumns(delivery, generation));
    queueDelivery(database, {
      endpointId,
      generation,
      deliveryId: id,
      dueAt: createdAt,
      lostClaims: 0,
    });
    return delivery;
  });
}

function queue({ database, announce }: Transaction, event: Event, subscriptionIds: readonly string[]): void {
  if (subscriptionIds.length > 0) announce({ topic: 'subscriptions' });
  for (const subscriptionId of subscriptionIds) queueEvent(database, subscriptionId, event);
}

function log(database: Database, { workspaceId, id, type, subject }: EventRecord): void {
  database.run(
    `INSERT INTO event_log (workspace_id, id, type, instance_id, message_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, id) DO NOTHING`,
    workspaceId,
    id,
    type,
    subject.instanceId,
    subject.messageId,
  );
}

function storeTrace(database: Database, { id, traceparent = null }: EventRecord): void {
  if (traceparent === null) return;
  database.run('INSERT OR IGNORE INTO event_traces (event_id, traceparent) VALUES (?, ?)', id, traceparent);
}

function storeEvent(database: Database, event: Event): void {
  database.run(
    `INSERT INTO events (id, workspace_id, type, occurred_at, payload) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
    event.id,
    event.workspaceId,
    event.type,
    event.occurredAt,
    event.payload,
  );
}
