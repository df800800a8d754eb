import { dueWithinSchedule } from '../too-far-ahead.ts';
import { isOpen } from './delivery.ts';
import type { CancellationReason, Delivery, DeliveryErrorCode } from './delivery.ts';
import { retryDelay } from './retry-schedule.ts';

/** The outcome of one attempt; `errorCode` is null only if a 2xx response arrived in time. */
export interface AttemptOutcome {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly responseStatus: number | null;
  readonly errorCode: DeliveryErrorCode | null;
}

/**
 * The delivery after an attempt (specification, "Webhook delivery"). A manual attempt that fails is not retried: the
 * delivery becomes failed, or exhausted if no attempts remain. An unsafe URL fails a delivery immediately.
 */
export function completeAttempt(delivery: Delivery, outcome: AttemptOutcome): Delivery {
  const attempted: Delivery = {
    ...delivery,
    attempts: delivery.attempts + 1,
    manual: false,
    lastAttemptAt: outcome.startedAt,
    responseStatus: outcome.responseStatus,
    errorCode: outcome.errorCode,
    nextRetryAt: null,
  };
  if (outcome.errorCode === null) return { ...attempted, status: 'success', deliveredAt: outcome.endedAt };
  if (outcome.errorCode === 'UNSAFE_URL') return { ...attempted, status: 'failed' };
  if (delivery.manual)
    return { ...attempted, status: attempted.attempts >= delivery.maxAttempts ? 'exhausted' : 'failed' };
  const delay = attempted.attempts >= delivery.maxAttempts ? null : retryDelay(attempted.attempts);
  if (delay === null) return { ...attempted, status: 'exhausted' };
  return { ...attempted, status: 'retrying', nextRetryAt: outcome.endedAt + delay };
}

/**
 * The new due time and `nextRetryAt` of a delivery whose wait until `dueAt` is longer than the retry schedule allows
 * from now; null if the schedule allows the wait. The schedule allows no wait before the first attempt, or before a
 * manual one.
 */
export function withinSchedule(
  { status, attempts, nextRetryAt }: Pick<Delivery, 'status' | 'attempts' | 'nextRetryAt'>,
  dueAt: number,
  now: number,
): { readonly dueAt: number; readonly nextRetryAt: number | null } | null {
  const within = dueWithinSchedule(dueAt, status === 'retrying' ? attempts : 0, now);
  if (within === dueAt) return null;
  return { dueAt: within, nextRetryAt: nextRetryAt === null ? null : within };
}

/**
 * An attempt that a person requests: an extra one of a delivery that has ended without success, or the next one, before
 * its time, of a delivery that waits for its retry.
 */
export type RequestedAttempt = 'extra' | 'next';

/** Whether the status of a delivery allows an attempt that a person requests. */
export function mayRetry({ status }: Pick<Delivery, 'status'>, attempt: RequestedAttempt): boolean {
  return attempt === 'next' ? status === 'retrying' : !isOpen(status) && status !== 'success';
}

/** The delivery after its next attempt was requested by hand. The attempt keeps its place in the retry schedule. */
export function dueNow(delivery: Delivery, now: number): Delivery {
  return { ...delivery, nextRetryAt: Math.min(delivery.nextRetryAt ?? now, now) };
}

/** The delivery after a manual retry: queued for one more attempt, with its log unchanged. */
export function requeue(delivery: Delivery): Delivery {
  return { ...delivery, status: 'pending', manual: true, nextRetryAt: null };
}

/**
 * The delivery once it has failed because its event or endpoint is not stored. It counts as attempted now, so that
 * `retryFailedDeliveries` reaches the other deliveries first.
 */
export function endedWithoutEvent(delivery: Delivery, now: number): Delivery {
  return { ...delivery, status: 'failed', manual: false, nextRetryAt: null, lastAttemptAt: now };
}

/** An open delivery after its endpoint was disabled or deleted. */
export function cancelledBy(reason: CancellationReason, delivery: Delivery): Delivery {
  return { ...delivery, status: 'failed', errorCode: reason, nextRetryAt: null, deliveredAt: null };
}
