import { refused } from '../session.ts';

const WINDOW_MS = 60_000;
/** Nobody mistypes more, and nobody guesses a token with so few. */
const FAILURES_MAX = 30;

/** Counts the attempts to sign in that failed. */
export interface Attempts {
  /** Throws RATE_LIMITED if too many have failed. What it returns takes the attempt back, once it has succeeded. */
  begin(): () => void;
}

/** For all who try: behind a proxy, everybody has the same address, and `X-Forwarded-For` says what its sender likes. */
export function createAttempts(): Attempts {
  let failures = 0;
  // By the time since the process began: the clock may be set.
  let endsAt = 0;
  return {
    begin() {
      const now = performance.now();
      if (now >= endsAt) {
        failures = 0;
        endsAt = now + WINDOW_MS;
      }
      if (failures >= FAILURES_MAX) {
        const retryAfter = Math.max(1, Math.ceil((endsAt - now) / 1000));
        throw refused(
          'RATE_LIMITED',
          `Too many attempts to sign in have failed: try again in ${retryAfter} s, or with a new link ("trunkline dashboard" prints one).`,
          {
            retry_after: retryAfter,
            limit: FAILURES_MAX,
            reset: Math.ceil(Date.now() / 1000) + retryAfter,
          },
        );
      }
      // Counted before it is known: many that begin at once are many.
      failures += 1;
      const counted = endsAt;
      return () => {
        if (counted === endsAt) failures -= 1;
      };
    },
  };
}
