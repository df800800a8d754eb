/** A budget for what may be done often in a short time, but not all the time. */
export interface Turns {
  /** Whether there is a turn left at `now`. */
  has(now: number): boolean;
  take(now: number): void;
  /** When the next turn is available, if none is left. */
  nextAt(): number;
}

/** `burst` turns, and one more every `everyMs` until there are as many again. */
export function createTurns({ burst, everyMs }: { readonly burst: number; readonly everyMs: number }): Turns {
  /** When all turns are there again: each that is taken moves it on. */
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
