import type { LaneLimits } from '@trunkline/core/spi/storage';
import { limitsAsText } from './lane-limits.ts';
import { flag, integerOrNull, textOrNull } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';

/** How soon to look again at lanes that other transactions had locked. Claims and completions take less time. */
const LOCKED_MS = 10;

/** A summary of all lanes, read by one statement. */
export interface Outlook {
  /** When the first lane that is not paused wakes; null if no lane does. */
  readonly wakeAt: number | null;
  /** Whether deliveries were queued whose lanes have not been woken since. */
  readonly isUnaware: boolean;
  /**
   * Whether the times of the lanes were computed under limits other than the given ones, or have never been computed.
   */
  readonly hasOtherLimits: boolean;
}

export async function lookAtLanes({ get }: Pick<Statements, 'get'>, limits: LaneLimits): Promise<Outlook> {
  const row = await get(LOOK);
  if (!row)
    throw new Error('The statement about all lanes returned no row. This is a defect: please report it.');
  return {
    wakeAt: integerOrNull(row, 'wake_at'),
    isUnaware: flag(row, 'is_unaware'),
    hasOtherLimits: textOrNull(row, 'limits') !== limitsAsText(limits),
  };
}

/**
 * When the next delivery can be claimed, but not before `now`, which is also returned if a lane has to be updated. Null
 * if no lane wakes.
 */
export function nextClaimAt({ wakeAt, isUnaware, hasOtherLimits }: Outlook, now: number): number | null {
  if (isUnaware || hasOtherLimits) return now;
  return wakeAt === null ? null : Math.max(wakeAt, now);
}

/**
 * Like `nextClaimAt`, after a claim. If lanes are ready although the claim did not reach its limit, other transactions
 * usually hold their locks, so the next claim is in `LOCKED_MS`.
 */
export function nextClaimAfter(outlook: Outlook, now: number, isLimited: boolean): number | null {
  const nextAt = nextClaimAt(outlook, now);
  return nextAt === now && !isLimited ? now + LOCKED_MS : nextAt;
}

/** Relies on lanes_to_wake. */
const LOOK = `
  SELECT
    (SELECT limits FROM trunkline.claim_limits) AS limits,
    (SELECT wake_at FROM trunkline.lanes WHERE wake_at IS NOT NULL AND NOT is_paused ORDER BY wake_at LIMIT 1) AS wake_at,
    EXISTS (SELECT 1 FROM trunkline.wake) AS is_unaware`;
