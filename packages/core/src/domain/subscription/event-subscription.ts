import { retryDelay } from '../delivery/retry-schedule.ts';
import type { SubscribableEventType } from '../event/event.ts';
import { claimEndWithin, dueWithinSchedule } from '../too-far-ahead.ts';

/** Events that handlers of the embedder's own want, whichever process they run in. */
export interface EventSubscription {
  /** `sub_…`; a name that is registered again after it was deleted gets another one. */
  readonly id: string;
  /** What processes that share its work know it by. */
  readonly name: string;
  /** Without repeats. */
  readonly eventTypes: readonly SubscribableEventType[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The form of a subscription's name. */
export const SUBSCRIPTION_NAME: RegExp = /^[A-Za-z0-9._-]{1,64}$/;

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

/** What happens to an event whose handler has failed `attempts` times, last at `failedAt`: the same as to a webhook. */
export function afterFailure(
  attempts: number,
  failedAt: number,
):
  | { kind: 'queued'; attempts: number; dueAt: number }
  | { kind: 'exhausted'; attempts: number; failedAt: number } {
  const delay = retryDelay(attempts);
  return delay === null
    ? { kind: 'exhausted', attempts, failedAt }
    : { kind: 'queued', attempts, dueAt: failedAt + delay };
}
