import { randomBytes } from 'node:crypto';
import { createWhole } from '../files/create-whole.ts';
import { isNoRoom } from '../errors/no-room.ts';
import { isLink, NotAFileError, readRegularFile } from '../files/regular-file.ts';
import { errorCode, StartError } from '../errors/start-error.ts';

const SHORTEST = 32;
const MAX_BYTES = 4_096;

/** Reads a secret key; undefined if the file is missing. */
export async function readSecretKey(path: string): Promise<string | undefined> {
  let key: string;
  try {
    const { content, size } = await readRegularFile(path, MAX_BYTES);
    key = size > MAX_BYTES ? '' : content.toString('utf8').trim();
  } catch (error) {
    if (error instanceof NotAFileError)
      throw new StartError(`The secret key is not a file: ${path}. Put the file of the key there.`);
    if (errorCode(error) === 'ENOENT') {
      if (await isLink(path))
        throw new StartError(
          `The secret key is a symbolic link that leads nowhere: ${path}. Bring back what it leads to, or remove it.`,
        );
      return undefined;
    }
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

/** The first key seals new values; each key opens the values that it sealed. */
export interface SecretKeys {
  readonly keys: readonly string[];
  /** Whether a rotation has begun and not ended; if so, the new key comes before the previous key. */
  readonly isRotating: boolean;
}

/** Returns the keys of the settings, or of the files; null if there is no key. */
export async function findSecretKeys(
  {
    secretKey,
    previousSecretKey,
  }: { readonly secretKey: string | undefined; readonly previousSecretKey: string | undefined },
  files: { readonly secretKey: string; readonly nextSecretKey: string },
): Promise<SecretKeys | null> {
  const previous = previousSecretKey === undefined ? [] : [previousSecretKey];
  if (secretKey !== undefined) return { keys: [secretKey, ...previous], isRotating: false };
  const current = await readSecretKey(files.secretKey);
  if (current === undefined) return null;
  const next = await readSecretKey(files.nextSecretKey);
  if (next === undefined || next === current) return { keys: [current, ...previous], isRotating: false };
  return { keys: [next, current, ...previous], isRotating: true };
}

export const END_ROTATION = 'stop the server and run "trunkline rotate-secret-key", which ends it';

export function secretKeyMissing(path: string): StartError {
  return new StartError(
    `The secret key of the database is missing: put ${path} back, or set SECRET_KEY to what it was set to.`,
  );
}

/**
 * Creates the key, readable only by its owner. The file appears whole and on disk, or not at all; if two servers start
 * at the same time, both get the first key.
 */
export async function createSecretKey(path: string): Promise<string> {
  const key = randomBytes(32).toString('base64url');
  try {
    await createWhole(path, `${key}\n`);
    return key;
  } catch (error) {
    const first = errorCode(error) === 'EEXIST' ? await readSecretKey(path) : undefined;
    if (first !== undefined) return first;
    throw new StartError(
      `The secret key cannot be written: ${path} (${errorCode(error)}). ${isNoRoom(error) ? 'Make room' : 'Let the user of the server write there'}, or set SECRET_KEY.`,
    );
  }
}
