import { open, rm } from 'node:fs/promises';
import { DatabaseSync, isHeldByAnother } from '../database/node-sqlite.ts';
import { errorCode, reasonOf } from '../errors/start-error.ts';
import { CommandError } from '../errors/command-error.ts';
import { kindAt } from './safe-files.ts';

interface Lock {
  /** The lock file, which is created empty if it does not exist. */
  readonly path: string;
  /** The error message if another process has the lock. */
  readonly refusal: string;
  /**
   * Whether the file is removed once `use` succeeds. Only for work that is never repeated, because a process with the
   * old file open would not exclude a process that recreates the file.
   */
  readonly isRemoved: boolean;
}

/**
 * Runs `use` under an exclusive lock. SQLite uses a lock of the operating system, which is released when the process
 * ends, however it ends. A second process is refused immediately, with a CommandError.
 */
export async function withExclusiveLock<Value>(
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
    // Nothing is written, and the journal is in memory, so a kill leaves no journal file behind.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    throw new CommandError(
      isHeldByAnother(error) ? refusal : `${path} cannot be locked (${reasonOf(error)}): remove it.`,
    );
  }
}

/** Creates the file, readable only by its owner, because SQLite would let every user read it. */
async function make(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
