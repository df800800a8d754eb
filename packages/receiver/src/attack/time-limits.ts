/** How many times as long as a genuine request any other one may take: some cost the receiver that much more work. */
const TIMES_GENUINE = 100;
/** The longest limit, in times of the configured one. */
const LONGEST = 6;

/** The time limits of an attack. They grow if the receiver, or the machine that it shares with others, is slow. */
export interface TimeLimits {
  /** How long to wait for a response, in milliseconds. */
  response(): number;
  /** The longest that `response` can become. */
  readonly longestResponse: number;
  /** How long all requests together may take. It grows by the same factor. */
  total(): number;
  /**
   * Adapts the limits to how long genuine requests took just now: the slowest decides. Returns whether they have grown so
   * much that a request which was late may be in time now.
   */
  adapt(genuineMs: readonly number[]): boolean;
}

/** The configured limits are the shortest. */
export function createTimeLimits(configured: {
  readonly timeoutMs: number;
  readonly limitMs: number;
}): TimeLimits {
  const { timeoutMs, limitMs } = configured;
  let factor = 1;
  return {
    response: () => timeoutMs * factor,
    longestResponse: timeoutMs * LONGEST,
    total: () => limitMs * factor,
    adapt(genuineMs) {
      const needed = Math.min((TIMES_GENUINE * Math.max(0, ...genuineMs)) / timeoutMs, LONGEST);
      const hasGrown = needed > factor;
      if (hasGrown) factor = needed;
      return hasGrown;
    },
  };
}
