import type { Storage } from '@trunkline/core';
import type { Cases } from './cases.ts';

/** The storage to test, as in `describeStorageContract({ name: 'sqlite', createDatabase, capabilities })`. */
export interface ContractSubject {
  readonly name: string;
  /**
   * Creates an empty database for one test. It should take only a few milliseconds, because there are hundreds of
   * tests.
   */
  createDatabase(): Promise<TestDatabase>;
  /** How many random sequences are run, unless `STORAGE_CONTRACT_RUNS` sets the number. Use fewer if they take long. */
  readonly randomRuns?: number;
  /**
   * Creates a storage whose results the results of random steps must equal, such as
   * `sqliteStorage({ path: ':memory:' })`. Without it, only the rules of the port are checked after each step.
   */
  readonly reference?: () => Storage<unknown>;
  /** The cases to run; all by default. Use fewer only for a quick run in addition to a full run. */
  readonly cases?: Cases;
  /** Tests of a missing capability are skipped, and their titles give the reason. */
  readonly capabilities: {
    /** A storage that connects after the first one was closed finds the written data. */
    readonly reopen: Capability;
    /** Several storages can be open on one database, as in several processes. */
    readonly shared: Capability;
    /** When a process has provably ended, everything that it held is released. Needs `TestDatabase.startHolding`. */
    readonly processes: Capability;
    /** An acceptance can be part of a transaction of the caller. Needs `TestDatabase.beginTransaction`. */
    readonly transactions: Capability;
    /** The tests can damage the database from outside. Needs `TestDatabase.deleteEvent` and `deleteEndpoint`. */
    readonly damage: Capability;
  };
}

/** A process that has the storage open and holds everything that it could claim. */
export interface TestProcess {
  freeze(): void;
  goOn(): void;
  /** Makes the process close the storage and keep running. */
  close(): Promise<void>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
}

export type Capability = true | { readonly missing: string };

export interface TestDatabase {
  /** A new storage on this database. The suite opens and closes it. */
  connect(): Storage<unknown>;
  /** Begins a transaction on a separate connection. The suite ends every transaction that it began. */
  beginTransaction?(): Promise<TestTransaction>;
  /** Deletes the row of an event, but no rows that refer to the event, as damage or an operator's mistake might. */
  deleteEvent?(id: string): Promise<void>;
  /** The same for the row of an endpoint. */
  deleteEndpoint?(id: string): Promise<void>;
  /** Starts a process that runs `holdEverything` on this database. The suite kills every process that it started. */
  startHolding?(): Promise<TestProcess>;
  /** Removes the database. Called once, after every storage on it was closed. */
  dispose(): Promise<void>;
}

export interface TestTransaction {
  /** The value that the storage accepts as a transaction. */
  readonly handle: unknown;
  /** Commits, and ends the connection. */
  commit(): Promise<void>;
  /** Rolls back, and ends the connection. Does nothing if the transaction has already ended. */
  rollback(): Promise<void>;
}
