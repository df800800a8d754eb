import type { MovableDatabase } from '@trunkline/storage-kit';
import { databaseFile, movableSqlite } from '@trunkline/storage-sqlite';
import type { Database } from '../database.ts';

/** A database for a move; loads PostgreSQL's driver only if needed. */
export async function movableOn(database: Database): Promise<MovableDatabase> {
  if (database.kind === 'sqlite') return movableSqlite({ path: database.path });
  const { movablePostgres } = await import('@trunkline/storage-postgres');
  return movablePostgres({ connectionString: database.url });
}

/** The address of a database without its password, for people and for the marks. */
export function placeOf(database: Database): string {
  if (database.kind === 'sqlite') return `sqlite:${databaseFile(database.path)}`;
  const { host, pathname, username } = new URL(database.url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
