import { afterEach } from 'vitest';
import type { Logger, Storage } from '@trunkline/core';
import type { ContractSubject, TestDatabase } from './contract-subject.ts';
import { testId } from './examples.ts';

/** Opens a storage on the database of the running test: the first, one more beside it, or one when all were closed. */
export type OpenStorage = (when?: 'at once' | 'after closing') => Promise<Storage>;

/** Gives each test of a `describe` a database of its own, and clears up after it. */
export function testDatabases(subject: ContractSubject): OpenStorage {
  let database: TestDatabase | null = null;
  let opened: Storage[] = [];

  async function closeAll(): Promise<void> {
    for (const storage of opened) await storage.close();
    opened = [];
  }

  afterEach(async () => {
    await closeAll();
    await database?.dispose();
    database = null;
  });

  return async (when = 'at once') => {
    if (when === 'after closing') await closeAll();
    database ??= await subject.createDatabase();
    const storage = database.connect();
    opened.push(storage);
    await storage.open({ newId: testId, logger: silent });
    return storage;
  };
}

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
