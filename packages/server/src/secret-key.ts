import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, StartError } from './start-error.ts';

const SHORTEST = 32;

/** The key that an earlier start made; undefined when there is none. */
export async function readSecretKey(path: string): Promise<string | undefined> {
  let key: string;
  try {
    key = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new StartError(
      `The secret key cannot be read: ${path} (${errorCode(error)}). Let the user of the server read it.`,
    );
  }
  if (key.length < SHORTEST)
    throw new StartError(
      `The secret key is damaged: ${path}. Restore it from a backup: no other key opens the database.`,
    );
  return key;
}

/** Why a database that is in use cannot be opened without its key. */
export function secretKeyMissing(path: string): StartError {
  return new StartError(
    `The secret key of the database is missing: put ${path} back, or set SECRET_KEY to what it was set to.`,
  );
}

/**
 * Makes the key, for the owner's eyes alone. It appears whole and on disk or not at all; where two servers start at
 * once, both get the one that came first.
 */
export async function createSecretKey(path: string): Promise<string> {
  const key = randomBytes(32).toString('base64url');
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await writeDurably(draft, `${key}\n`);
    await link(draft, path);
    await unlink(draft);
    await syncDirectory(dirname(path));
    return key;
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    const first = errorCode(error) === 'EEXIST' ? await readSecretKey(path) : undefined;
    if (first !== undefined) return first;
    throw new StartError(
      `The secret key cannot be written: ${path} (${errorCode(error)}). Let the user of the server write there, or set SECRET_KEY.`,
    );
  }
}

async function writeDurably(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
