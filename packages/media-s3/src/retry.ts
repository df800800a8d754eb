import { S3Error } from './s3-error.ts';

/** Faults that pass without intervention. The store can repeat any of its requests without adding to their effect. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const PASSING_CODES: ReadonlySet<string> = new Set([
  'InternalError',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  // These two pass on the next attempt, which knows the clock's offset, or gets new credentials.
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
 * Waits after `attempts` attempts: twice as long each time, half of it random, so that clients do not return at the
 * same moment.
 */
export function waitBeforeRetry(attempts: number): Promise<void> {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
}
