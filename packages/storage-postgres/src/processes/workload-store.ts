import { INSTANCE_STATUSES, orderOfId } from '@trunkline/core/spi/storage';
import type {
  IdPrefix,
  InstanceQueue,
  QueuedSince,
  Workload,
  WorkloadStore,
} from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { NEEDED_NETWORKS, NEEDS_GATEWAY, networksOf } from './lease.ts';
import { entities, id, idOrNull, integer, integerOrNull, json, textOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf } from '../rows/uuid.ts';

/** Every count stops at a limit, and every query reads along an index. */
export function workloadStore(connected: Connected): WorkloadStore {
  return {
    async read({ now, limit }) {
      const row = await connected().get(READ, now, limit);
      if (!row) throw new Error('A SELECT without FROM returned no row: check the database for damage.');
      return readWorkload(row);
    },
    async queues({ workspaceId, instanceId }, { now, countUpTo, limit }) {
      const rows =
        instanceId === null
          ? await connected().all(QUEUES_OF_WORKSPACE, uuidOf('ten', workspaceId), now, countUpTo, limit)
          : await connected().all(
              QUEUE_OF_INSTANCE,
              uuidOf('ten', workspaceId),
              now,
              countUpTo,
              uuidOf('ins', instanceId),
            );
      return rows.map(readQueue);
    },
  };
}

function readQueue(row: Row): InstanceQueue {
  return {
    instanceId: id(row, 'instance_id', 'ins'),
    queued: integer(row, 'queued'),
    oldest: readOldest(row),
    heldBy: textOrNull(row, 'held_by'),
  };
}

/** The message that the oldest entry is about, and since when the entry waits. */
function readOldest(row: Row): InstanceQueue['oldest'] {
  const entryId = idOrNull(row, 'message_id', 'msg');
  if (entryId === null) return null;
  return { messageId: id(row, 'about_id', 'msg'), since: entities.message.queuedSince(row, entryId) };
}

/** The message of the oldest entry, which may be an action on that message. */
const ABOUT = `coalesce(
      (SELECT action.message_id FROM trunkline.message_actions AS action WHERE action.id = oldest.message_id),
      oldest.message_id
    ) AS about_id`;
const DETAILS = '(SELECT details FROM trunkline.messages WHERE messages.id = oldest.message_id) AS details';

/**
 * To find the oldest message of a queue, looks at no more than a hundred held messages. Relies on
 * held_messages_by_recipient.
 */
const queues = (where: string): string => `
  SELECT instances.id AS instance_id, least($3::bigint, queues.length) AS queued, oldest.message_id, ${ABOUT}, ${DETAILS},
    CASE WHEN lease_owner <> '' AND lease_expires_at > $2 THEN lease_owner END AS held_by
  FROM trunkline.instances
  JOIN trunkline.queues ON queues.instance_id = instances.id
  LEFT JOIN LATERAL (
    SELECT message_id
    FROM (
      (SELECT message_id FROM trunkline.queued_messages WHERE instance_id = instances.id ORDER BY position LIMIT 1)
      UNION ALL
      (SELECT message_id FROM trunkline.held_messages WHERE instance_id = instances.id ORDER BY recipient, held_since LIMIT 100)
    ) AS first
    ORDER BY message_id
    LIMIT 1
  ) AS oldest ON true
  WHERE instances.workspace_id = $1 AND ${where}`;

const QUEUE_OF_INSTANCE = queues('instances.id = $4');

// Relies on instances_by_workspace.
const QUEUES_OF_WORKSPACE = `${queues('queues.length > 0')} ORDER BY oldest.message_id, instances.id LIMIT $4`;

function readWorkload(row: Row): Workload {
  return {
    instances: json<Workload['instances']>(row, 'instances'),
    unheldInstances: integer(row, 'unheld_instances'),
    queuedMessages: integer(row, 'queued_messages'),
    oldestQueuedMessage: readQueuedSince(row),
    openDeliveries: integer(row, 'open_deliveries'),
    oldestOpenDeliveryAt: madeAt(row, 'oldest_open_delivery', 'whd'),
    deliveriesDueAt: integerOrNull(row, 'deliveries_due_at'),
    failingEndpoints: integer(row, 'failing_endpoints'),
    queuedEvents: integer(row, 'queued_events'),
    exhaustedEvents: integer(row, 'exhausted_events'),
    eventsDueAt: integerOrNull(row, 'events_due_at'),
    pendingDownloads: integer(row, 'pending_downloads'),
    oldestEventAt: madeAt(row, 'oldest_event', 'evt'),
  };
}

function readQueuedSince(row: Row): QueuedSince | null {
  const oldest = readOldest(row);
  return (
    oldest && {
      workspaceId: id(row, 'workspace_id', 'ten'),
      instanceId: id(row, 'instance_id', 'ins'),
      ...oldest,
    }
  );
}

function madeAt(row: Row, column: string, prefix: IdPrefix): number | null {
  const found = idOrNull(row, column, prefix);
  return found === null ? null : orderOfId(prefix, found).ms;
}

const counted = (name: string, rows: string): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM trunkline.${rows} LIMIT $2::bigint) AS counted) AS ${name}`;

// Relies on instances_by_status.
const inStatus = INSTANCE_STATUSES.map(
  (status) =>
    `'${status}', (SELECT count(*) FROM (SELECT 1 FROM trunkline.instances
      WHERE network = found.network AND status = '${status}' LIMIT $2::bigint) AS counted)`,
);
const INSTANCES = `(
  SELECT coalesce(json_object_agg(network, json_build_object(${inStatus.join(', ')})), '{}')::text
  FROM (${networksOf('true')}) AS found
) AS instances`;

// Each walk is sorted like the primary key of its table, or like one of these indexes: instances_to_hold,
// lanes_to_wake, endpoints_failing, queued_events_due, queued_events_exhausted and pending_downloads_expiring.
const READ = `
  SELECT
    ${INSTANCES},
    ${counted('unheld_instances', `instances WHERE network IN (${NEEDED_NETWORKS}) AND ${NEEDS_GATEWAY} AND lease_expires_at <= $1::bigint`)},
    least($2::bigint, in_queues.count + held.count) AS queued_messages,
    oldest.message_id, ${ABOUT}, ${DETAILS}, oldest.instance_id, oldest.workspace_id,
    ${counted('open_deliveries', 'open_deliveries ORDER BY id')},
    (SELECT id FROM trunkline.open_deliveries ORDER BY id LIMIT 1) AS oldest_open_delivery,
    -- Deliveries that were queued since the last claim are in no lane yet.
    least(
      (SELECT wake_at FROM trunkline.lanes WHERE wake_at IS NOT NULL AND NOT is_paused ORDER BY wake_at LIMIT 1),
      (SELECT due_at FROM trunkline.wake ORDER BY id LIMIT 1)
    ) AS deliveries_due_at,
    ${counted('failing_endpoints', "endpoints WHERE failing_since IS NOT NULL AND exhausted AND status = 'enabled' ORDER BY id")},
    ${counted('queued_events', 'queued_events WHERE due_at IS NOT NULL ORDER BY subscription_id, event_type, due_at, event_id')},
    ${counted('exhausted_events', 'queued_events WHERE due_at IS NULL ORDER BY subscription_id, exhausted_at, event_id')},
    (
      SELECT min(first.due_at)
      FROM trunkline.subscriptions
      CROSS JOIN LATERAL unnest(subscriptions.event_types) AS wanted (event_type)
      CROSS JOIN LATERAL (
        SELECT due_at FROM trunkline.queued_events
        WHERE subscription_id = subscriptions.id AND queued_events.event_type = wanted.event_type
          AND due_at IS NOT NULL
        ORDER BY due_at
        LIMIT 1
      ) AS first
    ) AS events_due_at,
    ${counted('pending_downloads', 'pending_downloads ORDER BY expires_at, message_id')},
    (SELECT id FROM trunkline.events ORDER BY id LIMIT 1) AS oldest_event
  FROM (
    SELECT count(*) FROM (
      SELECT 1 FROM trunkline.queued_messages ORDER BY instance_id, position LIMIT $2::bigint
    ) AS counted
  ) AS in_queues
  CROSS JOIN (
    SELECT count(*) FROM (SELECT 1 FROM trunkline.held_messages ORDER BY message_id LIMIT $2::bigint) AS counted
  ) AS held
  LEFT JOIN LATERAL (
    SELECT first.message_id, first.instance_id, queues.workspace_id
    FROM (
      (SELECT message_id, instance_id FROM trunkline.queued_messages ORDER BY message_id LIMIT 1)
      UNION ALL
      (SELECT message_id, instance_id FROM trunkline.held_messages ORDER BY message_id LIMIT 1)
    ) AS first
    JOIN trunkline.queues ON queues.instance_id = first.instance_id
    ORDER BY first.message_id
    LIMIT 1
  ) AS oldest ON true`;
