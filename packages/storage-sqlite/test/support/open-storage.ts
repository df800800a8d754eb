import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';
import type { Storage, StorageContext } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { sqliteStorage } from '../../src/index.ts';
import type { SqliteStorageOptions } from '../../src/index.ts';
import { storageContext } from './storage-context.ts';

export async function openStorage(
  path: string,
  options: Partial<SqliteStorageOptions> = {},
  context: Partial<StorageContext> = {},
): Promise<Storage<DatabaseSync>> {
  const storage = sqliteStorage({ path, ...options });
  await storage.open({ ...storageContext, ...context });
  onTestFinished(() => storage.close());
  return storage;
}

export async function openWithConnection(
  path: string,
  options: Partial<SqliteStorageOptions> = {},
): Promise<{ storage: Storage<DatabaseSync>; connection: DatabaseSync }> {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  const storage = await openStorage(path, options);
  const connections = prepare.mock.contexts.filter((context) => context instanceof DatabaseSync);
  prepare.mockRestore();
  return { storage, connection: must(connections.at(-1)) };
}

/** A second, plain connection to the file, like that of another process. */
export function connectTo(path: string): DatabaseSync {
  const connection = new DatabaseSync(path);
  onTestFinished(() => connection.close());
  return connection;
}
