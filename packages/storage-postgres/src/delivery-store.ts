import { floorId, isOpen } from '@trunkline/core/spi/storage';
import type { Delivery, DeliveryDetail, DeliveryStore, LanePosition } from '@trunkline/core/spi/storage';
import { readClaimed } from './claimed-delivery.ts';
import { sweepClosings } from './closing.ts';
import { completing } from './completing.ts';
import type { Connected } from './database.ts';
import { deliveryList } from './delivery-list.ts';
import { deliveryOf, readAttempt, readDelivery } from './delivery-row.ts';
import { retryAll, retryOne } from './delivery-retry.ts';
import { enqueueing } from './enqueueing.ts';
import { claimFromLanes } from './lane-claims.ts';
import { lookAtLanes, nextClaimAfter, nextClaimAt } from './lane-outlook.ts';
import { readPage } from './page.ts';
import { floorUuid } from './partitions.ts';
import { integer, integerOrNull, integers, textOrNull } from './row.ts';
import { shortenDeliveryWaits } from './shorten-waits.ts';
import type { Statements } from './statements.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

export function deliveryStore(connected: Connected): DeliveryStore {
  return {
    enqueue: enqueueing(connected),

    claim: async (claim) => {
      const { transaction: within, process, get } = connected();
      const outlook = await lookAtLanes({ get }, claim);
      const firstAt = nextClaimAt(outlook, claim.now);
      // Most looks find nothing, and take no transaction.
      if (firstAt !== claim.now && claim.mayBeSetBack !== true) return { claimed: [], nextAt: firstAt };
      return within(async (transaction) => {
        const { claims, takenBack } = await claimFromLanes(transaction, {
          ...claim,
          process: process(),
          outlook,
        });
        const { claimed, withoutEvent, outlook: left } = await readClaimed(transaction, claims, claim);
        const nextAt = nextClaimAfter(left, claim.now, claims.length === claim.limit);
        if (takenBack > 0 && nextAt === claim.now) transaction.announce({ topic: 'deliveries' });
        return { claimed, nextAt, ...(withoutEvent.length > 0 ? { withoutEvent } : {}) };
      });
    },
    complete: completing(connected),

    shortenWaits: (step) => shortenDeliveryWaits(connected(), step),
    findDetail: (workspaceId, id, since) =>
      connected().snapshot(async (statements) => {
        const delivery = await findDelivery(statements, workspaceId, id, since);
        return delivery && detailOf(statements, delivery);
      }),
    list: (workspaceId, webhookId, { status, eventType }, page, since) =>
      connected().snapshot(async (statements) => {
        const statuses = status && [status];
        const floor = floorUuid(since);
        const list = await deliveryList(statements, { workspaceId, webhookId, statuses, eventType, floor });
        return readPage(statements, list, page, readDelivery);
      }),

    retry: (workspaceId, id, now, since) =>
      connected().transaction((transaction) =>
        retryOne(transaction, { workspaceId, id, now, floor: floorUuid(since) }),
      ),
    retryAll: (workspaceId, webhookId, { limit, countUpTo, now, since }) =>
      connected().transaction((transaction) =>
        retryAll(transaction, { workspaceId, webhookId }, { limit, countUpTo, now, since }),
      ),

    sweepClosed: (limit) => sweepClosings(connected(), limit),
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

const FIND = `SELECT ${deliveryOf('deliveries')} FROM trunkline.deliveries WHERE id = $1 AND workspace_id = $2`;

async function detailOf(statements: Statements, delivery: Delivery): Promise<DeliveryDetail> {
  const uuid = uuidOf('whd', delivery.id);
  const endpoint = uuidOf('wh', delivery.webhookId);
  const row = await statements.get(SURROUNDINGS, uuidOf('evt', delivery.eventId), endpoint);
  const attempts = await statements.all(ATTEMPTS, uuid);
  return {
    delivery,
    attempts: attempts.map(readAttempt),
    payload: row ? textOrNull(row, 'payload') : null,
    endpointUrl: row ? textOrNull(row, 'url') : null,
    lane: isOpen(delivery.status) ? await lanePosition(statements, uuid, endpoint) : null,
  };
}

const SURROUNDINGS = `
  SELECT
    (SELECT payload FROM trunkline.events WHERE id = $1) AS payload,
    (SELECT url FROM trunkline.endpoints WHERE id = $2) AS url`;

const ATTEMPTS = 'SELECT * FROM trunkline.attempts WHERE delivery_id = $1 ORDER BY number';

async function lanePosition(statements: Statements, uuid: string, endpoint: string): Promise<LanePosition> {
  const row = await statements.get(POSITION, uuid, endpoint);
  if (!row) throw new Error('The lane of an open delivery is missing.');
  return {
    dueAt: integerOrNull(row, 'due_at'),
    claims: integer(row, 'claims'),
    starts: integers(row, 'starts'),
  };
}

const POSITION = `
  SELECT starts,
    (SELECT due_at FROM trunkline.due WHERE delivery_id = $1) AS due_at,
    (SELECT count(*) FROM trunkline.claims WHERE claims.endpoint_id = lanes.endpoint_id) AS claims
  FROM trunkline.lanes WHERE endpoint_id = $2`;
