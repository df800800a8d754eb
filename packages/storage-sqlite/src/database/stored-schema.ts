import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StoredSchema } from '@trunkline/storage-kit';
import { databaseFile } from './database-file.ts';
import { OPEN_TIMEOUT_MS, remedyOf } from './lock.ts';
import { LATEST_VERSION, readVersion, refuseForeign } from './migrate.ts';
import { DatabaseSync } from './node-sqlite.ts';

/**
 * Returns the version of the schema in this file, without upgrading it. Throws an error with a clear message if the
 * file is not Trunkline's, is damaged, or was created before 0.1.0 or by a newer version.
 */
export function sqliteSchema({
  path,
}: {
  /** The path of the database file. */
  readonly path: string;
}): StoredSchema {
  const file = databaseFile(path);
  try {
    return { version: storedVersion(file), latest: LATEST_VERSION };
  } catch (error) {
    throw cannotBeUsed(file, error);
  }
}

/**
 * Reads the version without writing, because even switching to the write-ahead log would change the file. Returns 0 if
 * the file is missing or empty.
 */
export function storedVersion(file: string): number {
  if (!existsSync(dirname(file)))
    throw new Error(`the directory ${dirname(file)} does not exist. Create it first.`);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return 0;
  if (!found.isFile()) throw new Error('it is not a file. Use another path.');
  if (found.size === 0) return 0;
  if (!beginsAsDatabase(file)) throw new Error('file is not a database');
  const connection = new DatabaseSync(readableOnly(file), { readOnly: true, timeout: OPEN_TIMEOUT_MS });
  try {
    refuseForeign(connection);
    return readVersion(connection);
  } finally {
    connection.close();
  }
}

export function cannotBeUsed(file: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  const remedy = remedyOf(error);
  return new Error(`The database ${file} cannot be used: ${why}${remedy === null ? '' : `; ${remedy}.`}`, {
    cause: error,
  });
}

/** SQLite checks the header too, but takes a file of a few bytes for an empty database. */
function beginsAsDatabase(file: string): boolean {
  const expected = 'SQLite format 3\0';
  const bytes = new Uint8Array(expected.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
  return new TextDecoder().decode(bytes) === expected;
}

/**
 * Without a log next to it, the file is complete and can be read as immutable, so that SQLite creates no files. With a
 * log, the file is in use, or its process has died, and the log has to be read too.
 */
function readableOnly(file: string): string | URL {
  if (existsSync(`${file}-wal`)) return file;
  const url = new URL('file:///?immutable=1');
  url.pathname = file.replaceAll('%', '%25');
  return url;
}
