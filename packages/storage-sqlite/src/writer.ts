import type { Signal } from '@trunkline/core';
import type { Database } from './database.ts';

/** Operations of one commit at most, so that the first callers of a long queue do not wait for its last. */
const BATCH_MAX = 500;

/** Tells of work; heard once the operation is committed. */
export type Announce = (signal: Signal) => void;
/** May be run again when another operation of its batch has failed: only the last run counts. */
export type Operation<Result> = (announce: Announce) => Result;

/** Group commit: the one way in which this storage writes. */
export interface Writer {
  /**
   * Runs a synchronous operation in a transaction and resolves with its result once that is on disk. Operations that
   * come in together share one transaction, in their order, and so one flush of the disk. One that throws changes
   * nothing and rejects alone.
   */
  run<Result>(operation: Operation<Result>): Promise<Result>;
  /** Writes what is waiting. */
  flush(): void;
}

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createWriter(database: Database, publish: Announce): Writer {
  const waiting: Waiting[] = [];

  const writeBatch = (): void => {
    const batch = waiting.splice(0, BATCH_MAX);
    if (waiting.length > 0) setImmediate(writeBatch);
    settle(batch);
  };

  const settle = (batch: readonly Waiting[]): void => {
    if (batch.length === 0) return;
    const signals = new Map<string, Signal>();
    const announce: Announce = (signal) => signals.set(JSON.stringify(signal), signal);
    /** The operation that is running; none before the first and after the last. */
    let at = -1;
    let results: readonly unknown[];
    try {
      results = database.transaction(() => {
        const answers = batch.map(({ operation }, index) => {
          at = index;
          return operation(announce);
        });
        at = -1;
        return answers;
      });
    } catch (error) {
      if (at === -1) return rejectAll(batch, error);
      settle(batch.slice(0, at));
      batch[at]?.reject(error);
      settle(batch.slice(at + 1));
      return;
    }
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
    for (const signal of signals.values()) publish(signal);
  };

  return {
    run: <Result>(operation: Operation<Result>) =>
      new Promise<Result>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(writeBatch);
        waiting.push({ operation, resolve: resolve as (result: unknown) => void, reject }); // its own operation's result
      }),
    flush() {
      while (waiting.length > 0) settle(waiting.splice(0, BATCH_MAX));
    },
  };
}

/** The transaction itself could not begin or be committed: none of them is to blame. */
function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}
