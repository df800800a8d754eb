import type { Storage } from '@trunkline/core';

/** What the contract is run against: `describeStorageContract({ name: 'sqlite', createDatabase, capabilities })`. */
export interface ContractSubject {
  readonly name: string;
  /** An empty database of its own for one test, at best in a few milliseconds: there are some hundreds of tests. */
  createDatabase(): Promise<TestDatabase>;
  /** How often random steps are compared with those in memory, unless the environment says: fewer where it takes long. */
  readonly randomRuns?: number;
  /** Tests of a missing capability are skipped, with its reason in their name. */
  readonly capabilities: {
    /** What was written is there for a storage that connects after the first was closed. */
    readonly reopen: Capability;
    /** Several storages may be open on one database concurrently, as in several processes. */
    readonly shared: Capability;
    /** What a process holds is released once it has provably ended: needs `TestDatabase.startHolding`. */
    readonly processes: Capability;
    /** An acceptance may be part of a transaction of the caller's own: needs `TestDatabase.beginTransaction`. */
    readonly transactions: Capability;
    /** What is stored can be damaged from outside: needs `TestDatabase.deleteEvent`. */
    readonly damage: Capability;
  };
}

/** A process that has the storage open and holds all that could be taken. */
export interface TestProcess {
  freeze(): void;
  goOn(): void;
  /** Has it close the storage and live on. */
  close(): Promise<void>;
  /** Resolves when it has ended. */
  kill(): Promise<void>;
}

export type Capability = true | { readonly missing: string };

export interface TestDatabase {
  /** A new storage on this database. The suite opens it, and closes each that it opened. */
  connect(): Storage<unknown>;
  /** Begins a transaction on a connection of its own. The suite ends each that it began. */
  beginTransaction?(): Promise<TestTransaction>;
  /** Deletes the row of an event, and nothing that refers to it, as damage or a person's mistake does. */
  deleteEvent?(id: string): Promise<void>;
  /** Starts a process that runs `holdEverything` on this database. The suite kills each that it started. */
  startHolding?(): Promise<TestProcess>;
  /** Removes the database; called once, when every storage on it is closed. */
  dispose(): Promise<void>;
}

export interface TestTransaction {
  /** What the storage takes as a transaction. */
  readonly handle: unknown;
  /** Ends it, and its connection. */
  commit(): Promise<void>;
  /** The same; nothing where it has ended. */
  rollback(): Promise<void>;
}
