/** A budget for work that may come in bursts, but not all the time (a token bucket). */
export interface TokenBucket {
  /** Whether a turn is left at `now`. */
  has(now: number): boolean;
  take(now: number): void;
  /** When the next turn is available, if no turn is left. */
  nextAt(): number;
}

/** Starts with `burst` turns, and adds one every `everyMs` up to that number. */
export function createTokenBucket({
  burst,
  everyMs,
}: {
  readonly burst: number;
  readonly everyMs: number;
}): TokenBucket {
  /** When all turns will be available again. Each taken turn delays this time. */
  let fullAt = -Infinity;
  const nextAt = (): number => fullAt - (burst - 1) * everyMs;
  return {
    has: (now) => now >= nextAt(),
    take(now) {
      fullAt = Math.max(fullAt, now) + everyMs;
    },
    nextAt,
  };
}
