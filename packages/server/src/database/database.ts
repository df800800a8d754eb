import { silentLogger } from '@trunkline/core';
import type { Logger, Storage } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createNewId } from '@trunkline/core/spi/storage';
import type { StoredSchema } from '@trunkline/storage-kit';
import { sqliteSchema, sqliteStorage } from '@trunkline/storage-sqlite';

export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      readonly maxConnections: number;
      /** Whether a pooler in front of the database assigns connections for a session or for a transaction. */
      readonly poolMode: 'session' | 'transaction';
    };

export async function storageOn(database: Database): Promise<Storage> {
  if (database.kind === 'sqlite') return sqliteStorage({ path: database.path });
  // Imported only if needed, with its driver, so that a server on SQLite starts sooner and takes less memory.
  const { postgresStorage } = await import('@trunkline/storage-postgres');
  const { url: connectionString, maxConnections } = database;
  const keepsSessions = database.poolMode === 'session';
  return postgresStorage({
    connectionString,
    maxConnections,
    preparedStatements: keepsSessions,
    notifications: keepsSessions,
  });
}

/** Returns the version of the schema, without upgrading it. */
export async function schemaOf(database: Database): Promise<StoredSchema> {
  if (database.kind === 'sqlite') return sqliteSchema({ path: database.path });
  const { postgresSchema } = await import('@trunkline/storage-postgres');
  return postgresSchema({ connectionString: database.url }, { logger: silentLogger });
}

/** Opens the storage. Returns whether the database has been set up and so must have a secret key. */
export async function hasWorkspace(storage: Storage, logger: Logger): Promise<boolean> {
  const { random } = nodeRuntime();
  await storage.open({ newId: createNewId((length) => random.bytes(length)), logger });
  return (await storage.workspaces.list({ after: null, limit: 1 })).length > 0;
}
