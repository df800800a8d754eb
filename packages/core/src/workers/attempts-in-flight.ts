/**
 * The maximum number of attempts younger than `SLOW_AFTER_MS`: as many as one process can use while receivers respond.
 */
const CONCURRENT = 256;
/**
 * An attempt that takes longer no longer counts towards `CONCURRENT`, so that receivers that hang do not delay the
 * others.
 */
const SLOW_AFTER_MS = 1_000;
/** The maximum number of attempts, each of which may hold a socket open. */
const MOST = 2_048;

/** The unfinished attempts of one dispatcher. */
export interface AttemptsInFlight {
  /**
   * How many attempts may begin now. `moreAt` is when more may begin even if no attempt ends; null if there is no such
   * time.
   */
  room(now: number): { readonly count: number; readonly moreAt: number | null };
  add(attempt: Promise<void>, now: number): void;
  remove(attempt: Promise<void>): void;
  /** Resolves when all attempts that are in flight now have ended. */
  ended(): Promise<void>;
}

export function attemptsInFlight(): AttemptsInFlight {
  /** When attempts began, oldest first. */
  const quick = new Map<Promise<void>, number>();
  const slow = new Set<Promise<void>>();

  const moveSlow = (now: number): void => {
    for (const [attempt, began] of quick) {
      if (now - began < SLOW_AFTER_MS) return;
      quick.delete(attempt);
      slow.add(attempt);
    }
  };

  return {
    room(now) {
      moveSlow(now);
      const count = Math.min(CONCURRENT, MOST - slow.size) - quick.size;
      const [oldest] = quick.values();
      const isFull = slow.size + quick.size >= MOST;
      return { count, moreAt: oldest === undefined || isFull ? null : oldest + SLOW_AFTER_MS };
    },
    add(attempt, now) {
      quick.set(attempt, now);
    },
    remove(attempt) {
      quick.delete(attempt);
      slow.delete(attempt);
    },
    async ended() {
      await Promise.all([...quick.keys(), ...slow]);
    },
  };
}
