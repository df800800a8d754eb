import type { Signal } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { isBusy, LockTimeoutError } from './lock.ts';

/**
 * A commit takes no further operation once its operations have taken this time, in milliseconds, so that neither the
 * first callers in a long queue nor the event loop wait for all of it. What the callers do with their results takes
 * about as long again.
 */
const BATCH_MS = 8;
/** How long to wait before each further attempt to get the lock; the last value repeats. */
const LOCK_WAITS_MS = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50] as const;
const LONGEST_LOCK_WAIT_MS = 50;

/** Announces work once the operation is committed. */
export type Announce = (signal: Signal) => void;
/** May run again if another operation of its batch has failed. Only the last run counts. */
export type Operation<Result> = (announce: Announce) => Result;

/**
 * Called before consecutive operations of one kind in a transaction. Returns the function that runs each of them, so
 * that an operation can reuse what earlier ones have read.
 */
type Series<Item, Result> = (announce: Announce) => (item: Item) => Result;

/** Group commit of all writes of this storage. */
export interface Writer {
  /**
   * Runs a synchronous operation in a transaction and resolves with its result once the transaction is on disk.
   * Operations that arrive together share a transaction, in their order, and so a flush of the disk. If an
   * operation throws, it changes nothing, and only its call rejects. While another transaction holds the lock,
   * operations wait, each for the time allowed, and the event loop continues, because that transaction may belong to
   * this process.
   */
  run<Result>(operation: Operation<Result>): Promise<Result>;
  /** Like `run`, for an operation of a series. The next operation outside the series ends the series. */
  runInSeries<Item, Result>(series: Series<Item, Result>, item: Item): Promise<Result>;
  /** Resolves when all earlier operations are completed. */
  completed(): Promise<void>;
}

interface WriterOptions {
  readonly database: Database;
  readonly publish: Announce;
  /** How long an operation waits for the lock before it rejects. */
  readonly lockTimeoutMs: number;
  /** Runs the next batch, either at once or later in the event loop. If it waits, more operations share one flush. */
  readonly soon: (writeBatch: () => void) => void;
}

interface Waiting {
  readonly series: Series<unknown, unknown>;
  readonly item: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

export function createWriter({ database, publish, lockTimeoutMs, soon }: WriterOptions): Writer {
  let waiting: Waiting[] = [];
  let lockWaits = 0;
  let isPlanned = false;

  const plan = (waitMs?: number): void => {
    if (isPlanned) return;
    isPlanned = true;
    if (waitMs === undefined) soon(writeBatch);
    else setTimeout(writeBatch, waitMs);
  };

  const writeBatch = (): void => {
    isPlanned = false;
    const batch = waiting;
    waiting = [];
    const { completed, locked } = complete(batch);
    waiting = [...batch.slice(completed), ...waiting];
    if (locked !== undefined) giveUpLate(locked);
    if (waiting.length > 0)
      plan(locked === undefined ? undefined : (LOCK_WAITS_MS[lockWaits] ?? LONGEST_LOCK_WAIT_MS));
    lockWaits = locked === undefined ? 0 : lockWaits + 1;
  };

  /** Completes the first operations, at least one unless the database is locked. */
  const complete = (batch: readonly Waiting[]): Completion => {
    if (batch.length === 0) return { completed: 0 };
    const signals = new Map<string, Signal>();
    const announce: Announce = (signal) => signals.set(JSON.stringify(signal), signal);
    /** The index of the running operation; -1 before the first and after the last. */
    let at = -1;
    const results: unknown[] = [];
    try {
      database.transaction(() => {
        const until = performance.now() + BATCH_MS;
        let current: Series<unknown, unknown> | null = null;
        let runNext: (item: unknown) => unknown = () => null;
        for (const { series, item } of batch) {
          at = results.length;
          if (series !== current) runNext = series(announce);
          current = series;
          results.push(runNext(item));
          if (performance.now() >= until) break;
        }
        at = -1;
      });
    } catch (error) {
      if (at !== -1) return runWithout(batch, at, error);
      if (isBusy(error)) return { completed: 0, locked: error };
      // If the transaction did not begin, no operation can be completed.
      const completed = results.length === 0 ? batch.length : results.length;
      rejectAll(batch.slice(0, completed), error);
      return { completed };
    }
    for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    for (const signal of signals.values()) publish(signal);
    return { completed: results.length };
  };

  /** Completes the operations before the failed one, and rejects that one if all of them are completed. */
  const runWithout = (batch: readonly Waiting[], failed: number, error: unknown): Completion => {
    const before = complete(batch.slice(0, failed));
    if (before.completed < failed) return before;
    batch[failed]?.reject(error);
    return { completed: failed + 1 };
  };

  const giveUpLate = (cause: unknown): void => {
    const oldest = performance.now() - lockTimeoutMs;
    const late = waiting.filter(({ since }) => since <= oldest);
    waiting = waiting.filter(({ since }) => since > oldest);
    rejectAll(late, new LockTimeoutError(lockTimeoutMs, cause));
  };

  const runInSeries = <Item, Result>(series: Series<Item, Result>, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      plan();
      const since = performance.now();
      // The cast is safe because each series gets its own items, and each caller the result of its own operation.
      const own = { series, item, resolve, reject, since } as Waiting;
      waiting.push(own);
    });
  const run = <Result>(operation: Operation<Result>): Promise<Result> =>
    runInSeries(alone<Result>, operation);

  return {
    run,
    runInSeries,
    async completed() {
      // Operations complete in order, so this one is the last.
      if (waiting.length > 0) await run(() => null).catch(() => null);
    },
  };
}

function alone<Result>(announce: Announce): (operation: Operation<Result>) => Result {
  return (operation) => operation(announce);
}

interface Completion {
  /** How many operations resolved or rejected. */
  readonly completed: number;
  /** The error, if the others wait because the database is locked. */
  readonly locked?: unknown;
}

/** Rejects operations, because the transaction itself could not begin or commit. */
function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}
