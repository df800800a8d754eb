import { INSTANCE_STATUSES, orderOfId } from '@trunkline/core/spi/storage';
import type {
  IdPrefix,
  InstanceQueue,
  InstanceStatus,
  QueuedSince,
  Workload,
  WorkloadStore,
} from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { NEEDED_NETWORKS, NEEDS_GATEWAY, networksOf } from './lease.ts';
import { actionOfEntry } from '../rows/action-of-entry.ts';
import { entities, integer, integerOrNull, text, textOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** Every count stops at a limit, and every query reads along an index. */
export function workloadStore(connected: Connected): WorkloadStore {
  return {
    read: async ({ now, limit }) => {
      const { database } = connected();
      return database.snapshot(() => ({
        instances: instancesByNetwork(database, limit),
        unheldInstances: count(database, UNHELD, now, limit),
        ...queuedMessages(database, limit),
        ...openDeliveries(database, limit),
        // Relies on lanes_to_wake.
        deliveriesDueAt: time(database, DELIVERIES_DUE),
        failingEndpoints: count(database, FAILING_ENDPOINTS, limit),
        queuedEvents: count(database, QUEUED_EVENTS, limit),
        exhaustedEvents: count(database, EXHAUSTED_EVENTS, limit),
        eventsDueAt: time(database, EVENTS_DUE),
        pendingDownloads: count(database, PENDING_DOWNLOADS, limit),
        oldestEventAt: madeAt(database, 'evt', OLDEST_EVENT),
      }));
    },
    queues: async ({ workspaceId, instanceId }, { now, countUpTo, limit }) => {
      const { database } = connected();
      const values = [countUpTo, countUpTo, now, workspaceId];
      const rows =
        instanceId === null
          ? database.all(QUEUES_OF_WORKSPACE, ...values)
          : database.all(QUEUE_OF_INSTANCE, ...values, instanceId);
      return rows
        .map((row) => readQueue(database, row, countUpTo))
        .toSorted(byAge)
        .slice(0, limit);
    },
  };
}

function readQueue(database: Database, row: Row, countUpTo: number): InstanceQueue {
  const ids = [textOrNull(row, 'first_id'), textOrNull(row, 'held_id')].flatMap((id) => id ?? []);
  const [entryId] = ids.toSorted();
  return {
    instanceId: text(row, 'id'),
    queued: Math.min(countUpTo, integer(row, 'in_queue') + integer(row, 'held')),
    oldest: entryId === undefined ? null : waitingSince(database, entryId),
    heldBy: textOrNull(row, 'held_by'),
  };
}

function waitingSince(
  database: Database,
  entryId: string,
): { readonly messageId: string; readonly since: number } {
  return { messageId: messageOfEntry(database, entryId), since: sinceOf(database, entryId) };
}

/** The message of an entry in a queue: the message itself, or the one that its action is about. */
function messageOfEntry(database: Database, entryId: string): string {
  const row = database.get(MESSAGE_OF_ACTION, entryId);
  return row ? text(row, 'message_id') : entryId;
}

const MESSAGE_OF_ACTION = `SELECT message_id FROM message_actions WHERE ${actionOfEntry('?')}`;

function byAge(a: InstanceQueue, b: InstanceQueue): number {
  return (a.oldest?.since ?? 0) - (b.oldest?.since ?? 0) || (a.instanceId < b.instanceId ? -1 : 1);
}

// Relies on the primary key of queue and on held_messages_by_position. Treats the first held message as the oldest one.
const queues = (of: string): string => `
  SELECT id,
    (SELECT count(*) FROM (SELECT 1 FROM queue WHERE instance_id = instances.id LIMIT ?)) AS in_queue,
    (SELECT count(*) FROM (SELECT 1 FROM held_messages WHERE instance_id = instances.id LIMIT ?)) AS held,
    (SELECT message_id FROM queue WHERE instance_id = instances.id ORDER BY position LIMIT 1) AS first_id,
    (SELECT message_id FROM held_messages WHERE instance_id = instances.id ORDER BY position LIMIT 1) AS held_id,
    iif(lease_owner <> '' AND lease_expires_at > ?, lease_owner, NULL) AS held_by
  FROM instances
  WHERE ${of}`;

const QUEUE_OF_INSTANCE = queues('workspace_id = ? AND id = ?');

// Relies on instances_by_workspace.
const QUEUES_OF_WORKSPACE = queues(`workspace_id = ? AND (
  EXISTS (SELECT 1 FROM queue WHERE instance_id = instances.id)
  OR EXISTS (SELECT 1 FROM held_messages WHERE instance_id = instances.id))`);

function instancesByNetwork(database: Database, limit: number): Workload['instances'] {
  const inStatus = (network: string) =>
    INSTANCE_STATUSES.map((status) => [status, count(database, WITH_STATUS, network, status, limit)]);
  return Object.fromEntries(
    database.all(NETWORKS).map((row) => {
      const network = text(row, 'network');
      return [network, Object.fromEntries(inStatus(network)) as Record<InstanceStatus, number>]; // all statuses
    }),
  );
}

function queuedMessages(database: Database, limit: number) {
  const inQueues = count(database, QUEUED, limit);
  const held = count(database, HELD, limit - inQueues);
  const rows = [database.get(OLDEST_QUEUED, limit), database.get(OLDEST_HELD)];
  const first = rows.flatMap((row) => queuedSince(database, row));
  const [oldest = null] = first.toSorted((a, b) => a.since - b.since);
  return { queuedMessages: inQueues + held, oldestQueuedMessage: oldest };
}

/** An aggregate over no rows is a row of nulls. */
function queuedSince(database: Database, row: Row | undefined): readonly QueuedSince[] {
  const entryId = row ? textOrNull(row, 'message_id') : null;
  if (!row || entryId === null) return [];
  const of = { workspaceId: text(row, 'workspace_id'), instanceId: text(row, 'instance_id') };
  return [{ ...of, ...waitingSince(database, entryId) }];
}

function sinceOf(database: Database, entryId: string): number {
  const sql = 'SELECT details FROM message_details WHERE message_id = ?';
  return entities.message.queuedSince(database.get(sql, entryId) ?? { details: null }, entryId);
}

function openDeliveries(database: Database, limit: number) {
  const waiting = count(database, DUE, limit);
  const inFlight = count(database, CLAIMED, limit - waiting);
  return {
    openDeliveries: waiting + inFlight,
    oldestOpenDeliveryAt: madeAt(database, 'whd', OLDEST_DUE),
  };
}

function count(database: Database, sql: string, ...values: readonly (string | number)[]): number {
  const row = database.get(sql, ...values);
  return row ? integer(row, 'count') : 0;
}

function time(database: Database, sql: string): number | null {
  const row = database.get(sql);
  return row ? integerOrNull(row, 'at') : null;
}

function madeAt(database: Database, prefix: IdPrefix, sql: string): number | null {
  const row = database.get(sql);
  return row ? orderOfId(prefix, text(row, 'id')).ms : null;
}

/** Counts rows up to the limit. Conditions that are always true make SQLite walk an index from its beginning. */
const counted = (rows: string): string => `SELECT count(*) AS count FROM (SELECT 1 FROM ${rows} LIMIT ?)`;

// NETWORKS and WITH_STATUS rely on instances_by_status.
const NETWORKS = networksOf("network > ''");
const WITH_STATUS = counted('instances WHERE network = ? AND status = ?');

// Relies on instances_to_hold.
const UNHELD = counted(
  `instances WHERE network IN (${NEEDED_NETWORKS}) AND (${NEEDS_GATEWAY}) AND lease_expires_at <= ?`,
);

// QUEUED and HELD rely on primary keys.
const QUEUED = counted("queue WHERE instance_id > ''");

const HELD = counted("held_messages WHERE message_id > ''");

const DUE = counted("due WHERE delivery_id > ''");

const CLAIMED = counted('claims WHERE expires_at > 0');

/** The oldest of the queues' first messages. Walks from one instance with a queue to the next, up to the limit. */
const OLDEST_QUEUED = `
  WITH RECURSIVE instance_with_queue (id, number) AS (
    SELECT (SELECT instance_id FROM queue WHERE instance_id > '' ORDER BY instance_id LIMIT 1), 1
    UNION ALL
    SELECT (SELECT instance_id FROM queue WHERE instance_id > instance_with_queue.id ORDER BY instance_id LIMIT 1), number + 1
    FROM instance_with_queue
    WHERE instance_with_queue.id IS NOT NULL AND number < ?
  )
  SELECT oldest.instance_id, oldest.message_id, instances.workspace_id
  FROM (
    SELECT instance_id, min(message_id) AS message_id
    FROM (
      SELECT
        instance_with_queue.id AS instance_id,
        (SELECT message_id FROM queue WHERE instance_id = instance_with_queue.id ORDER BY position LIMIT 1) AS message_id
      FROM instance_with_queue
      WHERE instance_with_queue.id IS NOT NULL
    )
  ) AS oldest
  JOIN instances ON instances.id = oldest.instance_id`;

const OLDEST_HELD = `
  SELECT held_messages.instance_id, message_id, workspace_id
  FROM held_messages JOIN instances ON instances.id = held_messages.instance_id
  WHERE message_id > ''
  ORDER BY message_id
  LIMIT 1`;

// Relies on the unique index of the deliveries' ids.
const OLDEST_DUE = "SELECT delivery_id AS id FROM due WHERE delivery_id > '' ORDER BY delivery_id LIMIT 1";

const DELIVERIES_DUE = `
  SELECT wake_at AS at FROM lanes WHERE wake_at IS NOT NULL AND is_paused = 0 ORDER BY wake_at LIMIT 1`;

// Relies on endpoints_failing.
const FAILING_ENDPOINTS = counted(
  "endpoints WHERE failing_since IS NOT NULL AND exhausted = 1 AND status = 'enabled' AND id > ''",
);

// Relies on queued_events_due.
const QUEUED_EVENTS = counted("queued_events WHERE subscription_id > '' AND due_at IS NOT NULL");

// Relies on queued_events_exhausted.
const EXHAUSTED_EVENTS = counted("queued_events WHERE subscription_id > '' AND due_at IS NULL");

// Relies on queued_events_due, of which it reads the first event of each type that a subscription wants.
const EVENTS_DUE = `
  SELECT min((
    SELECT due_at FROM queued_events
    WHERE subscription_id = subscriptions.id AND event_type = json_each.value AND due_at IS NOT NULL
    ORDER BY due_at
    LIMIT 1
  )) AS at
  FROM subscriptions CROSS JOIN json_each(subscriptions.event_types)`;

// Relies on pending_downloads_expiring.
const PENDING_DOWNLOADS = counted('pending_downloads WHERE expires_at > 0');

const OLDEST_EVENT = "SELECT id FROM events WHERE id > '' ORDER BY id LIMIT 1";
