import type { MovableDatabase } from '@trunkline/storage-kit';
import { databaseFile, movableSqlite } from '@trunkline/storage-sqlite';
import type { Database } from '../database/database.ts';

/** Returns a database, not yet open, for a move. Loads PostgreSQL's driver only if needed. */
export async function movableOn(database: Database): Promise<MovableDatabase> {
  if (database.kind === 'sqlite') return movableSqlite({ path: database.path });
  const { movablePostgres } = await import('@trunkline/storage-postgres');
  return movablePostgres({ connectionString: database.url });
}

/** Returns a database's address without the password, for messages and for the marks of a move. */
export function placeOf(database: Database): string {
  if (database.kind === 'sqlite') return `sqlite:${databaseFile(database.path)}`;
  const { host, pathname, username } = new URL(database.url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
