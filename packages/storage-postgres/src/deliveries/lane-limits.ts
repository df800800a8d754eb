import type { DeliveryClaim, LaneLimits } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { IS_FULL, refreshLanes, wakeAt } from './lane.ts';
import { text } from '../rows/row.ts';

/**
 * Recomputes the times of all lanes if the limits have changed, which happens only at the first claim, and when another
 * version of Trunkline starts to claim.
 */
export async function applyLimits(transaction: Transaction, limits: LaneLimits): Promise<void> {
  const { slots, startsPerWindow, windowMs } = limits;
  const wanted = limitsAsText(limits);
  const row = await transaction.get('SELECT limits FROM trunkline.claim_limits');
  if (row && text(row, 'limits') === wanted) return;
  if ((await transaction.run(CHANGE, wanted)) === 0) return;
  await transaction.run('SELECT 1 FROM trunkline.lanes ORDER BY endpoint_id FOR UPDATE');
  await transaction.run(APPLY, slots, startsPerWindow, windowMs);
  await transaction.run(`UPDATE trunkline.lanes SET wake_at = ${wakeAt(IS_FULL)}`);
}

/** The limits as `claim_limits` stores them. */
export function limitsAsText({ slots, startsPerWindow, windowMs }: LaneLimits): string {
  return JSON.stringify([slots, startsPerWindow, windowMs]);
}

/** After the clock was set back, treats claims and starts with later times as if they were made now. */
export async function takeAsOfNow(transaction: Transaction, claim: DeliveryClaim): Promise<void> {
  const { now, leaseMs, startsPerWindow, windowMs } = claim;
  const end = now + leaseMs;
  const ahead = (await transaction.all(LOCK_AHEAD, now, end)).map((row) => text(row, 'endpoint_id'));
  if (ahead.length === 0) return;
  await transaction.run(CLAMP, ahead, now, end);
  await transaction.run(READY_FROM, ahead, startsPerWindow, windowMs);
  await refreshLanes(transaction, ahead);
}

/** Reads all lanes, but is run only once per process and after a clock was set back. */
const LOCK_AHEAD = `
  SELECT endpoint_id FROM trunkline.lanes
  WHERE ready_from > $1 OR EXISTS (SELECT 1 FROM unnest(claims) WHERE expires_at > $2)
  ORDER BY endpoint_id
  FOR UPDATE`;

const CLAMP = `
  UPDATE trunkline.lanes
  SET starts = ARRAY(
    SELECT LEAST(start, $2) FROM unnest(starts) WITH ORDINALITY AS kept (start, place) ORDER BY place
  ), claims = ARRAY(
    SELECT ROW(delivery_id, generation, token, LEAST(expires_at, $3::bigint), process)::trunkline.delivery_claim
    FROM unnest(lanes.claims)
  )
  WHERE endpoint_id = ANY ($1::uuid[])`;

const READY_FROM = `
  UPDATE trunkline.lanes SET ready_from = ${readyFrom('starts', '$2', '$3')} WHERE endpoint_id = ANY ($1::uuid[])`;

const CHANGE = `
  INSERT INTO trunkline.claim_limits (limits) VALUES ($1)
  ON CONFLICT (id) DO UPDATE SET limits = excluded.limits WHERE claim_limits.limits <> excluded.limits`;

/**
 * SQL for when a lane with these starts can be served next: not before `throttledUntil` allows another start, and not
 * before its latest start, so that lanes served longest ago come first.
 */
export function readyFrom(starts: string, startsPerWindow: string, windowMs: string): string {
  return `coalesce(GREATEST(
    (${starts})[cardinality(${starts}) - ${startsPerWindow}::integer + 1] + ${windowMs}::bigint,
    (${starts})[cardinality(${starts})]
  ), 0)`;
}

/** Claims beyond the new limits are kept until they end. */
const APPLY = `
  UPDATE trunkline.lanes
  SET ready_from = ${readyFrom('starts', '$2', '$3')}, slots = GREATEST($1::integer, cardinality(claims))`;
