import type { Storage } from '@trunkline/core';
import type { Cases } from './cases.ts';

/** The subject of the contract: `describeStorageContract({ name: 'sqlite', createDatabase, capabilities })`. */
export interface ContractSubject {
  readonly name: string;
  /**
   * Creates an empty database for one test. It should take only a few milliseconds, since there are hundreds of tests.
   */
  createDatabase(): Promise<TestDatabase>;
  /**
   * How many random sequences are compared with the storage in memory, unless the environment sets it; fewer if they
   * take long.
   */
  readonly randomRuns?: number;
  /** The cases to run: by default, all. Fewer are for a quick run in addition to one of all. */
  readonly cases?: Cases;
  /** Tests of a missing capability are skipped, with its reason in their name. */
  readonly capabilities: {
    /** A storage that connects after the first one was closed finds what was written. */
    readonly reopen: Capability;
    /** Several storages can be open on one database, as in several processes. */
    readonly shared: Capability;
    /** When a process has provably ended, what it held is released. Needs `TestDatabase.startHolding`. */
    readonly processes: Capability;
    /** An acceptance can be part of the caller's own transaction. Needs `TestDatabase.beginTransaction`. */
    readonly transactions: Capability;
    /** The tests can damage the database from outside. Needs `TestDatabase.deleteEvent`. */
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
  /** A new storage on this database. The suite opens it, and closes each that it opened. */
  connect(): Storage<unknown>;
  /** Begins a transaction on a connection of its own. The suite ends each that it began. */
  beginTransaction?(): Promise<TestTransaction>;
  /** Deletes the row of an event, but nothing that refers to it, as damage or a person's mistake might. */
  deleteEvent?(id: string): Promise<void>;
  /** Starts a process that runs `holdEverything` on this database. The suite kills each that it started. */
  startHolding?(): Promise<TestProcess>;
  /** Removes the database. Called once, when every storage on it is closed. */
  dispose(): Promise<void>;
}

export interface TestTransaction {
  /** The value that the storage accepts as a transaction. */
  readonly handle: unknown;
  /** Commits, and ends the connection. */
  commit(): Promise<void>;
  /** Rolls back likewise; does nothing after an end. */
  rollback(): Promise<void>;
}
