import type { DatabaseSync } from 'node:sqlite';
import { checkStoredSchema, latestSchemaVersion, missingMigrations } from '@trunkline/storage-kit';
import { SCHEMA } from './schema.ts';

/** The migrations, in order. The first one creates the tables. A released migration never changes. */
export const MIGRATIONS: readonly string[] = [SCHEMA];

export const LATEST_VERSION: number = latestSchemaVersion(MIGRATIONS);

/** "trnk", which marks a SQLite file as Trunkline's. */
const APPLICATION_ID = 0x74726e6b;

/** Applies all missing migrations, or none if one fails. Processes that migrate concurrently wait for each other. */
export function migrate(connection: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
  if (missingMigrations(readVersion(connection, migrations), migrations).length === 0) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const [version, sql] of missingMigrations(readVersion(connection, migrations), migrations)) {
      connection.exec(sql);
      connection.exec(`PRAGMA user_version = ${version}`);
    }
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** Throws if the file was created before 0.1.0, or by a version with more migrations. */
export function readVersion(connection: DatabaseSync, migrations: readonly string[] = MIGRATIONS): number {
  const version = pragma(connection, 'user_version');
  checkStoredSchema({ version, latest: latestSchemaVersion(migrations) });
  return version;
}

/** Throws if the file has tables but is not marked as Trunkline's. */
export function refuseForeign(connection: DatabaseSync): void {
  const tables = connection
    .prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table'")
    .get();
  if (tables?.['tables'] !== 0 && pragma(connection, 'application_id') !== APPLICATION_ID) {
    throw new Error('it is a SQLite database, but not one of Trunkline. Use another path.');
  }
}

function pragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}
