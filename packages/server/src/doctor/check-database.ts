import { silentLogger } from '@trunkline/core';
import type { StoredSchema } from '@trunkline/storage-kit';
import { checkDataFiles } from '../files/data-files.ts';
import { hasWorkspace, schemaOf, storageOn } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { DatabaseSync, isHeldByAnother } from '../database/node-sqlite.ts';
import type { Settings } from '../settings/settings.ts';
import { complaintsOf, reasonOf } from '../errors/start-error.ts';
import { Fault } from './fault.ts';

/** Returns the finding, and whether the database has been set up. */
export async function checkDatabase({
  database,
  dataDirectory,
}: Settings): Promise<readonly [string, boolean]> {
  return database.kind === 'postgres' ? checkPostgres(database) : checkFile(database.path, dataDirectory);
}

async function checkPostgres(database: Database): Promise<readonly [string, boolean]> {
  const out = (error: unknown): never => {
    throw new Fault(
      reasonOf(error),
      'Check DATABASE_URL, that the server runs, and that it lets this machine and user in.',
    );
  };
  const schema = await schemaOf(database).catch(out);
  if (schema.version === 0) return ['PostgreSQL responds, and has nothing of Trunkline yet.', false];
  refuseEarlier('The PostgreSQL database', schema);
  const storage = await storageOn(database);
  try {
    const isInUse = await hasWorkspace(storage, silentLogger);
    return ['PostgreSQL responds.', isInUse];
  } catch (error) {
    return out(error);
  } finally {
    await storage.close().catch(() => undefined);
  }
}

async function checkFile(path: string, dataDirectory: string): Promise<readonly [string, boolean]> {
  const { hasDatabase } = await checkDataFiles({ directory: dataDirectory, database: path }).catch(
    (error: unknown) => {
      throw new Fault(
        complaintsOf(error).join(' '),
        'Restore it from a backup ("trunkline restore"), or set DATABASE_URL to another file.',
      );
    },
  );
  if (!hasDatabase) return [`There is none at ${path} yet: the first start makes it.`, false];
  const schema = await schemaOf({ kind: 'sqlite', path }).catch((error: unknown) => {
    throw new Fault(
      reasonOf(error),
      'Set DATABASE_URL or DATA_DIR to another place, or restore it from a backup ("trunkline restore").',
    );
  });
  const connection = new DatabaseSync(path, { timeout: 2_000 });
  try {
    const found = connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok')
      throw new Fault(
        `${path} is damaged: ${String(found)}.`,
        'Restore it from a backup: "trunkline restore".',
      );
    connection.exec('BEGIN IMMEDIATE; ROLLBACK');
    refuseEarlier(path, schema);
    return [`${path} is whole, and can be written to.`, true];
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw isHeldByAnother(error)
      ? new Fault(
          `Another program has locked ${path} for 2 seconds.`,
          'End the program that has it open, such as a shell of sqlite3.',
        )
      : new Fault(
          `${path} cannot be used: ${reasonOf(error)}`,
          'Restore it from a backup ("trunkline restore"), or check its disk.',
        );
  } finally {
    connection.close();
  }
}

/** Warns of an earlier schema, because opening the database upgrades it, and earlier servers may run on it. */
export function refuseEarlier(what: string, { version, latest }: StoredSchema): void {
  if (version < latest)
    throw new Fault(
      `${what} has schema ${version}, of an earlier version of Trunkline.`,
      `The next start of a server upgrades it to schema ${latest}: take a backup first, and stop all servers if the release says so.`,
      'warning',
    );
}
