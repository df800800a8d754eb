import type { NewId, Signal, StorageContext } from '@trunkline/core/spi/storage';
import type { QueryResult, Queryable } from './queryable.ts';
import { sqlState, withClient } from './pool.ts';
import type { PostgresPool, WatchedClient } from './pool.ts';
import { OTHERS_CAME_FIRST } from './reasons.ts';
import { runsAlone, transactionStart } from './session.ts';
import type { TransactionKind } from './session.ts';
import { joinTransaction } from './caller-transaction.ts';
import type { JoinOptions } from './caller-transaction.ts';
import { statementsOn } from './statements.ts';
import type { Prepare, Statements } from './statements.ts';

export interface Transaction extends Statements {
  readonly newId: NewId;
  /** Announces work once the transaction is committed. */
  announce(signal: Signal): void;
  /** Runs statements that do not need each other's results: in one round trip where the connection can. */
  together<Results extends readonly unknown[]>(...statements: Sends<Results>): Promise<Results>;
  /**
   * Runs the last statements of the transaction, which do not need each other's results, and commits: in one round trip
   * where the connection can. Each function sends one statement when it is called, not later.
   */
  last<Results extends readonly unknown[]>(...statements: Sends<Results>): Promise<Results>;
  /**
   * Rejects if the transaction could not begin. In `transactionAtOnce`, to be awaited after the first statements, and
   * before any statement that writes.
   */
  begun(): Promise<void>;
}

/** Functions that each send a statement, by its result. */
type Sends<Results extends readonly unknown[]> = {
  readonly [Index in keyof Results]: () => Promise<Results[Index]>;
};

/**
 * Everything that the stores share once the storage is open. A statement that is run directly on it is its own
 * transaction.
 */
export interface Database extends Statements {
  readonly newId: NewId;
  /** The number of this process, under which its leases and claims are written. */
  readonly process: () => number;
  /**
   * Commits everything that `work` changes, or nothing if `work` throws. May run `work` again after a conflict with
   * another transaction, in which case only the last run counts.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Does the same as `transaction`, but begins in the round trip of the first statements where the connection can. Those
   * must write nothing unless `IN_TRANSACTION`, because they run alone if the transaction could not begin.
   */
  transactionAtOnce<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Runs `read` so that all its statements see the same state, even if other transactions commit in between. */
  snapshot<Result>(read: (statements: Statements) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` on the caller's connection, in a transaction that the caller has begun and will end. Does all of
   * `work`, or nothing if it throws; the rest of the transaction stays as it was. `announce` takes effect when the
   * caller commits.
   */
  join<Result>(own: unknown, work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Announces committed work. */
  publish(signals: readonly Signal[]): void;
  /** Makes `close` wait for a call, even while the call is still waiting for its batch. */
  track<Result>(call: Promise<Result>): Promise<Result>;
}

/** Returns the database; throws while the storage is not open. */
export type Connected = () => Database;

export interface DatabaseOptions {
  readonly pool: PostgresPool;
  readonly prepare: Prepare;
  readonly context: StorageContext;
  /** The id that distinguishes this database from others. */
  readonly installation: string;
  readonly process: () => number;
  readonly timeoutMs: number;
  publish(signals: readonly Signal[]): void;
  /**
   * A statement that announces work when its transaction commits; null if there is nothing to announce, or
   * notifications are off.
   */
  notification(
    signals: readonly Signal[],
  ): { readonly text: string; readonly values: readonly unknown[] } | null;
}

const MAX_RUNS = 10;

export function createDatabase(options: DatabaseOptions): Database & { idle(): Promise<void> } {
  const { pool, prepare, timeoutMs, publish } = options;
  const { newId, logger } = options.context;
  const calls = new Set<Promise<unknown>>();

  const within = <Result>(
    how: Omit<TransactionOptions, 'timeoutMs'>,
    work: (statements: Statements & Trips) => Promise<Result>,
  ): Promise<Result> =>
    throughConflicts(() =>
      withClient(pool, logger, (client) =>
        inTransaction(client, { ...how, timeoutMs }, (trips) =>
          work({ ...statementsOn(client, prepare), ...trips }),
        ),
      ),
    );
  const transaction = async <Result>(
    how: Omit<TransactionOptions, 'timeoutMs'>,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> => {
    let signals: Signal[] = [];
    const result = await within(how, (statements) => {
      signals = [];
      return work({ ...statements, newId, announce: (signal) => signals.push(signal) });
    });
    publish(signals);
    return result;
  };
  const alone: Queryable = {
    query: (statement) =>
      throughConflicts(() =>
        withClient(pool, logger, (client) => {
          const run = (): Promise<QueryResult> => client.query(statement);
          if (runsAlone(client.session, timeoutMs)) return run();
          return inTransaction(client, { kind: 'write', timeoutMs }, run);
        }),
      ),
  };

  const joining: JoinOptions = {
    installation: options.installation,
    timeoutMs,
    statementsOn: (client) => statementsOn(client, prepare),
  };

  return {
    ...statementsOn(alone, prepare),
    newId,
    process: options.process,
    transaction: (work) => transaction({ kind: 'write' }, work),
    transactionAtOnce: (work) => transaction({ kind: 'write', isAtOnce: true }, work),
    snapshot: (read) => within({ kind: 'snapshot' }, read),
    join: (own, work) =>
      throughConflicts(() =>
        joinTransaction(own, joining, async (client) => {
          const signals: Signal[] = [];
          const announce = (signal: Signal): void => void signals.push(signal);
          const result = await work({ ...statementsOn(client, prepare), ...ONE_BY_ONE, newId, announce });
          const notify = options.notification(signals);
          if (notify) await client.query({ ...notify, query_timeout: timeoutMs });
          return result;
        }),
      ),
    publish,
    track(call) {
      const settled = call.catch(() => undefined).finally(() => calls.delete(settled));
      calls.add(settled);
      return call;
    },
    async idle() {
      while (calls.size > 0) await Promise.all(calls);
    },
  };
}

/** Runs a transaction at most MAX_RUNS times, again after each conflict with another transaction. */
async function throughConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (runs === MAX_RUNS || !isConflict(error)) throw error;
    }
  }
}

type Trips = Pick<Transaction, 'together' | 'last' | 'begun'>;

async function oneByOne<Results extends readonly unknown[]>(...statements: Sends<Results>): Promise<Results> {
  const results: unknown[] = [];
  for (const statement of statements) results.push(await statement());
  return results as unknown as Results; // one result of each statement, in their order
}

const ONE_BY_ONE: Trips = { together: oneByOne, last: oneByOne, begun: async () => {} };

function pipelined({ sent }: WatchedClient, commit: () => void, begun: Promise<unknown>): Trips {
  return {
    async together<Results extends readonly unknown[]>(...statements: Sends<Results>) {
      return (await allOf(statements.map((statement) => statement()))) as unknown as Results; // as in `last`
    },
    async last<Results extends readonly unknown[]>(...statements: Sends<Results>) {
      const before = sent();
      const results = statements.map((statement) => statement());
      // A statement that could not be sent must not be missing from what is committed.
      if (sent() === before + statements.length) commit();
      return (await allOf(results)) as unknown as Results; // one result of each statement, in their order
    },
    async begun() {
      await begun;
    },
  };
}

/** Waits for all even if one rejects, because a connection may be released only after all of its results have come. */
async function allOf<Results extends readonly unknown[]>(
  results: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> }],
): Promise<Results>;
async function allOf(results: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  await Promise.allSettled(results);
  return Promise.all(results);
}

interface TransactionOptions {
  readonly kind: TransactionKind;
  readonly timeoutMs: number;
  /** See `Database.transactionAtOnce`. */
  readonly isAtOnce?: boolean;
}

async function inTransaction<Result>(
  client: WatchedClient,
  { kind, timeoutMs, isAtOnce = false }: TransactionOptions,
  work: (trips: Trips) => Promise<Result>,
): Promise<Result> {
  const control = (text: string): Promise<QueryResult> => client.query({ text, query_timeout: timeoutMs });
  const begun = control(transactionStart(kind, client.session, timeoutMs));
  if (!isAtOnce || !client.isPipelined) await begun;
  let committed: Promise<QueryResult> | undefined;
  const commit = (): void => {
    committed = control('COMMIT');
    // A failure is reported by the await below.
    committed.catch(() => undefined);
  };
  try {
    // Without a beginning, whatever the work found does not count.
    const [, result] = await allOf([
      begun,
      work(client.isPipelined ? pipelined(client, commit, begun) : ONE_BY_ONE),
    ]);
    const { command } = await (committed ?? control('COMMIT'));
    if (command !== 'COMMIT')
      throw new Error(
        'PostgreSQL rolled back a transaction that was to be committed, because a statement in it had failed. This is a defect: please report it.',
      );
    return result;
  } catch (error) {
    // A broken connection is closed, which ends the transaction too. After a failed statement, COMMIT rolls back.
    if (!client.isBroken()) await (committed ?? control('ROLLBACK')).catch(() => undefined);
    throw error;
  }
}

/**
 * Thrown by work that finds, after it has read, that another transaction committed first. The next run sees that
 * transaction's changes.
 */
export class TransactionConflict extends Error {
  override readonly name = 'TransactionConflict';
  constructor() {
    super(OTHERS_CAME_FIRST);
  }
}

/**
 * Whether the transaction is worth running again: it deadlocked, could not be serialized, or threw a
 * TransactionConflict. Or a row was on its way to a default partition when the partition for its day was created, which
 * PostgreSQL reports as a check violation (23514) without the name of a constraint.
 */
function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  if (error instanceof TransactionConflict || state === '40001' || state === '40P01') return true;
  return state === '23514' && Reflect.get(Object(error), 'constraint') === undefined;
}
