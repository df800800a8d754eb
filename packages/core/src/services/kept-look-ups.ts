import QuickLRU from 'quick-lru';

/** Look-ups that many requests repeat, each made once and then kept for a while. */
export interface KeptLookUps<Value> {
  /** What is kept under this key if it is young enough at `now`; otherwise, or if `fresh`, a new look-up. */
  find(key: string, now: number, options?: { readonly fresh?: boolean }): Promise<Value>;
  /**
   * Forgets what is kept under this key, after it has changed. A look-up that is in flight serves those who wait for it
   * and is not kept: it may have read what was there before.
   */
  forget(key: string): void;
  /** The same for each value that this selects. */
  forgetWhere(selects: (value: Value) => boolean): void;
}

export interface KeptLookUpsOptions<Value> {
  readonly lookUp: (key: string) => Promise<Value>;
  /** False for what was not found: made-up keys would push out the others. */
  readonly isWorthKeeping: (value: Value) => boolean;
  /** How old a value may get, in milliseconds since its look-up began. */
  readonly maxAgeMs: number;
  /** How many are kept at most; those that were not used for the longest time go first. */
  readonly max: number;
}

interface Kept<Value> {
  readonly found: Promise<Value>;
  readonly since: number;
  /** Absent while the look-up is in flight. */
  result?: { readonly value: Value };
}

/** Values are handed out as they are kept, so they must not be changed. Concurrent calls for one key share a look-up. */
export function keepLookUps<Value>(options: KeptLookUpsOptions<Value>): KeptLookUps<Value> {
  const { lookUp, isWorthKeeping, maxAgeMs, max } = options;
  // It holds up to twice its size.
  const kept = new QuickLRU<string, Kept<Value>>({ maxSize: Math.ceil(max / 2) });

  const start = (key: string, now: number): Promise<Value> => {
    const entry: Kept<Value> = { found: lookUp(key), since: now };
    const remove = (): void => {
      if (kept.peek(key) === entry) kept.delete(key);
    };
    kept.set(key, entry);
    entry.found.then((value) => {
      if (isWorthKeeping(value)) entry.result = { value };
      else remove();
    }, remove);
    return entry.found;
  };

  return {
    find(key, now, { fresh = false } = {}) {
      const entry = fresh ? undefined : kept.get(key);
      // A clock that was set back makes nothing younger.
      const isYoung = entry !== undefined && now >= entry.since && now - entry.since < maxAgeMs;
      return isYoung ? entry.found : start(key, now);
    },
    forget(key) {
      kept.delete(key);
    },
    forgetWhere(selects) {
      for (const [key, { result }] of kept) {
        if (result === undefined || selects(result.value)) kept.delete(key);
      }
    },
  };
}
