/**
 * The time limit of a request, as a multiple of a genuine request's time: some requests cost the receiver more work.
 */
const TIMES_GENUINE = 100;
/** The longest limit, as a multiple of the configured limit. */
const LONGEST = 6;

/** The time limits of an attack, which grow if the receiver or its machine is slow. */
export interface TimeLimits {
  /** How long to wait for a response, in milliseconds. */
  response(): number;
  /** The longest time that `response` can return. */
  readonly longestResponse: number;
  /** The time for all requests together, which grows in proportion to `response`. */
  total(): number;
  /**
   * Adapts the limits to the slowest of these genuine requests. Returns whether they have grown: late requests are then
   * worth repeating.
   */
  adapt(genuineMs: readonly number[]): boolean;
}

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
