import { retryDelay } from './delivery/retry-schedule.ts';

/**
 * These functions bound how far ahead a stored time can be. A later time was written before the clock was set back.
 * Nothing waits for such a time, because the wait would last for as long as the clock was set back by. Times are epoch
 * milliseconds.
 */

/**
 * The latest end of a lease or claim. Twice its length, because a caller whose process was paused may have read the
 * time up to a lease length ago, and must not take a lease that its owner has renewed since.
 */
export function latestLeaseEnd(now: number, lengthMs: number): number {
  return now + 2 * lengthMs;
}

/** How far the clock of another process may be ahead of this process's clock. */
export const CLOCKS_APART_MS = 5_000;

/** Whether `at` is so far ahead that it must have been written before the clock was set back. */
export function isTooFarAhead(at: number, now: number): boolean {
  return at > now + CLOCKS_APART_MS;
}

/**
 * Returns `now`, or 1 ms after `earlier` if `earlier` was written by a clock that is slightly ahead of this clock, so
 * that times and events are in the order of their causes. Not `earlier` itself, because two processes number the events
 * of one moment separately.
 */
export function notBefore(earlier: number, now: number): number {
  return earlier <= now || isTooFarAhead(earlier, now) ? now : earlier + 1;
}

/** The latest time at which a living process can have registered as an owner of leases. */
export function latestRegistration(now: number): number {
  return now + 60_000;
}

/** A bound on the time at which a message is sent again, above every wait of `send-retry.ts`. */
export function latestResend(now: number): number {
  return now + 60_000;
}

/** A bound on the time until which a message is held, above every wait of `not-sent-retry.ts`. */
export function latestHold(now: number): number {
  return now + 3_600_000;
}

/**
 * When a delivery or a queued event with `failedAttempts` failed attempts is due: at `dueAt`, but not later than the
 * retry schedule allows from now.
 */
export function dueWithinSchedule(dueAt: number, failedAttempts: number, now: number): number {
  return notLaterThan(now + (retryDelay(failedAttempts) ?? 0), dueAt);
}

/** When the claim of an event ends: at `end`, but not later than a claim made now would. */
export function claimEndWithin(end: number, leaseMs: number, now: number): number {
  return notLaterThan(now + leaseMs, end);
}

function notLaterThan(latest: number, at: number): number {
  return isTooFarAhead(at, latest) ? latest : at;
}
