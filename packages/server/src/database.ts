import type { Storage } from '@trunkline/core';
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
