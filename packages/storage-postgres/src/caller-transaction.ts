import type { Queryable } from './queryable.ts';
import { sqlState } from './pool.ts';

/** Does all of it or, where it throws, nothing; the transaction stays as it was otherwise. */
export async function inSavepoint<Result>(
  client: Queryable,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const control = (text: string): Promise<unknown> => client.query({ text, query_timeout: timeoutMs });
  try {
    await control('SAVEPOINT trunkline');
  } catch (error) {
    // no_active_sql_transaction; a pool gives it too, as each of its statements may have another connection.
    if (sqlState(error) === '25P01') throw wrong('no transaction is open on it: run BEGIN first');
    throw error;
  }
  try {
    const result = await work();
    await control('RELEASE SAVEPOINT trunkline');
    return result;
  } catch (error) {
    await control('ROLLBACK TO SAVEPOINT trunkline; RELEASE SAVEPOINT trunkline').catch(() => undefined);
    throw error;
  }
}

/** Throws a TypeError where it is nothing that can be asked. */
export function checkTransaction(own: unknown): Queryable {
  const isClient =
    typeof own === 'object' && own !== null && 'query' in own && typeof own.query === 'function';
  if (!isClient) throw wrong('it is no client of pg');
  return own as Queryable; // whatever else it is, the server says when it is asked
}

function wrong(why: string): TypeError {
  return new TypeError(`postgresStorage: the transaction cannot be used: ${why}.`);
}
