import type { Logger, Storage } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createNewId } from '@trunkline/core/spi/storage';
import { sqliteStorage } from '@trunkline/storage-sqlite';

/** What DATABASE_URL names. */
export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly maxConnections: number };

export async function storageOn(database: Database): Promise<Storage> {
  if (database.kind === 'sqlite') return sqliteStorage({ path: database.path });
  // With its driver: a server on SQLite starts sooner, in less memory.
  const { postgresStorage } = await import('@trunkline/storage-postgres');
  const { url: connectionString, maxConnections } = database;
  return postgresStorage({ connectionString, maxConnections });
}

/** Opens the storage. Returns whether somebody has set the database up, so that there is a secret key of it. */
export async function hasWorkspace(storage: Storage, logger: Logger): Promise<boolean> {
  const { random } = nodeRuntime();
  await storage.open({ newId: createNewId((length) => random.bytes(length)), logger });
  return (await storage.workspaces.list({ after: null, limit: 1 })).length > 0;
}
