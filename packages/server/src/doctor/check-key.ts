import { stat } from 'node:fs/promises';
import { silentLogger } from '@trunkline/core';
import type { DataFiles } from '../files/data-files.ts';
import { storageOn } from '../database/database.ts';
import { openOnce } from '../database/open-once.ts';
import { END_ROTATION, findSecretKeys } from '../start/secret-key.ts';
import type { Settings } from '../settings/settings.ts';
import { errorCode, reasonOf } from '../errors/start-error.ts';
import { trySecretKey } from '../start/try-secret-key.ts';
import { Fault } from './fault.ts';

/** Checks that the secret key of a database in use exists and opens it, and that only its owner can read the key. */
export async function checkKey(
  settings: Settings,
  files: DataFiles,
  isInUse: boolean,
): Promise<readonly [string, null]> {
  const found = await findSecretKeys(settings, files);
  if (!found) {
    if (!isInUse) return ['There is none yet: the first start makes it.', null];
    throw new Fault(
      `The secret key is missing: ${files.secretKey}`,
      'Put the file back from where you keep it, or set SECRET_KEY: no other key opens this database.',
    );
  }
  if (settings.secretKey === undefined && process.platform !== 'win32') {
    const { mode } = await stat(files.secretKey);
    if ((mode & 0o077) !== 0)
      throw new Fault(
        `Other users of this machine can read ${files.secretKey}.`,
        `Run "chmod 600 ${files.secretKey}".`,
      );
  }
  if (!isInUse) return ['It is there.', null];
  const storage = openOnce(await storageOn(settings.database));
  try {
    await trySecretKey(storage, { secretKey: found.keys, logger: silentLogger });
    if (found.isRotating)
      throw new Fault(
        `A rotation of the secret key has not ended: ${files.nextSecretKey} is there.`,
        `${END_ROTATION.charAt(0).toUpperCase()}${END_ROTATION.slice(1)}.`,
        'warning',
      );
    return ['It fits the database.', null];
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (errorCode(error) !== undefined) throw error;
    throw new Fault(
      reasonOf(error),
      'Set SECRET_KEY, or the key file, to what this database was set up with; while a key is replaced, SECRET_KEY_PREVIOUS too.',
    );
  } finally {
    await storage.close();
  }
}
