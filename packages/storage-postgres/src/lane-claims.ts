import type { DeliveryClaim } from '@trunkline/core';
import type { Transaction } from './database.ts';
import { applyLimits, readyFrom } from './lane-limits.ts';
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

/** Claims that expired are looked for even where none is to be made. */
const LANES_MIN = 16;

/** Claims from the lanes that have been ready the longest. Lanes that others have locked are left out: nobody waits. */
export async function claimFromLanes(
  transaction: Transaction,
  claim: DeliveryClaim,
): Promise<readonly Claim[]> {
  await applyLimits(transaction, claim);
  await wakeLanes(transaction);
  // Each of these has something to claim, so that no more of them are needed.
  const ready = await transaction.all(READY, claim.now, Math.max(claim.limit, LANES_MIN));
  if (ready.length === 0) return [];
  const endpoints = ready.map((row) => String(row['endpoint_id']));
  if (ready.some((row) => flag(row, 'has_expired'))) {
    await transaction.run(TAKE_BACK, endpoints, claim.now);
  }
  const rows = await transaction.all(
    CLAIM,
    endpoints,
    claim.now,
    claim.limit,
    claim.slots,
    claim.startsPerWindow,
    claim.windowMs,
    claim.now + claim.leaseMs,
  );
  return rows.map(readClaim);
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

/** Relies on lanes_to_wake. */
export const READY = `
  SELECT endpoint_id, EXISTS (
    SELECT 1 FROM trunkline.claims WHERE claims.endpoint_id = lanes.endpoint_id AND expires_at <= $1
  ) AS has_expired
  FROM trunkline.lanes
  WHERE wake_at <= $1
  ORDER BY wake_at, endpoint_id
  LIMIT $2
  FOR UPDATE SKIP LOCKED`;

/** Makes what expired claims held due again, in the generation that it was of. */
const TAKE_BACK = `
  WITH lost AS (
    DELETE FROM trunkline.claims WHERE endpoint_id = ANY ($1::uuid[]) AND expires_at <= $2::bigint
    RETURNING endpoint_id, generation, delivery_id, lost_claims
  ), closed AS (
    UPDATE trunkline.closings SET to_sweep = true FROM lost
    WHERE closings.endpoint_id = lost.endpoint_id AND closings.generation = lost.generation
  )
  INSERT INTO trunkline.due (endpoint_id, generation, due_at, delivery_id, lost_claims)
  SELECT endpoint_id, generation, $2, delivery_id, lost_claims + 1 FROM lost`;

/**
 * Takes from each lane, in order, what its free slots and its starts left allow, and says when it wakes next. Its
 * snapshot is taken after the lanes were locked. Relies on the primary keys of `due` and `claims`: it reads
 * no more of a backlog than it takes, and one entry more.
 */
export const CLAIM = `
  WITH lane AS MATERIALIZED (
    SELECT place, lanes.endpoint_id, generation, held.count AS held, held.first_end,
      starts[width_bucket($2::bigint - $6::bigint, starts) + 1 :] AS starts,
      ARRAY(SELECT slot FROM generate_series(0, $4::integer - 1) AS slot WHERE slot <> ALL (held.slots)) AS free
    FROM unnest($1::uuid[]) WITH ORDINALITY AS ready (endpoint_id, place)
    JOIN trunkline.lanes ON lanes.endpoint_id = ready.endpoint_id
    CROSS JOIN LATERAL (
      SELECT count(*)::integer, coalesce(array_agg(slot), '{}') AS slots, min(expires_at) AS first_end
      FROM trunkline.claims
      WHERE claims.endpoint_id = ready.endpoint_id
    ) AS held
  ), pick AS MATERIALIZED (
    SELECT place, turn, lane.endpoint_id, generation, free[turn] AS slot, entry, delivery_id, lost_claims
    FROM lane
    CROSS JOIN LATERAL (
      SELECT due.ctid AS entry, delivery_id, lost_claims, row_number() OVER (ORDER BY due_at, delivery_id) AS turn
      FROM trunkline.due
      WHERE due.endpoint_id = lane.endpoint_id AND due.generation = lane.generation AND due_at <= $2
      ORDER BY due_at, delivery_id
      LIMIT GREATEST(0, LEAST($4 - held, $5::integer - cardinality(starts)))
    ) AS queued
    ORDER BY place, turn
    LIMIT $3
  ), taken AS (
    DELETE FROM trunkline.due USING pick WHERE due.ctid = pick.entry
  ), claimed AS (
    INSERT INTO trunkline.claims (endpoint_id, slot, delivery_id, token, generation, lost_claims, expires_at)
    SELECT endpoint_id, slot, delivery_id, nextval('trunkline.claim_tokens'), generation, lost_claims, $7
    FROM pick
    RETURNING delivery_id, token, lost_claims
  ), served AS (
    SELECT lane.*, taken, held + taken >= $4 AS is_full,
      -- In order even where the clock has stepped back.
      starts || array_fill(GREATEST($2, starts[cardinality(starts)]), ARRAY[taken]) AS new_starts
    FROM lane
    CROSS JOIN LATERAL (SELECT count(*)::integer AS taken FROM pick WHERE pick.place = lane.place) AS picked
    -- Those that the limit did not reach stay as they are.
    WHERE place <= (SELECT CASE WHEN count(*) < $3 THEN cardinality($1) ELSE max(place) END FROM pick)
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
    WHERE lanes.endpoint_id = served.endpoint_id
  )
  SELECT claimed.* FROM claimed JOIN pick ON pick.delivery_id = claimed.delivery_id ORDER BY place, turn`;

/** Relies on lanes_to_wake. */
const NEXT = `
  SELECT
    (SELECT wake_at FROM trunkline.lanes WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1) AS wake_at,
    EXISTS (SELECT 1 FROM trunkline.wake) AS is_unaware`;

function readClaim(row: Row): Claim {
  return {
    deliveryId: id(row, 'delivery_id', 'whd'),
    token: integer(row, 'token'),
    lostClaims: integer(row, 'lost_claims'),
  };
}
