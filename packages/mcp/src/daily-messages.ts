import type { Admin } from '@trunkline/core';

/** Counts the messages of a day in the storage, so that all processes share the count and a restart keeps it. */
export interface DailyMessages {
  /**
   * Takes one of the `limit` places that a workspace has on this day. Resolves with the number of places left, or with
   * null if none was free. Concurrent calls take different places. A call takes none if its idempotency key already
   * took one on this day.
   */
  take(of: {
    readonly workspaceId: string;
    readonly limit: number;
    readonly key: string;
  }): Promise<number | null>;
}

const DAY_MS = 24 * 60 * 60_000;

/** Each place is a token that is spent once. Places are taken in order, so a binary search finds the first free one. */
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

  return {
    async take({ workspaceId, limit, key }) {
      const today = Math.floor(now() / DAY_MS);
      const day = new Date(today * DAY_MS).toISOString().slice(0, 10);
      // One day longer than necessary, because another process's clock may be behind.
      const until = (today + 2) * DAY_MS;
      const place = (number: number): string => `mcp_${workspaceId}_${day}_${number}`;
      const paid = `mcp_key_${workspaceId}_${day}_${key}`;

      let number = await firstFree(place, limit);
      // The service remembers the key for 24 hours, so it accepts only one message for it.
      if (await isTaken(paid)) return limit + 1 - number;
      while (number <= limit && !(await spend(place(number), until))) number += 1;
      if (number > limit) return null;
      await spend(paid, until);
      return limit - number;
    },
  };
}
