import { afterEach } from 'vitest';
import type { Logger, Storage } from '@trunkline/core';
import type { NewId } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import type { ContractSubject, TestDatabase, TestProcess, TestTransaction } from './contract-subject.ts';
import { testId } from './examples.ts';

/** Opens a storage on the database of the running test. With `after closing`, closes all earlier storages first. */
export type OpenStorage = (
  when?: 'immediately' | 'after closing',
  newId?: NewId,
) => Promise<Storage<unknown>>;

/** Gives each test of a `describe` a new database, and cleans up after the test. */
export function testDatabases(subject: ContractSubject): OpenStorage {
  return testTransactions(subject).open;
}

/** Like `testDatabases`, with transactions of the caller, damage from outside and other processes. */
export function testTransactions(subject: ContractSubject): {
  readonly open: OpenStorage;
  readonly begin: () => Promise<TestTransaction>;
  readonly deleteEvent: (id: string) => Promise<void>;
  readonly deleteEndpoint: (id: string) => Promise<void>;
  readonly startHolding: () => Promise<TestProcess>;
} {
  let database: TestDatabase | null = null;
  let opened: Storage<unknown>[] = [];
  let begun: TestTransaction[] = [];
  let started: TestProcess[] = [];

  async function closeAll(): Promise<void> {
    for (const storage of opened) await storage.close();
    opened = [];
  }

  afterEach(async () => {
    for (const transaction of begun) await transaction.rollback();
    begun = [];
    for (const child of started) await child.kill();
    started = [];
    await closeAll();
    await database?.dispose();
    database = null;
  });

  return {
    async open(when = 'immediately', newId = testId) {
      if (when === 'after closing') await closeAll();
      database ??= await subject.createDatabase();
      const storage = database.connect();
      opened.push(storage);
      await storage.open({ newId, logger: silent });
      return storage;
    },
    async begin() {
      const transaction = must(await database?.beginTransaction?.());
      begun.push(transaction);
      return transaction;
    },
    async startHolding() {
      const child = await must(database?.startHolding?.bind(database))();
      started.push(child);
      return child;
    },
    async deleteEvent(id) {
      await must(database?.deleteEvent?.bind(database))(id);
    },
    async deleteEndpoint(id) {
      await must(database?.deleteEndpoint?.bind(database))(id);
    },
  };
}

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
