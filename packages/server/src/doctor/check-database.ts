import { silentLogger } from '@trunkline/core';
import { checkDataFiles } from '../data-files.ts';
import { hasWorkspace, storageOn } from '../database.ts';
import type { Database } from '../database.ts';
import { DatabaseSync, isHeldByAnother } from '../node-sqlite.ts';
import type { Settings } from '../settings.ts';
import { complaintsOf, reasonOf } from '../start-error.ts';
import { Fault } from './fault.ts';

/** Returns whether somebody has set it up already. */
export async function checkDatabase({
  database,
  dataDirectory,
}: Settings): Promise<readonly [string, boolean]> {
  return database.kind === 'postgres' ? checkPostgres(database) : checkFile(database.path, dataDirectory);
}

async function checkPostgres(database: Database): Promise<readonly [string, boolean]> {
  const storage = await storageOn(database);
  try {
    const isInUse = await hasWorkspace(storage, silentLogger);
    return [
      isInUse ? 'PostgreSQL responds.' : 'PostgreSQL responds, and has nothing of Trunkline yet.',
      isInUse,
    ];
  } catch (error) {
    throw new Fault(
      reasonOf(error),
      'Check DATABASE_URL, that the server runs, and that it lets this machine and user in.',
    );
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
  const connection = new DatabaseSync(path, { timeout: 2_000 });
  try {
    const [application, found] = ['application_id', 'quick_check'].map(
      (name) => connection.prepare(`PRAGMA ${name}`).get()?.[name],
    );
    if (application !== TRUNKLINE_DATABASE)
      throw new Fault(
        `${path} is a database of another program.`,
        'Set DATABASE_URL or DATA_DIR to another place.',
      );
    if (found !== 'ok')
      throw new Fault(
        `${path} is damaged: ${String(found)}.`,
        'Restore it from a backup: "trunkline restore".',
      );
    connection.exec('BEGIN IMMEDIATE; ROLLBACK');
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

/** "trnk", by which SQLite files say whose they are. */
const TRUNKLINE_DATABASE = 0x74726e6b;
