import type { ClaimedDelivery, DeliveryClaim } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { claimableDelivery } from './delivery-row.ts';
import { releasing } from './lane.ts';
import { applyLimits, readyFrom, takeAsOfNow } from './lane-limits.ts';
import { lookAtLanes } from './lane-outlook.ts';
import type { Outlook } from './lane-outlook.ts';
import { wakeLanes } from './lane-wake.ts';
import { entities, flag, integer, text, wordOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/**
 * The minimum number of lanes to look at in a round, so that expired claims are found even if the limit needs fewer
 * lanes.
 */
const LANES_MIN = 16;

/**
 * The maximum number of rounds. The first round looks at as few lanes as would reach the limit if each of them filled
 * all its slots.
 */
const MAX_ROUNDS = 4;

export interface Claims {
  readonly rows: readonly Row[];
  /** Whether claims had expired, so that their deliveries were made due again. */
  readonly hasTakenBack: boolean;
  /** The state of the lanes after the claims. */
  readonly outlook: Outlook;
}

/**
 * Claims deliveries from the lanes that have been ready the longest. Skips lanes that other transactions have locked,
 * and waits for locks only if the limits changed or the clock may have been set back. Usually commits with the last
 * statement.
 */
export async function claimFromLanes(
  transaction: Transaction,
  claim: DeliveryClaim & { readonly process: number; readonly outlook: Outlook },
): Promise<Claims> {
  const { hasOtherLimits, isUnaware } = claim.outlook;
  if (hasOtherLimits || claim.mayBeSetBack) {
    await transaction.begun();
    if (hasOtherLimits) await applyLimits(transaction, claim);
    if (claim.mayBeSetBack) await takeAsOfNow(transaction, claim);
  }
  const rows: Row[] = [];
  let hasTakenBack = false;
  const look = (): Promise<Outlook> => lookAtLanes(transaction, claim);
  for (let round = 1; ; round += 1) {
    const limit = claim.limit - rows.length;
    const wanted = Math.max(round === 1 ? Math.ceil(limit / claim.slots) : limit, LANES_MIN);
    const lock = (): Promise<readonly Row[]> => transaction.all(READY, claim.now, wanted);
    const ready =
      round === 1 && isUnaware
        ? (await transaction.together(() => wakeLanes(transaction), lock))[1]
        : await lock();
    await transaction.begun();
    if (ready.length === 0) {
      const [outlook] = await transaction.last(look);
      return { rows, hasTakenBack, outlook };
    }
    const expired = ready.filter((row) => flag(row, 'has_expired'));
    const free = expired.length === 0 ? [] : await takeBackExpired(transaction, expired, claim.now);
    hasTakenBack ||= expired.length > 0;
    const places = [...ready.filter((row) => !flag(row, 'has_expired')), ...free];
    const take = (): Promise<readonly Row[]> =>
      transaction.all(
        CLAIM,
        places.map((row) => text(row, 'place')),
        claim.now,
        limit,
        claim.slots,
        claim.startsPerWindow,
        claim.windowMs,
        claim.now + claim.leaseMs,
        claim.process,
      );
    const isLast = ready.length < wanted || round === MAX_ROUNDS;
    const [more, outlook] = isLast
      ? await transaction.last(take, look)
      : await transaction.together(take, look);
    rows.push(...more);
    if (isLast || rows.length === claim.limit) return { rows, hasTakenBack, outlook };
  }
}

/** Takes back expired claims. Returns the new places (ctid) of the lanes, which the update has changed. */
async function takeBackExpired(
  { all }: Transaction,
  lanes: readonly Row[],
  now: number,
): Promise<readonly Row[]> {
  return all(
    `${takingBack('claim.expires_at <= $2::bigint')} RETURNING lanes.ctid AS place`,
    lanes.map((row) => text(row, 'endpoint_id')),
    now,
  );
}

/**
 * Relies on lanes_to_wake, which has no paused lanes. A locked row keeps its place (ctid), by which CLAIM finds the
 * row.
 */
const READY = `
  SELECT ctid AS place, endpoint_id, EXISTS (SELECT 1 FROM unnest(claims) WHERE expires_at <= $1) AS has_expired
  FROM trunkline.lanes
  WHERE wake_at <= $1 AND NOT is_paused
  ORDER BY wake_at, endpoint_id
  LIMIT $2
  FOR UPDATE SKIP LOCKED`;

/**
 * SQL that releases the lost claims of the lanes `$1` and makes their deliveries due again at `$2`. `isLost` is a
 * condition on a row `claim`.
 */
export function takingBack(isLost: string): string {
  return `
  WITH lost AS MATERIALIZED (
    SELECT lanes.endpoint_id, claim.delivery_id, claim.generation
    FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) AS claim
    WHERE lanes.endpoint_id = ANY ($1::uuid[]) AND ${isLost}
  ), closed AS (
    UPDATE trunkline.closings SET to_sweep = true FROM lost
    WHERE closings.endpoint_id = lost.endpoint_id AND closings.generation = lost.generation
  ), queued AS (
    UPDATE trunkline.open_deliveries SET due_at = $2::bigint, lost_claims = lost_claims + 1
    WHERE id = ANY (ARRAY(SELECT delivery_id FROM lost))
  )
  ${releasing(isLost)}`;
}

/**
 * Takes from each lane, in order, as many deliveries as its free slots and remaining starts allow, writes when the lane
 * wakes next, and reads the claimed deliveries. It decides like `roomInLane` and `startsAfter`, which a contract test
 * compares it with. Its snapshot is taken after the lanes were locked. Relies on
 * open_deliveries_queue, of which it reads only the deliveries to take, one more, and the claimed ones.
 *
 * Keeps the entries of a lane in arrays, so that each lane is one row, and finds rows by their ctid. The planner does
 * not know the size of these sets, so it would join them by comparing each pair of rows.
 */
const CLAIM: string = `
  WITH lane AS MATERIALIZED (
    SELECT lanes.ctid AS place, wake_at, endpoint_id, generation, claims, held.first_end, starts, recent,
      queued.entries, queued.deliveries, queued.due_times, queued.available,
      sum(queued.available) OVER (ORDER BY wake_at, endpoint_id) - queued.available AS taken_before
    FROM trunkline.lanes
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(delivery_id), '{}') AS deliveries, min(expires_at) AS first_end
      FROM unnest(lanes.claims)
    ) AS held
    CROSS JOIN LATERAL (
      SELECT starts[width_bucket($2::bigint - $6::bigint, starts) + 1 :] AS recent
    ) AS counted
    CROSS JOIN LATERAL (
      SELECT GREATEST(0, LEAST($4::integer - cardinality(claims), $5::integer - cardinality(recent))) AS count
    ) AS room
    CROSS JOIN LATERAL (
      SELECT array_agg(entry) AS entries, array_agg(id) AS deliveries, array_agg(due_at) AS due_times,
        LEAST(room.count, count(*) FILTER (WHERE due_at <= $2))::integer AS available
      FROM (
        SELECT ctid AS entry, id, due_at FROM trunkline.open_deliveries
        WHERE open_deliveries.generation = lanes.generation AND webhook_id = lanes.endpoint_id
          AND id <> ALL (held.deliveries)
        ORDER BY due_at, id
        -- One more, by which the lane wakes next.
        LIMIT room.count + 1
      ) AS first_due
    ) AS queued
    WHERE lanes.ctid = ANY ($1::tid[])
  ), served AS MATERIALIZED (
    SELECT lane.*, taken, cardinality(claims) + taken >= $4 AS is_full,
      -- These stay in order even if the clock has stepped back.
      CASE WHEN taken = 0 THEN starts
        ELSE recent || array_fill(GREATEST($2, recent[cardinality(recent)]), ARRAY[taken])
      END AS new_starts,
      ARRAY(
        SELECT ROW(deliveries[turn], generation, nextval('trunkline.delivery_claim_tokens'), $7::bigint, $8::bigint)::trunkline.delivery_claim
        FROM generate_series(1, taken) AS turn
      ) AS new_claims
    FROM lane
    CROSS JOIN LATERAL (SELECT GREATEST(0, LEAST(available, $3::integer - taken_before))::integer AS taken) AS number
    -- Lanes that the limit did not reach stay as they are.
    WHERE taken_before < $3
  ), changed AS (
    UPDATE trunkline.lanes
    SET starts = new_starts, claims = served.claims || new_claims, ready_from = ready.ready_from,
      slots = GREATEST($4, cardinality(served.claims) + taken),
      wake_at = LEAST(
        CASE WHEN NOT served.is_full AND taken < cardinality(due_times)
          THEN GREATEST(ready.ready_from, due_times[taken + 1]) END,
        first_end,
        CASE WHEN taken > 0 THEN $7::bigint END
      )
    FROM served
    CROSS JOIN LATERAL (SELECT ${readyFrom('new_starts', '$5', '$6')} AS ready_from) AS ready
    WHERE lanes.ctid = served.place
  )
  SELECT delivery.*, (new_claims[turn]).token, event.payload, event.traceparent, endpoint.url, endpoint.sealed_secret,
    endpoint.sealed_previous_secret, endpoint.secret_begins_at, endpoint.trace_context
  FROM served
  LEFT JOIN LATERAL (
    SELECT url, sealed_secret, sealed_previous_secret, secret_begins_at, trace_context
    FROM trunkline.endpoints WHERE endpoints.id = served.endpoint_id LIMIT 1
  ) AS endpoint ON true
  CROSS JOIN LATERAL generate_series(1, taken) AS turn
  CROSS JOIN LATERAL (
    SELECT ${claimableDelivery('open')}, open.lost_claims FROM trunkline.open_deliveries AS open
    WHERE open.ctid = entries[turn]
    LIMIT 1
  ) AS delivery
  LEFT JOIN LATERAL (
    SELECT payload, traceparent FROM trunkline.events WHERE events.id = delivery.event_id LIMIT 1
  ) AS event ON true
  ORDER BY served.wake_at, served.endpoint_id, turn`;

/** Whether the row has its event and endpoint, which a damaged database may lack. */
export function isWhole(row: Row): boolean {
  return row['payload'] !== null && row['url'] !== null;
}

/**
 * Reads a row for which `isWhole` is true. The delivery is not cancelled, because cancelled deliveries cannot be
 * claimed.
 */
export function readClaimed(row: Row): ClaimedDelivery {
  return {
    delivery: entities.delivery.read(row),
    token: integer(row, 'token'),
    lostClaims: integer(row, 'lost_claims'),
    payload: text(row, 'payload'),
    traceparent: wordOrNull(row, 'traceparent'),
    endpoint: {
      url: text(row, 'url'),
      ...entities.endpointSecrets.read(row),
      traceContext: flag(row, 'trace_context'),
    },
  };
}
