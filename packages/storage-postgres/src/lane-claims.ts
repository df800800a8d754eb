import type { DeliveryClaim } from '@trunkline/core';
import type { Transaction } from './database.ts';
import { applyLimits, readyFrom, takeAsOfNow } from './lane-limits.ts';
import { wakeLanes } from './lane-wake.ts';
import { flag, id, integer, integerOrNull } from './row.ts';
import type { Row } from './row.ts';

/** A delivery that holds a slot of its endpoint. */
export interface Claim {
  readonly deliveryId: string;
  readonly token: number;
  readonly lostClaims: number;
}

/** How soon to look again at lanes that others had locked: longer than a claim or a completion takes. */
const LOCKED_MS = 10;

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
  claim: DeliveryClaim & { readonly process: number },
): Promise<Claims> {
  await applyLimits(transaction, claim);
  if (claim.mayBeSetBack) await takeAsOfNow(transaction, claim);
  await wakeLanes(transaction);
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

/** When there will be something to claim, as things stand; `now` at the earliest. */
export async function nextClaimAt(
  { get }: Transaction,
  now: number,
  isLimited: boolean,
): Promise<number | null> {
  const row = await get(NEXT);
  if (!row) return null;
  const wakeTime = flag(row, 'is_unaware') ? now : integerOrNull(row, 'wake_at');
  if (wakeTime === null || wakeTime > now) return wakeTime;
  // What could have been claimed and was not is locked by others.
  return isLimited ? now : now + LOCKED_MS;
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
 */
const CLAIM: string = `
  WITH lane AS MATERIALIZED (
    SELECT ready.place, rank, lanes.endpoint_id, generation, is_full AS was_full,
      held.count AS held, held.first_end, starts,
      starts[width_bucket($2::bigint - $6::bigint, starts) + 1 :] AS recent,
      ARRAY(SELECT slot FROM generate_series(0, $4::integer - 1) AS slot WHERE slot <> ALL (held.slots)) AS free
    FROM unnest($1::tid[]) WITH ORDINALITY AS ready (place, rank)
    JOIN trunkline.lanes ON lanes.ctid = ready.place
    CROSS JOIN LATERAL (
      SELECT count(*)::integer, coalesce(array_agg(slot), '{}') AS slots, min(expires_at) AS first_end
      FROM trunkline.claims
      WHERE claims.endpoint_id = lanes.endpoint_id
    ) AS held
  ), pick AS MATERIALIZED (
    SELECT rank, turn, lane.endpoint_id, generation, free[turn] AS slot, entry, delivery_id, lost_claims
    FROM lane
    CROSS JOIN LATERAL (
      SELECT due.ctid AS entry, delivery_id, lost_claims, row_number() OVER (ORDER BY due_at, delivery_id) AS turn
      FROM trunkline.due
      WHERE due.endpoint_id = lane.endpoint_id AND due.generation = lane.generation AND due_at <= $2
      ORDER BY due_at, delivery_id
      LIMIT GREATEST(0, LEAST($4 - held, $5::integer - cardinality(recent)))
    ) AS queued
    ORDER BY rank, turn
    LIMIT $3
  ), taken AS (
    DELETE FROM trunkline.due USING pick WHERE due.ctid = pick.entry
  ), claimed AS (
    INSERT INTO trunkline.claims (endpoint_id, slot, delivery_id, generation, lost_claims, expires_at, process)
    SELECT endpoint_id, slot, delivery_id, generation, lost_claims, $7, $8
    FROM pick
    RETURNING delivery_id, token, lost_claims
  ), picked AS MATERIALIZED (
    SELECT rank, count(*)::integer AS taken FROM pick GROUP BY rank
  ), served AS (
    SELECT lane.*, number.taken, held + number.taken >= $4 AS is_full,
      -- In order even where the clock has stepped back.
      CASE WHEN number.taken = 0 THEN starts
        ELSE recent || array_fill(GREATEST($2, recent[cardinality(recent)]), ARRAY[number.taken])
      END AS new_starts
    FROM lane
    LEFT JOIN picked ON picked.rank = lane.rank
    CROSS JOIN LATERAL (SELECT coalesce(picked.taken, 0) AS taken) AS number
    -- Those that the limit did not reach stay as they are, unless a lost claim was taken back there.
    WHERE lane.rank <= (SELECT CASE WHEN sum(picked.taken) >= $3 THEN max(picked.rank) ELSE cardinality($1) END FROM picked)
      OR was_full AND held < $4
  ), changed AS (
    UPDATE trunkline.lanes
    SET starts = new_starts, is_full = served.is_full, ready_from = ready.ready_from,
      wake_at = LEAST(
        (SELECT GREATEST(ready.ready_from, due.due_at) FROM trunkline.due
         WHERE NOT served.is_full AND due.endpoint_id = served.endpoint_id AND due.generation = served.generation
         ORDER BY due.due_at, due.delivery_id
         OFFSET taken LIMIT 1),
        first_end,
        CASE WHEN taken > 0 THEN $7 END
      )
    FROM served
    CROSS JOIN LATERAL (SELECT ${readyFrom('new_starts', '$5', '$6')} AS ready_from) AS ready
    WHERE lanes.ctid = served.place
  )
  SELECT claimed.* FROM claimed JOIN pick ON pick.delivery_id = claimed.delivery_id ORDER BY rank, turn`;

/** Relies on lanes_to_wake. */
const NEXT = `
  SELECT
    (SELECT wake_at FROM trunkline.lanes WHERE wake_at IS NOT NULL AND NOT is_paused ORDER BY wake_at LIMIT 1) AS wake_at,
    EXISTS (SELECT 1 FROM trunkline.wake) AS is_unaware`;

function readClaim(row: Row): Claim {
  return {
    deliveryId: id(row, 'delivery_id', 'whd'),
    token: integer(row, 'token'),
    lostClaims: integer(row, 'lost_claims'),
  };
}
