import { EVENT_DELIVERIES_MAX, floorId, isOpen } from '@trunkline/core/spi/storage';
import type { Delivery, DeliveryDetail, DeliveryStore, LanePosition } from '@trunkline/core/spi/storage';
import { deliveryIdsOf } from '@trunkline/storage-kit';
import { sweepCancellations } from './cancellation.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { completeDeliveries } from './complete-deliveries.ts';
import type { Connected } from '../database/database.ts';
import { deliveryList } from './delivery-list.ts';
import { deliveryWith, endedDelivery, openDelivery, readDelivery } from './delivery-row.ts';
import { retryDelivery, retryFailedDeliveries } from './delivery-retry.ts';
import { enqueueDeliveries } from './enqueue-deliveries.ts';
import { readPage } from '../database/page.ts';
import { floorUuid } from '../database/partitions.ts';
import { entities, integer, integerOrNull, integers, textOrNull } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function deliveryStore(connected: Connected): DeliveryStore {
  return {
    enqueue: enqueueDeliveries(connected),

    ...claimDeliveries(connected),
    complete: completeDeliveries(connected),

    findDetail: (workspaceId, id, since) =>
      connected().snapshot(async (statements) => {
        const delivery = await findDelivery(statements, workspaceId, id, since);
        return delivery && detailOf(statements, delivery);
      }),
    list: (workspaceId, endpointId, { status, eventType }, page, since) =>
      connected().snapshot(async (statements) => {
        const statuses = status && [status];
        const floor = floorUuid(since);
        const list = await deliveryList(statements, { workspaceId, endpointId, statuses, eventType, floor });
        return readPage(statements, list, page, readDelivery);
      }),
    listOfEvent: async (workspaceId, event, since) => {
      const { first, last } = deliveryIdsOf(event.id, since);
      const ids = [uuidToFind('evt', event.id), uuidToFind('ten', workspaceId)];
      const rows = await connected().all(OF_EVENT, uuidOf('whd', first), uuidOf('whd', last), ...ids);
      return rows.map(readDelivery);
    },

    retry: (workspaceId, id, now, since, attempt = 'extra') =>
      connected().transaction((transaction) =>
        retryDelivery(transaction, { workspaceId, id, attempt, now, floor: floorUuid(since) }),
      ),
    retryFailedDeliveries: (workspaceId, endpointId, { limit, countUpTo, now, since }) =>
      connected().transaction((transaction) =>
        retryFailedDeliveries(transaction, { workspaceId, endpointId }, { limit, countUpTo, now, since }),
      ),

    sweepClosed: (limit) => sweepCancellations(connected(), limit),
  };
}

async function findDelivery(
  { get }: Statements,
  workspaceId: string,
  id: string,
  since: number,
): Promise<Delivery | null> {
  if (id < floorId('whd', since)) return null;
  const row = await get(FIND, uuidToFind('whd', id), uuidToFind('ten', workspaceId));
  return row ? readDelivery(row) : null;
}

const FIND = `SELECT * FROM (${deliveryWith('$1')}) AS delivery WHERE workspace_id = $2`;

async function detailOf(statements: Statements, delivery: Delivery): Promise<DeliveryDetail> {
  const uuid = uuidOf('whd', delivery.id);
  const endpoint = uuidOf('wh', delivery.endpointId);
  const row = await statements.get(SURROUNDINGS, uuidOf('evt', delivery.eventId), endpoint);
  const attempts = await statements.all(ATTEMPTS, uuid);
  return {
    delivery,
    attempts: attempts.map(entities.attempt.read),
    payload: row ? textOrNull(row, 'payload') : null,
    endpointUrl: row ? textOrNull(row, 'url') : null,
    lane: isOpen(delivery.status) ? await lanePosition(statements, uuid, endpoint) : null,
  };
}

const SURROUNDINGS = `
  SELECT
    (SELECT payload FROM trunkline.events WHERE id = $1) AS payload,
    coalesce(
      (SELECT url FROM trunkline.endpoints WHERE id = $2),
      (SELECT url FROM trunkline.deleted_endpoints WHERE id = $2)
    ) AS url`;

/** The first attempt is stored in the row of the delivery, unless the delivery came from another database. */
const ATTEMPTS = `
  SELECT (first_attempt).* FROM trunkline.open_deliveries WHERE id = $1 AND (first_attempt).number IS NOT NULL
  UNION ALL
  SELECT (first_attempt).* FROM trunkline.deliveries WHERE id = $1 AND (first_attempt).number IS NOT NULL
  UNION ALL
  SELECT number, manual, url, response_status, response_body, duration_ms, error_code, at
  FROM trunkline.attempts WHERE delivery_id = $1
  ORDER BY number`;

async function lanePosition(statements: Statements, uuid: string, endpoint: string): Promise<LanePosition> {
  const row = await statements.get(POSITION, uuid, endpoint);
  if (!row)
    throw new Error(`The lane of the endpoint ${endpoint} is missing: check the database for damage.`);
  return {
    dueAt: integerOrNull(row, 'due_at'),
    claims: integer(row, 'claims'),
    starts: integers(row, 'starts'),
  };
}

/** A claimed delivery has no due time. */
const POSITION = `
  SELECT starts, cardinality(claims) AS claims, (
    SELECT due_at FROM trunkline.open_deliveries
    WHERE id = $1 AND id <> ALL (ARRAY(SELECT delivery_id FROM unnest(lanes.claims)))
  ) AS due_at
  FROM trunkline.lanes WHERE endpoint_id = $2`;

// Walks the primary keys, because an index by event would have to be written with every delivery.
const OF_EVENT = `
  SELECT found.* FROM (
    SELECT ${openDelivery('open')} FROM trunkline.open_deliveries AS open
    WHERE open.id BETWEEN $1 AND $2 AND open.event_id = $3 AND open.workspace_id = $4
    UNION ALL
    SELECT ${endedDelivery('ended')} FROM trunkline.deliveries AS ended
    WHERE ended.id BETWEEN $1 AND $2 AND ended.event_id = $3 AND ended.workspace_id = $4
  ) AS found
  ORDER BY found.id LIMIT ${EVENT_DELIVERIES_MAX}`;
