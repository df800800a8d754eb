import QuickLRU from 'quick-lru';

/** A cache of lookups that many requests repeat. Each result is kept for a while. */
export interface KeptLookUps<Value> {
  /** Returns the kept value of this key if it is young enough at `now`; otherwise, or if `fresh`, looks it up. */
  find(key: string, now: number, options?: { readonly fresh?: boolean }): Promise<Value>;
  /** Returns the kept value of this key if it is young enough at `now`; undefined if `find` would look it up. */
  kept(key: string, now: number): Value | undefined;
  /**
   * Forgets the value of this key, after it has changed. A lookup in flight still serves its callers, but is
   * not kept, because it may have read the old value.
   */
  forget(key: string): void;
  /** Forgets each value that `selects` accepts, and all lookups in flight. */
  forgetWhere(selects: (value: Value) => boolean): void;
}

export interface KeptLookUpsOptions<Value> {
  readonly lookUp: (key: string) => Promise<Value>;
  /** Returns false for a missing value, because the values of made-up keys would push out real values. */
  readonly isWorthKeeping: (value: Value) => boolean;
  /** How old a value may get, in milliseconds since its lookup began. */
  readonly maxAgeMs: number;
  /** The maximum number of kept values; the least recently used are dropped first. */
  readonly max: number;
}

interface Kept<Value> {
  readonly found: Promise<Value>;
  readonly since: number;
  /** Absent while the lookup is in flight. */
  result?: { readonly value: Value };
}

/**
 * Callers share the kept values and must not change them. Concurrent calls for one key share a lookup, unless
 * `fresh`.
 */
export function keepLookUps<Value>(options: KeptLookUpsOptions<Value>): KeptLookUps<Value> {
  const { lookUp, isWorthKeeping, maxAgeMs, max } = options;
  // QuickLRU holds up to twice its `maxSize`.
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

  const young = (key: string, now: number): Kept<Value> | undefined => {
    const entry = kept.get(key);
    // A clock that was set back must not make values younger.
    return entry && now >= entry.since && now - entry.since < maxAgeMs ? entry : undefined;
  };

  return {
    find: (key, now, { fresh = false } = {}) =>
      (fresh ? undefined : young(key, now)?.found) ?? start(key, now),
    kept: (key, now) => young(key, now)?.result?.value,
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
