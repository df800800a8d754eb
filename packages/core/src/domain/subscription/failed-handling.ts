import { retryDelay } from '../delivery/retry-schedule.ts';

/** What becomes of an event whose handler has failed `attempts` times, the last time at `failedAt`: as of a webhook. */
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
