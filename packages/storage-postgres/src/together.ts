import type { Database, Transaction } from './database.ts';
import { isFaultOfValue } from './pool.ts';

/**
 * Does the work of several calls in one transaction, or, where the values of one of them fail, in one each: then it
 * fails alone. What fails for another reason fails for all.
 */
export async function doTogether<Item, Result>(
  database: Database,
  items: readonly Item[],
  work: (transaction: Transaction, items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly PromiseSettledResult<Result>[]> {
  try {
    const results = await database.transaction((transaction) => work(transaction, items));
    return results.map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    if (items.length === 1 || !isFaultOfValue(reason))
      return items.map(() => ({ status: 'rejected', reason }));
    const results: PromiseSettledResult<Result>[] = [];
    for (const item of items) results.push(...(await doTogether(database, [item], work)));
    return results;
  }
}
