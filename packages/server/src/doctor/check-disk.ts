import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkDataFiles } from '../files/data-files.ts';
import type { DataFiles } from '../files/data-files.ts';
import type { Settings } from '../settings/settings.ts';
import { complaintsOf } from '../errors/start-error.ts';
import { Fault } from './fault.ts';

const LEAST_FREE_BYTES = 200 * 1_048_576;

/** Checks that the data directory can be used, has room, and is not writable by other users. */
export async function checkDisk({
  database,
  dataDirectory,
}: Settings): Promise<readonly [string, DataFiles]> {
  const files = await checkDataFiles({
    directory: dataDirectory,
    database: null,
  }).catch((error: unknown) => {
    throw new Fault(
      complaintsOf(error).join(' '),
      'Name another directory with DATA_DIR, or let this user write there.',
    );
  });
  const place = (await access(dataDirectory, constants.F_OK).then(
    () => true,
    () => false,
  ))
    ? dataDirectory
    : dirname(dataDirectory);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const megabytes = `${Math.floor(free / 1_048_576)} MB are free in ${place}`;
  if (free < LEAST_FREE_BYTES)
    throw new Fault(`Only ${megabytes}.`, 'Make room: without it, messages are refused.');
  const { mode } = await stat(place);
  if (process.platform !== 'win32' && (mode & 0o022) !== 0 && place === dataDirectory)
    throw new Fault(
      `Other users of this machine can change what is in ${dataDirectory}.`,
      `Run "chmod go-w ${dataDirectory}".`,
      'warning',
    );
  return [`${megabytes}.`, { ...files, database: database.kind === 'sqlite' ? database.path : null }];
}
