import type { Statements } from './statements.ts';
import type { Queryable } from './queryable.ts';
import { sqlState } from './pool.ts';

export interface JoinOptions {
  /** The id that `migrate` returns for this database. */
  readonly installation: string;
  /** The timeout of each statement that begins or ends the savepoint. */
  readonly timeoutMs: number;
  statementsOn(client: Queryable): Statements;
}

/**
 * Does all of `work` in a transaction that the caller has begun, or nothing if `work` throws. The rest of the
 * transaction stays as it was. Throws a TypeError if no transaction is open, or if the client is not connected to this
 * database.
 */
export async function joinTransaction<Result>(
  own: unknown,
  options: JoinOptions,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = checkClient(own);
  return inTurn(client, () =>
    inSavepoint(client, options.timeoutMs, async () => {
      await checkDatabase(client, options);
      return work(client);
    }),
  );
}

function checkClient(own: unknown): Queryable {
  const isClient =
    typeof own === 'object' && own !== null && 'query' in own && typeof own.query === 'function';
  if (!isClient) throw wrong('it must be a client of pg');
  return own as Queryable; // if it is not a client, its first query fails
}

/** The latest call on each client. */
const turns = new WeakMap<Queryable, Promise<unknown>>();

/**
 * Runs the calls on a client one after the other. Otherwise their statements would mix, and a failing call would undo
 * another call's changes.
 */
async function inTurn<Result>(client: Queryable, work: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(client) ?? Promise.resolve()).then(work);
  turns.set(
    client,
    turn.catch(() => undefined),
  );
  return turn;
}

async function inSavepoint<Result>(
  client: Queryable,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const control = (text: string): Promise<unknown> => client.query({ text, query_timeout: timeoutMs });
  try {
    await control('SAVEPOINT trunkline');
  } catch (error) {
    // no_active_sql_transaction. A pool causes this error too, because each of its statements may run on another
    // connection.
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

/** The installation to which each client is known to be connected. */
const checked = new WeakMap<Queryable, string>();

async function checkDatabase(client: Queryable, { installation, statementsOn }: JoinOptions): Promise<void> {
  if (checked.get(client) === installation) return;
  const row = await statementsOn(client)
    .get('SELECT FROM trunkline.schema_versions WHERE id = $1', installation)
    .catch((error: unknown) => {
      // undefined_column, or undefined_table, which PostgreSQL also reports if the whole schema is missing.
      if (['42P01', '42703'].includes(sqlState(error) ?? '')) return undefined;
      throw error;
    });
  if (!row) throw wrong("it must be connected to the storage's database");
  checked.set(client, installation);
}

function wrong(why: string): TypeError {
  return new TypeError(`postgresStorage: the transaction cannot be used: ${why}.`);
}
