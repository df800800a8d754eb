import { claimEndWithin, dueWithinSchedule } from '../too-far-ahead.ts';

/**
 * When a queued event can be claimed: as it says, unless that is later than the retry schedule, or a claim that is made
 * now, allows. Its `dueAt` is the end of its claim while it has a token.
 */
export function queuedEventDue(
  {
    dueAt,
    attempts,
    token,
  }: { readonly dueAt: number; readonly attempts: number; readonly token: number | null },
  { leaseMs, now }: { readonly leaseMs: number; readonly now: number },
): number {
  return token === null ? dueWithinSchedule(dueAt, attempts, now) : claimEndWithin(dueAt, leaseMs, now);
}
