import type { Database, Transaction } from './database.ts';
import { isFaultOfValue } from './pool.ts';

/** Runs several calls in one transaction, or each call in its own; see `runBatchOrEach`. */
export async function runBatch<Item, Result>(
  database: Database,
  items: readonly Item[],
  work: (transaction: Transaction, items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly PromiseSettledResult<Result>[]> {
  return runBatchOrEach(items, (some) => database.transaction((transaction) => work(transaction, some)));
}

/**
 * Runs several calls together, all or nothing. If the values of one call are at fault, runs each call alone, so that
 * only that call fails. Any other error fails all calls.
 */
export async function runBatchOrEach<Item, Result>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly PromiseSettledResult<Result>[]> {
  try {
    return (await work(items)).map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    if (items.length === 1 || !isFaultOfValue(reason))
      return items.map(() => ({ status: 'rejected', reason }));
    const results: PromiseSettledResult<Result>[] = [];
    for (const item of items) results.push(...(await runBatchOrEach([item], work)));
    return results;
  }
}
