import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '@trunkline/core';
import type { DataFiles } from './data-files.ts';

/** Anything for the group or for others. */
const OPEN_TO_OTHERS = 0o077;
/** Without it nobody gets at what is in a directory, whatever the modes of the files. */
const ENTER_BY_OTHERS = 0o011;
const WRITE_BY_OTHERS = 0o022;

/** Warns of files that other users of the machine can read, which earlier versions made, and says how to mend that. */
export async function warnOfOpenFiles(files: DataFiles, logger: Logger): Promise<void> {
  if (process.platform === 'win32') return; // its files have no such modes
  for (const directory of new Set([
    files.directory,
    ...(files.database === null ? [] : [dirname(files.database)]),
  ])) {
    const mode = await modeOf(directory);
    if (mode !== null && (mode & WRITE_BY_OTHERS) !== 0) warn(logger, directory, mode, 'go-w');
  }
  const { database } = files;
  const inDatabase = database === null ? [] : [database, `${database}-wal`, `${database}-shm`];
  const inNetwork = [files.sandboxNetwork, `${files.sandboxNetwork}-wal`];
  for (const path of [files.secretKey, files.media, ...inDatabase, ...inNetwork]) {
    const [mode, around] = await Promise.all([modeOf(path), modeOf(dirname(path))]);
    const isReached = around === null || (around & ENTER_BY_OTHERS) !== 0;
    if (mode !== null && (mode & OPEN_TO_OTHERS) !== 0 && isReached) warn(logger, path, mode, 'go-rwx');
  }
}

function warn(logger: Logger, path: string, mode: number, change: string): void {
  logger.warn(
    { path, mode: mode.toString(8) },
    `other users of this machine have access to ${path}: run "chmod ${change} ${path}"`,
  );
}

/** The bits of access; null where there is no such file. */
async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch {
    return null;
  }
}
