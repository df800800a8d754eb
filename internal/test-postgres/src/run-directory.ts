import { lstatSync, readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterExit } from './after-exit.ts';
import { makeSharedDirectory, temporaryParents } from './shared-directory.ts';

const PREFIX = 'trunkline-run-';
/** The prefix until the directory is locked, so that no concurrent run mistakes it for a leftover. */
const UNLOCKED_PREFIX = 'trunkline-new-run-';

export interface RunDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Makes a directory for all temporary files of a run. It is removed when the run ends or is killed. If that was not
 * possible, as when the whole machine stopped, the next run removes it.
 */
export async function makeRunDirectory(): Promise<RunDirectory> {
  for (const left of leftDirectories()) await afterExit({ directory: left }).cleanUp();
  const unlocked = await makeSharedDirectory(UNLOCKED_PREFIX);
  const lock = lockIn(unlocked);
  const path = join(dirname(unlocked), basename(unlocked).replace(UNLOCKED_PREFIX, PREFIX));
  await rename(unlocked, path);
  const cleaner = afterExit({ directory: path });
  return {
    path,
    async remove() {
      lock.close();
      await cleaner.cleanUp();
    },
  };
}

/** The directories of this user's runs that have ended. */
function leftDirectories(): readonly string[] {
  return temporaryParents().flatMap((parent) =>
    namesIn(parent)
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => join(parent, name))
      .filter(isLeft),
  );
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    return []; // not every machine has every parent
  }
}

function isLeft(directory: string): boolean {
  try {
    const status = lstatSync(directory);
    if (!status.isDirectory() || status.uid !== process.getuid?.()) return false;
    lockIn(directory).close();
    return true;
  } catch {
    return false; // the directory is in use, or another run has removed it
  }
}

/** Takes a lock, which ends with this process. Throws if another process holds it. */
function lockIn(directory: string): DatabaseSync {
  const database = new DatabaseSync(join(directory, 'lock'));
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
