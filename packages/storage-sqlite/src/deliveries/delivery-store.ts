import {
  cancelledBy,
  dueNow,
  endedWithoutEvent,
  EVENT_DELIVERIES_MAX,
  floorId,
  isOpen,
  mayRetry,
  requeue,
  takeRetryBatch,
} from '@trunkline/core/spi/storage';
import type {
  ClaimedDelivery,
  CompletionResult,
  DeliveryClaim,
  DeliveryClaimResult,
  CancellationReason,
  Completion,
  Delivery,
  DeliveryDetail,
  DeliveryStore,
  RetryResult,
} from '@trunkline/core/spi/storage';
import { deliveryIdsOf, ENDED_GENERATION } from '@trunkline/storage-kit';
import { sweepCancellations, TO_SWEEP } from './cancellation.ts';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { inSlices } from '../database/slices.ts';
import { deliveryList } from './delivery-list.ts';
import { attemptColumns, outcomeColumns, readDelivery } from './delivery-row.ts';
import { isEnabled, keepHealth } from './endpoint-row.ts';
import { storeEventFor } from './event-fan-out.ts';
import { laneGeneration, queueDelivery, wakeLane } from './lane.ts';
import {
  claimFromLanes,
  endClaim,
  findClaim,
  lanePosition,
  hasReadyLane,
  nextClaimAt,
  removeFromLane,
  takeAsOfNow,
  takeBackExpired,
} from './lane-claims.ts';
import type { Claim } from './lane-claims.ts';
import { failedDeliveries, readRetryRound, writeRetryRound } from './failed-deliveries.ts';
import { readPage, rowsOf } from '../database/page.ts';
import { entities, flag, text, textOrNull } from '../rows/row.ts';

export function deliveryStore(connected: Connected): DeliveryStore {
  return {
    enqueue: async (endpointId, event) => {
      const { database, newId, write } = connected();
      return write((announce) => storeEventFor({ database, newId, announce }, endpointId, event));
    },

    claim: async (claim) => {
      const { database, process, write } = connected();
      return write((announce) => {
        const takenBack = takeBackLost(database, claim);
        const result = claimDue(database, { ...claim, process: process() });
        if (takenBack > 0 && result.nextAt === claim.now) announce({ topic: 'deliveries' });
        return result;
      });
    },
    complete: async (completions, now) => {
      const { database, write } = connected();
      return write((announce) => {
        const written = completions.filter((completion) => completeOne(database, completion, now)).length;
        // A slot was freed, so another delivery can be claimed.
        if (written > 0 && hasReadyLane(database, now)) announce({ topic: 'deliveries' });
        return written;
      });
    },

    completeAndClaim: async (completions, claim) => {
      const { database, process, write } = connected();
      return write((announce) => {
        const completed = completions.map((completion): CompletionResult =>
          completeOne(database, completion, claim.now) ? 'written' : 'claim_lost',
        );
        const takenBack = takeBackLost(database, claim);
        const result = claimDue(database, { ...claim, process: process() });
        // The limit leaves some of the deliveries that this transaction has made claimable.
        const hasReleased = takenBack > 0 || completed.includes('written');
        if (hasReleased && result.nextAt === claim.now) announce({ topic: 'deliveries' });
        return { ...result, completed };
      });
    },

    findDetail: async (workspaceId, id, since) => {
      const { database } = connected();
      return database.snapshot(() => {
        const delivery = findDelivery(database, workspaceId, id, since);
        return delivery && detailOf(database, delivery);
      });
    },
    list: async (workspaceId, endpointId, { status, eventType }, page, since) => {
      const { database } = connected();
      return database.snapshot(() => {
        const statuses = status && [status];
        const floor = floorId('whd', since);
        const list = deliveryList(database, { workspaceId, endpointId, statuses, eventType, floor });
        return readPage(database, list, page, (row) => readDelivery(database, row));
      });
    },

    listOfEvent: async (workspaceId, event, since) => {
      const { database } = connected();
      const { first, last } = deliveryIdsOf(event.id, since);
      return database.snapshot(() =>
        database
          .all(OF_EVENT, first, last, event.id, workspaceId, EVENT_DELIVERIES_MAX)
          .map((row) => readDelivery(database, row)),
      );
    },

    retry: async (workspaceId, id, now, since, attempt = 'extra') => {
      const { database, write } = connected();
      return write((announce): RetryResult => {
        const delivery = findDelivery(database, workspaceId, id, since);
        if (!delivery) return { kind: 'not_found' };
        const { endpointId } = delivery;
        const isAllowed = mayRetry(delivery, attempt) && isEnabled(database, workspaceId, endpointId);
        if (!isAllowed || findClaim(database, endpointId, id)) return { kind: 'not_allowed' };
        announce({ topic: 'deliveries' });
        const queue = attempt === 'extra' ? requeueNow : makeDueNow;
        return { kind: 'requeued', delivery: queue(database, delivery, now) };
      });
    },
    retryFailedDeliveries: async (workspaceId, endpointId, { limit, countUpTo, now, since }) => {
      const { database, write } = connected();
      return write((announce) => {
        if (!isEnabled(database, workspaceId, endpointId)) return null;
        sweepCancellations(database, { limit: limit + countUpTo, endpointId }, endInSweep(database));
        const failed = failedDeliveries(database, endpointId, { since, count: limit + countUpTo });
        const { chosen, remaining, round } = takeRetryBatch(failed, {
          limit,
          now,
          round: readRetryRound(database, endpointId),
          failedAt: ({ lastAttemptAt }) => lastAttemptAt,
        });
        const rows = rowsOf(
          database,
          'deliveries',
          chosen.map(({ id }) => id),
        );
        for (const row of rows) requeueNow(database, readDelivery(database, row), now);
        writeRetryRound(database, endpointId, round);
        if (chosen.length > 0) announce({ topic: 'deliveries' });
        return { requeued: chosen.length, remaining };
      });
    },

    sweepClosed: async (limit) => {
      // Checks first, because usually there is nothing to write.
      if (!connected().database.get(TO_SWEEP)) return 0;
      return inSlices(limit, (rows) => {
        const { database, write } = connected();
        return write(() => sweepCancellations(database, { limit: rows }, endInSweep(database)));
      });
    },
  };
}

function endInSweep(database: Database) {
  return (deliveryId: string, reason: CancellationReason): void => {
    const ended = { status: 'failed', error_code: reason, next_retry_at: null, delivered_at: null };
    database.update('deliveries', deliveryId, { ...ended, generation: ENDED_GENERATION });
  };
}

/** Makes the deliveries of lost claims due again. Returns their number. */
function takeBackLost(database: Database, claim: DeliveryClaim): number {
  if (claim.mayBeSetBack) takeAsOfNow(database, claim);
  return takeBackExpired(database, claim.now);
}

function claimDue(
  database: Database,
  claim: DeliveryClaim & { readonly process: number },
): DeliveryClaimResult {
  const { claimed, ...damaged } = readClaimed(database, claimFromLanes(database, claim), claim.now);
  return { claimed, nextAt: nextClaimAt(database, claim.now), ...damaged };
}

/**
 * Reads the claimed deliveries, in order. Ends deliveries whose event or endpoint is missing in a damaged database, so
 * that they do not block others.
 */
function readClaimed(
  database: Database,
  claims: readonly Claim[],
  now: number,
): Omit<DeliveryClaimResult, 'nextAt'> {
  const withoutEvent: string[] = [];
  const withoutEndpoint: string[] = [];
  const claimed = claims.flatMap((claim) => {
    const delivery = claimedDelivery(database, claim);
    if (delivery) return [delivery];
    endDamaged(database, claim, now);
    const hasEvent = database.get(HAS_EVENT, claim.deliveryId) !== undefined;
    (hasEvent ? withoutEndpoint : withoutEvent).push(claim.deliveryId);
    return [];
  });
  return {
    claimed,
    ...(withoutEvent.length > 0 ? { withoutEvent } : {}),
    ...(withoutEndpoint.length > 0 ? { withoutEndpoint } : {}),
  };
}

const HAS_EVENT =
  'SELECT 1 FROM deliveries JOIN events ON events.id = deliveries.event_id WHERE deliveries.id = ?';

function endDamaged(database: Database, claim: Claim, now: number): void {
  endClaim(database, claim);
  const row = database.get('SELECT * FROM deliveries WHERE id = ?', claim.deliveryId);
  if (!row) return;
  const ended = endedWithoutEvent(entities.delivery.read(row), now);
  database.update('deliveries', claim.deliveryId, outcomeColumns(ended, claim.generation));
}

function claimedDelivery(
  database: Database,
  { deliveryId, token, lostClaims }: Claim,
): ClaimedDelivery | null {
  const row = database.get(
    `SELECT deliveries.*, events.payload, event_traces.traceparent, endpoints.url, endpoints.sealed_secret,
       endpoints.sealed_previous_secret, endpoints.secret_begins_at, endpoints.trace_context
     FROM deliveries
     JOIN events ON events.id = deliveries.event_id
     LEFT JOIN event_traces ON event_traces.event_id = deliveries.event_id
     JOIN endpoints ON endpoints.id = deliveries.webhook_id
     WHERE deliveries.id = ?`,
    deliveryId,
  );
  if (!row) return null;
  return {
    // Not cancelled, because cancelled deliveries cannot be claimed.
    delivery: entities.delivery.read(row),
    token,
    lostClaims,
    payload: text(row, 'payload'),
    traceparent: textOrNull(row, 'traceparent'),
    endpoint: {
      url: text(row, 'url'),
      ...entities.endpointSecrets.read(row),
      traceContext: flag(row, 'trace_context'),
    },
  };
}

/** Returns whether the completion was written. */
function completeOne(database: Database, { token, delivery, attempt }: Completion, now: number): boolean {
  const claim = findClaim(database, delivery.endpointId, delivery.id);
  if (claim?.token !== token) return false;
  const reason = endClaim(database, claim);
  const written = reason ? cancelledBy(reason, delivery) : delivery;
  database.update('deliveries', delivery.id, outcomeColumns(written, claim.generation));
  database.insert('attempts', attemptColumns(delivery.id, attempt));
  if (isOpen(written.status)) {
    queueDelivery(database, { ...claim, dueAt: written.nextRetryAt ?? now, lostClaims: 0 });
  }
  keepHealth(database, { delivery, attempt, written });
  return true;
}

function findDelivery(database: Database, workspaceId: string, id: string, since: number): Delivery | null {
  if (id < floorId('whd', since)) return null;
  const row = database.get('SELECT * FROM deliveries WHERE id = ? AND workspace_id = ?', id, workspaceId);
  return row ? readDelivery(database, row) : null;
}

function detailOf(database: Database, delivery: Delivery): DeliveryDetail {
  const event = database.get('SELECT payload FROM events WHERE id = ?', delivery.eventId);
  const endpoint = database.get(ENDPOINT_URL, delivery.endpointId, delivery.endpointId);
  const attempts = database.all('SELECT * FROM attempts WHERE delivery_id = ? ORDER BY number', delivery.id);
  return {
    delivery,
    attempts: attempts.map(entities.attempt.read),
    payload: event ? text(event, 'payload') : null,
    endpointUrl: endpoint ? text(endpoint, 'url') : null,
    lane: isOpen(delivery.status) ? lanePosition(database, delivery) : null,
  };
}

const ENDPOINT_URL = `
  SELECT url FROM endpoints WHERE id = ? UNION ALL SELECT url FROM deleted_endpoints WHERE id = ?`;

function requeueNow(database: Database, delivery: Delivery, now: number): Delivery {
  const { id, endpointId } = delivery;
  const requeued = requeue(delivery);
  const generation = laneGeneration(database, endpointId);
  if (generation === null)
    throw new Error(`The lane of ${endpointId} is missing: check the database for damage.`);
  // A cancelled delivery that is not swept yet is still queued in its closed generation.
  removeFromLane(database, endpointId, id);
  database.update('deliveries', id, outcomeColumns(requeued, generation));
  queueDelivery(database, { endpointId, generation, deliveryId: id, dueAt: now, lostClaims: 0 });
  return requeued;
}

function makeDueNow(database: Database, delivery: Delivery, now: number): Delivery {
  const { id, endpointId } = delivery;
  const early = dueNow(delivery, now);
  database.run('UPDATE due SET due_at = min(due_at, ?) WHERE delivery_id = ?', now, id);
  database.update('deliveries', id, { next_retry_at: early.nextRetryAt });
  wakeLane(database, endpointId);
  return early;
}

// Walks the primary key, because an index by event would have to be written with every delivery.
const OF_EVENT = `
  SELECT * FROM deliveries WHERE id >= ? AND id <= ? AND +event_id = ? AND +workspace_id = ? ORDER BY id LIMIT ?`;
