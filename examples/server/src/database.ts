import type { Storage } from '@trunkline/core';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';

/** What DATABASE_URL names. */
export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly maxConnections: number };

export function storageOn(database: Database): Storage {
  if (database.kind === 'sqlite') return sqliteStorage({ path: database.path });
  const { url: connectionString, maxConnections } = database;
  return postgresStorage({ connectionString, maxConnections });
}
