import type { NewId, Signal } from '@trunkline/core/spi/storage';
import type { CallerTransaction } from './caller-transaction.ts';
import type { Database } from './database.ts';
import type { Operation } from './writer.ts';

/** Everything that the stores share once the storage is open. */
export interface Connection {
  readonly database: Database;
  readonly newId: NewId;
  /** The number of this process, under which its leases and claims are written. */
  readonly process: () => number;
  /** Runs a synchronous read, later if others have used up this turn of the event loop. */
  readInTurn<Result>(read: () => Result): Promise<Result>;
  write<Result>(operation: Operation<Result>): Promise<Result>;
  /** Checks and wraps the transaction that a caller passed. */
  joined(transaction: unknown): CallerTransaction;
  /** Announces work once this transaction of the caller has ended. */
  announceAtEnd(of: unknown, signal: Signal): void;
}

/** Returns the connection; throws while the storage is not open. */
export type Connected = () => Connection;
