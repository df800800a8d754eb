import { newDelivery } from '@trunkline/core';
import type { Delivery, Event } from '@trunkline/core';
import type { Transaction } from './database.ts';
import { deliveryColumns } from './delivery-row.ts';
import { id, integer, json } from './row.ts';
import type { Row } from './row.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

/** Stores events with a delivery for each endpoint that subscribes; an event that nobody wants is not stored. */
export async function storeEvents(transaction: Transaction, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return;
  const workspaces = new Set(events.map(({ workspaceId }) => uuidOf('ten', workspaceId)));
  const types = new Set(events.map(({ type }) => type));
  const endpoints = (await transaction.all(SUBSCRIBERS, [...workspaces], [...types])).map(readSubscriber);
  await deliver(
    transaction,
    events.map((event) => ({ event, endpoints: endpoints.filter((endpoint) => isFor(endpoint, event)) })),
  );
}

/** An event for one endpoint, whatever that subscribes to. */
export interface DirectEvent {
  readonly webhookId: string;
  readonly event: Event;
}

/** Stores each for its endpoint; null where that is gone, disabled or of another workspace. */
export async function storeEventsFor(
  transaction: Transaction,
  direct: readonly DirectEvent[],
): Promise<readonly (Delivery | null)[]> {
  const uuids = new Set(direct.map(({ webhookId }) => uuidToFind('wh', webhookId)));
  const enabled = (await transaction.all(ENABLED, [...uuids])).map(readSubscriber);
  const fanOuts = direct.map(({ webhookId, event }) => ({
    event,
    endpoints: enabled.filter(
      (endpoint) => endpoint.id === webhookId && endpoint.workspaceId === event.workspaceId,
    ),
  }));
  const deliveries = [...(await deliver(transaction, fanOuts))];
  return fanOuts.map(({ endpoints }) => (endpoints.length > 0 ? (deliveries.shift() ?? null) : null));
}

interface Subscriber {
  readonly id: string;
  readonly workspaceId: string;
  readonly events: readonly string[];
  readonly generation: number;
}

const COLUMNS = 'id, workspace_id, to_json(events) AS events, generation';

/**
 * In id order, as the deliveries are made. The lock keeps a closing out until these are committed, and waits for one
 * that is under way: then the row is read as that has left it. Relies on endpoints_by_workspace.
 */
const SUBSCRIBERS = `
  SELECT ${COLUMNS} FROM trunkline.endpoints
  WHERE workspace_id = ANY ($1::uuid[]) AND status = 'enabled' AND events && $2::text[]
  ORDER BY id
  FOR KEY SHARE`;

const ENABLED = `
  SELECT ${COLUMNS} FROM trunkline.endpoints
  WHERE id = ANY ($1::uuid[]) AND status = 'enabled'
  ORDER BY id
  FOR KEY SHARE`;

function readSubscriber(row: Row): Subscriber {
  return {
    id: id(row, 'id', 'wh'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    events: json(row, 'events'),
    generation: integer(row, 'generation'),
  };
}

function isFor({ workspaceId, events }: Subscriber, event: Event): boolean {
  return workspaceId === event.workspaceId && events.includes(event.type);
}

interface FanOut {
  readonly event: Event;
  readonly endpoints: readonly Subscriber[];
}

async function deliver(
  { newId, all, announce }: Transaction,
  fanOuts: readonly FanOut[],
): Promise<readonly Delivery[]> {
  const wanted = fanOuts.filter(({ endpoints }) => endpoints.length > 0);
  if (wanted.length === 0) return [];
  const deliveries = wanted.flatMap(({ event, endpoints }) =>
    endpoints.map(({ id: webhookId, generation }) => ({
      delivery: newDelivery(event, webhookId, newId),
      generation,
    })),
  );
  await all(
    STORE,
    JSON.stringify(wanted.map(({ event }) => eventColumns(event))),
    JSON.stringify(deliveries.map(({ delivery, generation }) => deliveryColumns(delivery, generation))),
  );
  announce({ topic: 'deliveries' });
  return deliveries.map(({ delivery }) => delivery);
}

/** One statement, so that a batch takes one round trip. An event may be stored already, for another endpoint. */
const STORE = `
  WITH stored AS (
    INSERT INTO trunkline.events (id, workspace_id, type, occurred_at, payload)
    SELECT id, workspace_id, type, occurred_at, payload
    FROM json_to_recordset($1::text::json)
      AS event (id uuid, workspace_id uuid, type text, occurred_at bigint, payload text)
    ON CONFLICT (id) DO NOTHING
  ), made AS (
    INSERT INTO trunkline.deliveries
    SELECT * FROM json_populate_recordset(NULL::trunkline.deliveries, $2::text::json)
    RETURNING id, webhook_id, generation, created_at
  ), queued AS (
    INSERT INTO trunkline.due (endpoint_id, generation, due_at, delivery_id, lost_claims)
    SELECT webhook_id, generation, created_at, id, 0 FROM made
  )
  INSERT INTO trunkline.wake (endpoint_id, due_at)
  SELECT webhook_id, min(created_at) FROM made GROUP BY webhook_id`;

function eventColumns(event: Event) {
  return {
    id: uuidOf('evt', event.id),
    workspace_id: uuidOf('ten', event.workspaceId),
    type: event.type,
    occurred_at: event.occurredAt,
    payload: encodeText(event.payload),
  };
}
