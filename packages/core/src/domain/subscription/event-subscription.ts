import { retryDelay } from '../delivery/retry-schedule.ts';
import type { SubscribableEventType } from '../event/event.ts';
import { claimEndWithin, dueWithinSchedule } from '../too-far-ahead.ts';

/** A subscription of the embedder's handler to events, in whichever process the handler runs. */
export interface EventSubscription {
  /** `sub_…`. If a deleted name is registered again, the new subscription gets another id. */
  readonly id: string;
  /** The name by which processes share the subscription. */
  readonly name: string;
  /** Types without repeats. */
  readonly eventTypes: readonly SubscribableEventType[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A valid name of a subscription. */
export const SUBSCRIPTION_NAME: RegExp = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * When a queued event can be claimed: at its `dueAt`, but not later than the retry schedule allows from now. An event
 * with a token is claimed. Its `dueAt` is the end of the claim, bounded by the end of a claim made now.
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

/**
 * The next state of an event whose handler has failed `attempts` times, last at `failedAt`. Retries follow the schedule
 * of webhooks.
 */
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
