import { open, rm } from 'node:fs/promises';
import { DatabaseSync, isHeldByAnother } from '../node-sqlite.ts';
import { errorCode, reasonOf } from '../start-error.ts';
import { CommandError } from './command-error.ts';
import { kindAt } from './safe-files.ts';

interface Lock {
  /** A file that is made for it, and in which nothing is. */
  readonly path: string;
  /** What is said where another process has it. */
  readonly refusal: string;
  /**
   * Whether the file is taken away after what was done. Only where nothing can be begun once that is done: a process that
   * has opened the file just before would not meet one that makes it anew.
   */
  readonly isRemoved: boolean;
}

/**
 * Does what no two processes may do at once. The lock is one of the system, taken through SQLite: it ends with the
 * process, in any manner. A second one is refused at once, with a CommandError.
 */
export async function alone<Value>(
  { path, refusal, isRemoved }: Lock,
  use: () => Promise<Value>,
): Promise<Value> {
  if ((await kindAt(path)) === null) await make(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  let value: Value;
  try {
    hold(lock, path, refusal);
    value = await use();
  } finally {
    lock.close();
  }
  if (isRemoved) await rm(path, { force: true });
  return value;
}

function hold(lock: DatabaseSync, path: string, refusal: string): void {
  try {
    // Nothing is written, so that no file of a journal is needed, which a kill would leave.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    throw new CommandError(
      isHeldByAnother(error) ? refusal : `${path} cannot be locked (${reasonOf(error)}): remove it.`,
    );
  }
}

/** For its owner alone: SQLite would let everybody read it. */
async function make(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
