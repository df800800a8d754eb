import { isAboutOneOf, newDelivery } from '@trunkline/core/spi/storage';
import type { Delivery, Event, EventRecord } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { openColumns } from './delivery-row.ts';
import { id, integer, json } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

/**
 * Stores events, each with a delivery for each subscribed endpoint and a place in the queue of each subscription to its
 * type.
 */
export async function storeEvents(transaction: Transaction, events: readonly EventRecord[]): Promise<void> {
  if (events.length === 0) return;
  await storeWanted(transaction, events, await findWanting(transaction, events));
}

export interface LastEvents {
  readonly events: readonly EventRecord[];
  /** The result of `findWanting`. */
  readonly wanting: readonly Row[];
  /** The statement that follows, if any. */
  readonly followedBy: (() => Promise<unknown>) | null;
}

/** Stores events with the last statements of the transaction, and commits it. */
export async function storeLastEvents(
  transaction: Transaction,
  { events, wanting, followedBy }: LastEvents,
): Promise<void> {
  const after = followedBy ? [followedBy] : [];
  if (events.length > 0)
    await storeWanted(transaction, events, wanting, (store) => transaction.last(store, ...after));
  else await transaction.last(...after);
}

/** Finds, and locks, what may want these events. */
export function findWanting({ all }: Transaction, events: readonly EventRecord[]): Promise<readonly Row[]> {
  const workspaces = new Set(events.map(({ workspaceId }) => uuidOf('ten', workspaceId)));
  const types = new Set(events.map(({ type }) => type));
  return all(WANTING, [...workspaces], [...types]);
}

type RunStore = (statement: () => Promise<unknown>) => Promise<unknown>;

async function storeWanted(
  transaction: Transaction,
  events: readonly EventRecord[],
  rows: readonly Row[],
  run?: RunStore,
): Promise<void> {
  const isSubscription = (row: Row): boolean => row['workspace_id'] === null;
  const endpoints = rows.filter((row) => !isSubscription(row)).map(readSubscriber);
  const subscriptions = rows.filter(isSubscription).map(readSubscription);
  const fanOuts = events.map((event) => ({
    event,
    endpoints: endpoints.filter((endpoint) => isFor(endpoint, event)),
    subscriptions: subscriptions.filter(({ eventTypes }) => eventTypes.includes(event.type)),
  }));
  await store(transaction, fanOuts, events, run);
  for (const workspaceId of new Set(events.map((event) => event.workspaceId)))
    transaction.announce({ topic: 'events', workspaceId });
}

/** An event for one endpoint, whatever types the endpoint subscribes to. */
export interface DirectEvent {
  readonly endpointId: string;
  readonly event: Event;
}

/**
 * Stores each event with a delivery to its endpoint. Returns null for an event if the endpoint is gone, disabled or of
 * another workspace.
 */
export async function storeEventsFor(
  transaction: Transaction,
  direct: readonly DirectEvent[],
): Promise<readonly (Delivery | null)[]> {
  const uuids = new Set(direct.map(({ endpointId }) => uuidToFind('wh', endpointId)));
  const enabled = (await transaction.all(ENABLED, [...uuids])).map(readSubscriber);
  const fanOuts = direct.map(({ endpointId, event }) => ({
    event,
    endpoints: enabled.filter(
      (endpoint) => endpoint.id === endpointId && endpoint.workspaceId === event.workspaceId,
    ),
    subscriptions: [],
  }));
  const wanted = fanOuts.filter(({ endpoints }) => endpoints.length > 0);
  if (wanted.length === 0) return direct.map(() => null);
  const deliveries = [...(await store(transaction, wanted, []))];
  return fanOuts.map(({ endpoints }) => (endpoints.length > 0 ? (deliveries.shift() ?? null) : null));
}

interface Subscriber {
  readonly id: string;
  readonly workspaceId: string;
  readonly events: readonly string[];
  readonly instances: readonly string[] | null;
  readonly generation: number;
}

interface SubscribedTypes {
  readonly id: string;
  readonly eventTypes: readonly string[];
}

const COLUMNS = 'id, workspace_id, to_json(events) AS events, to_json(instances) AS instances, generation';

/**
 * Locks endpoints in id order, which is also the order of an event's deliveries. The lock keeps a cancellation out
 * until the deliveries are committed, and waits for a cancellation in progress, whose result is then read. Relies on
 * endpoints_by_workspace. Subscriptions, which are few and belong to no workspace, are not locked, because every event
 * would need those locks.
 */
const WANTING = `
  WITH endpoint AS MATERIALIZED (
    SELECT ${COLUMNS} FROM trunkline.endpoints
    WHERE workspace_id = ANY ($1::uuid[]) AND status = 'enabled' AND events && $2::text[]
    ORDER BY id
    FOR KEY SHARE
  )
  SELECT * FROM endpoint
  UNION ALL
  SELECT id, NULL, to_json(event_types), NULL, NULL FROM trunkline.subscriptions WHERE event_types && $2::text[]
  ORDER BY id`;

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
    instances: row['instances'] === null ? null : json(row, 'instances'),
    generation: integer(row, 'generation'),
  };
}

function readSubscription(row: Row): SubscribedTypes {
  return { id: id(row, 'id', 'sub'), eventTypes: json(row, 'events') };
}

function isFor({ workspaceId, events, instances }: Subscriber, event: EventRecord): boolean {
  return (
    workspaceId === event.workspaceId && events.includes(event.type) && isAboutOneOf(instances, event.subject)
  );
}

interface FanOut {
  readonly event: Event;
  readonly endpoints: readonly Subscriber[];
  readonly subscriptions: readonly SubscribedTypes[];
}

/** Returns the deliveries, event by event. `logged` are the events that go to the log. */
async function store(
  { newId, all, announce }: Transaction,
  fanOuts: readonly FanOut[],
  logged: readonly EventRecord[],
  run: RunStore = (statement) => statement(),
): Promise<readonly Delivery[]> {
  const deliveries = fanOuts.flatMap(({ event, endpoints }) =>
    endpoints.map(({ id: endpointId, generation }) => ({
      delivery: newDelivery(event, endpointId, newId),
      generation,
    })),
  );
  const queued = fanOuts.flatMap(({ event, subscriptions }) =>
    subscriptions.map((subscription) => queuedColumns(event, subscription)),
  );
  await run(() =>
    all(
      STORE,
      JSON.stringify(fanOuts.map(({ event }) => eventColumns(event))),
      JSON.stringify(deliveries.map(({ delivery, generation }) => openColumns(delivery, generation))),
      JSON.stringify(queued),
      JSON.stringify(logged.map(logColumns)),
    ),
  );
  if (deliveries.length > 0) announce({ topic: 'deliveries' });
  if (queued.length > 0) announce({ topic: 'subscriptions' });
  return deliveries.map(({ delivery }) => delivery);
}

/** One statement, so that a batch takes one round trip. An event may already be stored for another endpoint. */
const STORE = `
  WITH stored AS (
    INSERT INTO trunkline.events (id, workspace_id, type, occurred_at, payload, traceparent)
    SELECT id, workspace_id, type, occurred_at, payload, traceparent
    FROM json_to_recordset($1::text::json)
      AS event (id uuid, workspace_id uuid, type text, occurred_at bigint, payload text, traceparent text)
    ON CONFLICT (id) DO NOTHING
  ), logged AS (
    INSERT INTO trunkline.event_log (workspace_id, id, type, instance_id, message_id)
    SELECT workspace_id, id, type, instance_id, message_id
    FROM json_to_recordset($4::text::json)
      AS event (workspace_id uuid, id uuid, type text, instance_id uuid, message_id uuid)
    ON CONFLICT (workspace_id, id) DO NOTHING
  ), made AS (
    INSERT INTO trunkline.open_deliveries
    SELECT * FROM json_populate_recordset(NULL::trunkline.open_deliveries, $2::text::json)
    RETURNING webhook_id, created_at
  ), queued_for_subscriptions AS (
    INSERT INTO trunkline.queued_events (event_id, subscription_id, event_type, due_at, attempts, lost_claims)
    SELECT event_id, subscription_id, event_type, due_at, 0, 0
    FROM json_to_recordset($3::text::json)
      AS queued (event_id uuid, subscription_id uuid, event_type text, due_at bigint)
  )
  INSERT INTO trunkline.wake (endpoint_id, due_at)
  SELECT webhook_id, min(created_at) FROM made GROUP BY webhook_id`;

function eventColumns(event: Event | EventRecord) {
  return {
    id: uuidOf('evt', event.id),
    workspace_id: uuidOf('ten', event.workspaceId),
    type: event.type,
    occurred_at: event.occurredAt,
    payload: encodeText(event.payload),
    // Without a traceparent, the column is null.
    ...('traceparent' in event && { traceparent: event.traceparent }),
  };
}

function logColumns({ workspaceId, id: eventId, type, subject }: EventRecord) {
  const { instanceId, messageId } = subject;
  return {
    workspace_id: uuidOf('ten', workspaceId),
    id: uuidOf('evt', eventId),
    type,
    instance_id: instanceId && uuidOf('ins', instanceId),
    message_id: messageId && uuidOf('msg', messageId),
  };
}

function queuedColumns(event: Event, { id: subscriptionId }: SubscribedTypes) {
  return {
    event_id: uuidOf('evt', event.id),
    subscription_id: uuidOf('sub', subscriptionId),
    event_type: event.type,
    due_at: Math.floor(event.occurredAt / 1000),
  };
}
