/**
 * Resolves with true for the first who uses a token of this id, and with false for everybody after that; the id may be
 * forgotten at `until` (epoch milliseconds).
 */
export type UseOnce = (id: string, until: number) => Promise<boolean>;

/** In the memory of this process. */
export function usedOnceInMemory(now: () => number): UseOnce {
  const used = new Map<string, number>();
  return async (id, until) => {
    for (const [other, end] of used) if (end <= now()) used.delete(other);
    if (used.has(id)) return false;
    used.set(id, until);
    return true;
  };
}
