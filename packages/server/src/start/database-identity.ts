import { randomUUID } from 'node:crypto';
import type { Storage } from '@trunkline/core';
import { createWhole } from '../files/create-whole.ts';
import type { DataFiles } from '../files/data-files.ts';
import { readRegularFile } from '../files/regular-file.ts';
import type { Settings } from '../settings/settings.ts';
import { errorCode, StartError } from '../errors/start-error.ts';

/** The setting that identifies a database. Copies of the database, and the target of a move, have the same value. */
const DATABASE_ID = 'database_id';
const LENGTH_MAX = 40;

interface Place {
  readonly storage: Pick<Storage, 'setting'>;
  readonly files: Pick<DataFiles, 'databaseId'>;
}

/**
 * Throws a StartError if the database is empty, or not the one that the data directory belongs to, because a server
 * would then run without the directory's data. If `isInUse`, the storage must be open.
 */
export async function checkDatabaseIdentity(
  { storage, files }: Place,
  {
    database,
    isInUse,
    noted,
  }: Pick<Settings, 'database'> & { readonly isInUse: boolean; readonly noted: string | null },
): Promise<void> {
  if (noted === null) return;
  if (isInUse && (await storage.setting(DATABASE_ID, randomUUID())) === noted) return;
  const name = database.kind === 'sqlite' ? `The database ${database.path}` : 'The PostgreSQL database';
  throw new StartError(
    `${name} is ${isInUse ? 'another one than' : 'empty, and not'} the one that this data directory belongs to: put that one back, or restore a backup. To go on without it, remove ${files.databaseId}.`,
  );
}

/** Records in the data directory which database it belongs to, if unknown. */
export async function keepDatabaseIdentity({ storage, files }: Place): Promise<void> {
  if ((await notedDatabaseId(files)) !== null) return;
  const id = await storage.setting(DATABASE_ID, randomUUID());
  await createWhole(files.databaseId, `${id}\n`).catch((error: unknown) => {
    // Another server has recorded the same id.
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}

/** The id of the database that the data directory belongs to; null if none is noted. */
export async function notedDatabaseId({ databaseId }: Pick<DataFiles, 'databaseId'>): Promise<string | null> {
  try {
    return (await readRegularFile(databaseId, LENGTH_MAX)).content.toString().trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
