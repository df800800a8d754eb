/** Concurrent attempts: as many as one process has a use for, as long as receivers respond. */
const CONCURRENT = 256;
/** One that takes longer counts no more among these, so that receivers which hang do not keep the others waiting. */
const SLOW_AFTER_MS = 1_000;
/** With those that take longer: as many sockets as one process may have open. */
const MOST = 2_048;

/** What one dispatcher has begun and not finished. */
export interface AttemptsInFlight {
  /** How many more may begin; where it is none, when that changes although no attempt has ended, if it does. */
  room(now: number): { readonly count: number; readonly moreAt: number | null };
  add(attempt: Promise<void>, now: number): void;
  /** It has ended. */
  remove(attempt: Promise<void>): void;
  /** Resolves when those that are in flight now have ended. */
  ended(): Promise<void>;
}

export function attemptsInFlight(): AttemptsInFlight {
  /** When each began, oldest first. */
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
