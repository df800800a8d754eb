import { sqliteStorage } from '@trunkline/storage-sqlite';
import { stayingOpen } from '@trunkline/test-support';
import type { Storage } from '../../src/index.ts';

/** A storage in memory, which the Trunklines of a test share as processes share a database. */
export function memoryStorage(): Storage {
  return stayingOpen(sqliteStorage({ path: ':memory:' }));
}
