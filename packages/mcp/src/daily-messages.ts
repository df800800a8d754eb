import type { Admin } from '@trunkline/core';

/** Counts the messages of a day in the storage, so that all processes count together and a restart loses nothing. */
export interface DailyMessages {
  /**
   * Takes one of the `limit` places that a workspace has on this day. Resolves with the number of places left, or with
   * null if no place was free. Concurrent calls with different idempotency keys take different places. A key that has
   * taken a place on this day takes no second place, except perhaps in concurrent calls of several processes.
   */
  take(of: {
    readonly workspaceId: string;
    readonly limit: number;
    readonly key: string;
  }): Promise<number | null>;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * Stores each place of a day as a token that is spent once. Places are taken in order, so binary search finds the first
 * free place.
 */
export function dailyMessages({ spend, isSpent }: Admin['spentTokens'], now: () => number): DailyMessages {
  const isTaken = (place: string): Promise<boolean> => isSpent(place, { fresh: true });

  const firstFree = async (place: (number: number) => string, limit: number): Promise<number> => {
    let low = 1;
    let high = limit + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (await isTaken(place(middle))) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const takeOne: DailyMessages['take'] = async ({ workspaceId, limit, key }) => {
    const today = Math.floor(now() / DAY_MS);
    const day = new Date(today * DAY_MS).toISOString().slice(0, 10);
    // One day longer than necessary, because the clock of another process may be behind.
    const until = (today + 2) * DAY_MS;
    const place = (number: number): string => `mcp_${workspaceId}_${day}_${number}`;
    const paid = `mcp_key_${workspaceId}_${day}_${key}`;

    let number = await firstFree(place, limit);
    // The service remembers the key for 24 hours, so it accepts at most one message for this place.
    if (await isTaken(paid)) return limit + 1 - number;
    while (number <= limit && !(await spend(place(number), until))) number += 1;
    if (number > limit) return null;
    await spend(paid, until);
    return limit - number;
  };

  /** The latest unfinished call of each key, for which the next call waits. */
  const unfinished = new Map<string, Promise<unknown>>();
  return {
    async take(of) {
      const id = `${of.workspaceId} ${of.key}`;
      const before = unfinished.get(id);
      const taken = (async () => {
        await before?.catch(() => undefined);
        return takeOne(of);
      })();
      unfinished.set(id, taken);
      return taken.finally(() => {
        if (unfinished.get(id) === taken) unfinished.delete(id);
      });
    },
  };
}
