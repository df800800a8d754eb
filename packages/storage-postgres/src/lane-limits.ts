import type { DeliveryClaim } from '@trunkline/core';
import type { Transaction } from './database.ts';
import { wakeAt } from './lane.ts';
import { text } from './row.ts';

/** What decides how much may be under way at one endpoint. */
export type LaneLimits = Pick<DeliveryClaim, 'slots' | 'startsPerWindow' | 'windowMs'>;

/**
 * The times in the lanes were worked out under the limits of earlier claims: where those were others, all are worked out
 * again. That takes another version of Trunkline.
 */
export async function applyLimits(transaction: Transaction, limits: LaneLimits): Promise<void> {
  const { slots, startsPerWindow, windowMs } = limits;
  const wanted = JSON.stringify([slots, startsPerWindow, windowMs]);
  const row = await transaction.get('SELECT limits FROM trunkline.lane_limits');
  if (row && text(row, 'limits') === wanted) return;
  if ((await transaction.run(CHANGE, wanted)) === 0) return;
  await transaction.run('SELECT 1 FROM trunkline.lanes ORDER BY endpoint_id FOR UPDATE');
  await transaction.run(APPLY, slots, startsPerWindow, windowMs);
  await transaction.run(`UPDATE trunkline.lanes SET wake_at = ${wakeAt('lanes.is_full')}`);
}

const CHANGE = `
  INSERT INTO trunkline.lane_limits (limits) VALUES ($1)
  ON CONFLICT (id) DO UPDATE SET limits = excluded.limits WHERE lane_limits.limits <> excluded.limits`;

/** When nothing but the throttle, and the turn of others, keeps a lane with these starts from being served. */
export function readyFrom(starts: string, startsPerWindow: string, windowMs: string): string {
  return `coalesce(GREATEST(
    (${starts})[cardinality(${starts}) - ${startsPerWindow}::integer + 1] + ${windowMs}::bigint,
    (${starts})[cardinality(${starts})]
  ), 0)`;
}

const APPLY = `
  UPDATE trunkline.lanes
  SET ready_from = ${readyFrom('starts', '$2', '$3')},
    is_full = (SELECT count(*) FROM trunkline.claims WHERE claims.endpoint_id = lanes.endpoint_id) >= $1::integer`;
