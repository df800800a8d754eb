import type { DeliveryClaim } from '@trunkline/core/spi/storage';
import type { Transaction } from './database.ts';
import { applyLimits, readyFrom, takeAsOfNow } from './lane-limits.ts';
import type { Outlook } from './lane-outlook.ts';
import { wakeLanes } from './lane-wake.ts';
import { flag, integer, text } from './row.ts';
import type { Row } from './row.ts';

/** A delivery that holds a slot of its endpoint. */
export interface Claim {
  /** The uuid of the delivery. */
  readonly delivery: string;
  readonly token: number;
  readonly lostClaims: number;
}

/** Claims that have expired are looked for even where none is to be made. */
const LANES_MIN = 16;

/** Looks for lanes at most: the first finds as many as are needed where all their slots are free. */
const MAX_ROUNDS = 4;

export interface Claims {
  readonly claims: readonly Claim[];
  /** How many claims had expired, and were made due again. */
  readonly takenBack: number;
}

/** Claims from the lanes that have been ready the longest. Lanes that others have locked are left out: nobody waits. */
export async function claimFromLanes(
  transaction: Transaction,
  claim: DeliveryClaim & { readonly process: number; readonly outlook: Outlook },
): Promise<Claims> {
  if (claim.outlook.hasOtherLimits) await applyLimits(transaction, claim);
  if (claim.mayBeSetBack) await takeAsOfNow(transaction, claim);
  if (claim.outlook.isUnaware) await wakeLanes(transaction);
  const claims: Claim[] = [];
  let takenBack = 0;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const limit = claim.limit - claims.length;
    const wanted = Math.max(round === 1 ? Math.ceil(limit / claim.slots) : limit, LANES_MIN);
    const ready = await transaction.all(READY, claim.now, wanted);
    if (ready.length === 0) break;
    takenBack += await takeBack(transaction, ready, claim.now);
    const rows = await transaction.all(
      CLAIM,
      ready.map((row) => String(row['place'])),
      claim.now,
      limit,
      claim.slots,
      claim.startsPerWindow,
      claim.windowMs,
      claim.now + claim.leaseMs,
      claim.process,
    );
    claims.push(...rows.map(readClaim));
    if (claims.length === claim.limit || ready.length < wanted) break;
  }
  return { claims, takenBack };
}

async function takeBack({ run }: Transaction, lanes: readonly Row[], now: number): Promise<number> {
  const expired = lanes.filter((row) => flag(row, 'has_expired'));
  if (expired.length === 0) return 0;
  return run(
    TAKE_BACK,
    expired.map((row) => String(row['endpoint_id'])),
    now,
  );
}

/** Relies on lanes_to_wake, which has no paused lanes. One that is locked stays in its place in the table, by which it is found again at once. */
const READY = `
  SELECT lanes.ctid AS place, endpoint_id, EXISTS (
    SELECT 1 FROM trunkline.claims WHERE claims.endpoint_id = lanes.endpoint_id AND expires_at <= $1
  ) AS has_expired
  FROM trunkline.lanes
  WHERE wake_at <= $1 AND NOT is_paused
  ORDER BY wake_at, endpoint_id
  LIMIT $2
  FOR UPDATE SKIP LOCKED`;

const TAKE_BACK = takeBackOf('endpoint_id = ANY ($1::uuid[]) AND expires_at <= $2::bigint');

/** Makes what these claims held due again at `$2`, in the generation that it was of. */
export function takeBackOf(claims: string): string {
  return `
  WITH lost AS (
    DELETE FROM trunkline.claims WHERE ${claims}
    RETURNING endpoint_id, generation, delivery_id, lost_claims
  ), closed AS (
    UPDATE trunkline.closings SET to_sweep = true FROM lost
    WHERE closings.endpoint_id = lost.endpoint_id AND closings.generation = lost.generation
  )
  INSERT INTO trunkline.due (endpoint_id, generation, due_at, delivery_id, lost_claims)
  SELECT endpoint_id, generation, $2::bigint, delivery_id, lost_claims + 1 FROM lost`;
}

/**
 * Takes from each lane, in order, what its free slots and its starts left allow, and says when it wakes next. Its
 * snapshot is taken after the lanes were locked. Relies on the primary keys of `due` and `claims`: it reads
 * no more of a backlog than it takes, and one entry more.
 *
 * What a lane has is kept in arrays, so that there is one row for each lane, and rows are reached by where they stand in
 * the table. The planner knows the size of none of these sets: joined, they were compared row by row, each with each.
 */
const CLAIM: string = `
  WITH lane AS MATERIALIZED (
    SELECT lanes.ctid AS place, wake_at, endpoint_id, generation, is_full AS was_full,
      held.count AS held, held.first_end, free.slots AS free, starts, recent,
      queued.entries, queued.deliveries, queued.lost_claims, queued.due_times, queued.available,
      sum(queued.available) OVER (ORDER BY wake_at, endpoint_id) - queued.available AS taken_before
    FROM trunkline.lanes
    CROSS JOIN LATERAL (
      SELECT count(*)::integer, coalesce(array_agg(slot), '{}') AS slots, min(expires_at) AS first_end
      FROM trunkline.claims
      WHERE claims.endpoint_id = lanes.endpoint_id
    ) AS held
    CROSS JOIN LATERAL (
      SELECT ARRAY(SELECT slot FROM generate_series(0, $4::integer - 1) AS slot WHERE slot <> ALL (held.slots)) AS slots,
        starts[width_bucket($2::bigint - $6::bigint, starts) + 1 :] AS recent
    ) AS free
    CROSS JOIN LATERAL (
      SELECT GREATEST(0, LEAST($4 - held.count, $5::integer - cardinality(recent))) AS count
    ) AS room
    CROSS JOIN LATERAL (
      SELECT array_agg(entry) AS entries, array_agg(delivery_id) AS deliveries, array_agg(lost_claims) AS lost_claims,
        array_agg(due_at) AS due_times,
        LEAST(room.count, count(*) FILTER (WHERE due_at <= $2))::integer AS available
      FROM (
        SELECT due.ctid AS entry, delivery_id, lost_claims, due_at FROM trunkline.due
        WHERE due.endpoint_id = lanes.endpoint_id AND due.generation = lanes.generation
        ORDER BY due_at, delivery_id
        -- One more, by which the lane wakes next.
        LIMIT room.count + 1
      ) AS first_due
    ) AS queued
    WHERE lanes.ctid = ANY ($1::tid[])
  ), served AS MATERIALIZED (
    SELECT lane.*, taken, held + taken >= $4 AS is_full,
      -- In order even where the clock has stepped back.
      CASE WHEN taken = 0 THEN starts
        ELSE recent || array_fill(GREATEST($2, recent[cardinality(recent)]), ARRAY[taken])
      END AS new_starts
    FROM lane
    CROSS JOIN LATERAL (SELECT GREATEST(0, LEAST(available, $3::integer - taken_before))::integer AS taken) AS number
    -- Those that the limit did not reach stay as they are, unless a lost claim was taken back there.
    WHERE taken_before < $3 OR was_full AND held < $4
  ), pick AS MATERIALIZED (
    SELECT wake_at, endpoint_id, turn, generation, free[turn] AS slot, entries[turn] AS entry,
      deliveries[turn] AS delivery_id, lost_claims[turn] AS lost_claims
    FROM served CROSS JOIN LATERAL generate_series(1, taken) AS turn
  ), taken AS (
    DELETE FROM trunkline.due WHERE ctid = ANY (ARRAY(SELECT entry FROM pick))
  ), claimed AS (
    INSERT INTO trunkline.claims (endpoint_id, slot, delivery_id, generation, lost_claims, expires_at, process)
    SELECT endpoint_id, slot, delivery_id, generation, lost_claims, $7, $8
    FROM pick
    ORDER BY wake_at, endpoint_id, turn
    RETURNING delivery_id, token, lost_claims
  ), changed AS (
    UPDATE trunkline.lanes
    SET starts = new_starts, is_full = served.is_full, ready_from = ready.ready_from,
      wake_at = LEAST(
        CASE WHEN NOT served.is_full AND taken < cardinality(due_times)
          THEN GREATEST(ready.ready_from, due_times[taken + 1]) END,
        first_end,
        CASE WHEN taken > 0 THEN $7 END
      )
    FROM served
    CROSS JOIN LATERAL (SELECT ${readyFrom('new_starts', '$5', '$6')} AS ready_from) AS ready
    WHERE lanes.ctid = served.place
  )
  -- Tokens are in the order of the claims.
  SELECT * FROM claimed ORDER BY token`;

function readClaim(row: Row): Claim {
  return {
    delivery: text(row, 'delivery_id'),
    token: integer(row, 'token'),
    lostClaims: integer(row, 'lost_claims'),
  };
}
