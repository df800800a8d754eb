import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isLink, readRegularFile } from './regular-file.ts';
import { errorCode, StartError } from '../errors/start-error.ts';

export interface DataFiles {
  readonly directory: string;
  readonly secretKey: string;
  /** The new secret key, during a rotation. */
  readonly nextSecretKey: string;
  /** Names the database that the directory belongs to, once a server has started there. */
  readonly databaseId: string;
  /** Holds the running server's address. */
  readonly serverAddress: string;
  readonly sandboxNetwork: string;
  readonly sandboxCredentials: string;
  /** A directory, which is created with its first file. */
  readonly media: string;
  /** The path of the SQLite file; null for PostgreSQL. */
  readonly database: string | null;
  /** Whether the SQLite file exists and is not empty; false for PostgreSQL. */
  readonly hasDatabase: boolean;
}

export function filesIn(
  directory: string,
): Pick<
  DataFiles,
  | 'secretKey'
  | 'nextSecretKey'
  | 'databaseId'
  | 'serverAddress'
  | 'sandboxNetwork'
  | 'sandboxCredentials'
  | 'media'
> {
  return {
    secretKey: join(directory, 'secret.key'),
    nextSecretKey: join(directory, 'secret.key.next'),
    databaseId: join(directory, 'database.id'),
    serverAddress: join(directory, 'server.address'),
    sandboxNetwork: join(directory, 'sandbox.db'),
    sandboxCredentials: join(directory, 'sandbox-credentials.db'),
    media: join(directory, 'media'),
  };
}

/** The file in the data directory that identifies the backup of an unfinished restore. */
export const RESTORE_MARKER = 'restore.json';

/** Checks the files without changing anything. Throws a StartError if the data cannot be used. */
export async function checkDataFiles({
  directory,
  database,
}: {
  directory: string;
  /** The path of the SQLite file; null for PostgreSQL. */
  database: string | null;
}): Promise<DataFiles> {
  await checkDirectory(directory);
  // An unfinished restore looks like a new directory, in which a server would create a new database.
  if ((await kindOf(join(directory, RESTORE_MARKER))) !== null)
    throw new StartError(
      `DATA_DIR cannot be used, since a restore into it has not ended: ${directory}. Run the same "trunkline restore" again, which continues where it was.`,
    );
  if (database !== null && resolve(dirname(database)) !== resolve(directory))
    await checkDatabaseDirectory(dirname(database));
  return {
    directory,
    ...filesIn(directory),
    database,
    hasDatabase: database !== null && (await isDatabase(database)),
  };
}

/**
 * Creates the directory, accessible only to its owner, because it holds the key that seals everything. Returns false if
 * something exists at its path.
 */
export async function createDirectory(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw new StartError(
      `DATA_DIR cannot be made: ${directory} (${errorCode(error)}). Create it, or set DATA_DIR to another place.`,
    );
  }
}

async function checkDirectory(directory: string): Promise<void> {
  const found = await kindOf(directory);
  if (found === 'directory') return checkWritable('DATA_DIR', directory);
  if (found !== null)
    throw new StartError(`DATA_DIR is not a directory: ${directory}. Set it to one, or to a new name.`);
  const parent = dirname(directory);
  if ((await kindOf(parent)) !== 'directory') {
    throw new StartError(`DATA_DIR cannot be made: there is no directory ${parent}. Create that one first.`);
  }
  await checkWritable('DATA_DIR would be in a directory that', parent);
}

async function checkDatabaseDirectory(directory: string): Promise<void> {
  if ((await kindOf(directory)) !== 'directory') {
    throw new StartError(
      `DATABASE_URL is in a directory that does not exist: ${directory}. Create it first.`,
    );
  }
  await checkWritable('DATABASE_URL', directory);
}

/** Whether the file exists and is not empty. Throws a StartError if it is anything else than a file. */
export async function isDatabase(path: string): Promise<boolean> {
  const found = await kindOf(path);
  if (found === null) {
    // SQLite would make a new database at the link's target, such as on a disk that is not mounted.
    if (await isLink(path))
      throw new StartError(
        `The database is a symbolic link that leads nowhere: ${path}. Bring back what it leads to, or remove it.`,
      );
    return false;
  }
  if (found === 'directory')
    throw new StartError(`The database is a directory: set DATABASE_URL to a file, and not to ${path}`);
  if (found === 'other')
    throw new StartError(
      `The database is not a file: ${path}. Remove it, or set DATABASE_URL to another file.`,
    );
  await checkWritable('The database', path);
  const start = (await readRegularFile(path, SQLITE_HEADER.length)).content.toString('latin1');
  if (start !== '' && start !== SQLITE_HEADER)
    throw new StartError(
      `The database is damaged, or no SQLite file: ${path}. Restore it from a backup, or set DATABASE_URL to another file.`,
    );
  return start !== '';
}

const SQLITE_HEADER = 'SQLite format 3\0';

async function checkWritable(what: string, path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch {
    throw new StartError(
      `${what} cannot be written to: ${path}. Give the user of the server access, or set another place.`,
    );
  }
}

/** `other` is a pipe, a socket or a device; null is a missing file or a broken link. */
async function kindOf(path: string): Promise<'directory' | 'file' | 'other' | null> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'directory';
    return found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw new StartError(`${path} cannot be read (${errorCode(error)}): give the user of the server access.`);
  }
}
