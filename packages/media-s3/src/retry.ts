import { S3Error } from './s3-error.ts';

/** Faults that pass without intervention. Any request of the store can be repeated without further effect. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const PASSING_CODES: ReadonlySet<string> = new Set([
  'InternalError',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  // The next attempt knows the clock's offset, or has new credentials.
  'RequestTimeTooSkewed',
  'ExpiredToken',
]);

export function mayPass(error: unknown): boolean {
  if (!(error instanceof S3Error)) return false;
  if (error.status === null) return true;
  return PASSING_STATUSES.has(error.status) || (error.code !== null && PASSING_CODES.has(error.code));
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/**
 * Waits twice as long after each attempt, up to a limit. Half of the wait is random, so that clients do not retry at
 * the same moment.
 */
export function waitBeforeRetry(attempts: number): Promise<void> {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
}
