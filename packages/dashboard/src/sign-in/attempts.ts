import { refused } from '../session.ts';

const WINDOW_MS = 60_000;
/** The limit for one address or one credential: more than typos cause, and far fewer than guessing a token takes. */
const FAILURES_MAX = 30;
/**
 * The limit for all sources together: far more than typos cause, but too few to guess a token or to keep the database
 * busy.
 */
const ALL_FAILURES_MAX = 3_000;

export interface Attempts {
  /**
   * Throws RATE_LIMITED if too many attempts have failed, from one of these sources or from all. The returned function
   * removes a successful attempt from the count.
   */
  begin(sources: readonly string[]): () => void;
}

/** Each source is counted separately, so that one source does not lock out others. */
export function createAttempts(): Attempts {
  let failures = new Map<string, number>();
  // A monotonic time, because the system clock may be adjusted.
  let endsAt = 0;
  return {
    begin(sources) {
      const now = performance.now();
      if (now >= endsAt) {
        failures = new Map();
        endsAt = now + WINDOW_MS;
      }
      const counted = failures;
      const limits = new Map(sources.map((source) => [source, FAILURES_MAX]));
      limits.set('everybody', ALL_FAILURES_MAX);
      for (const [source, limit] of limits)
        if ((counted.get(source) ?? 0) >= limit) throw tooMany(limit, endsAt - now);
      const add = (count: number): void => {
        for (const source of limits.keys()) counted.set(source, (counted.get(source) ?? 0) + count);
      };
      // Count before the outcome is known, so that concurrent attempts all count.
      add(1);
      return () => add(-1);
    },
  };
}

function tooMany(limit: number, msLeft: number): Error {
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1000));
  return refused(
    'RATE_LIMITED',
    `Too many attempts to sign in have failed: try again in ${retryAfter} s, or with a new link ("trunkline dashboard" prints one).`,
    { retry_after: retryAfter, limit, reset: Math.ceil(Date.now() / 1000) + retryAfter },
  );
}
