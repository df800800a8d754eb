import { closeSync, existsSync, openSync } from 'node:fs';
import { isBusy } from '../database/lock.ts';
import { DatabaseSync } from '../database/node-sqlite.ts';

/** The maximum number of concurrent processes per database file that can be told apart. */
const SLOTS = 256;

/** A lock that ends with the process, however the process ends. */
export interface ProcessSlot {
  readonly number: number;
  /** Whether it is certain that no other process holds the slot `other`. */
  isFree(other: number): boolean;
  release(): void;
}

/**
 * Locks the first lock file next to the database that no process holds; returns null if all are held. SQLite holds a
 * lock of the operating system while this process lives. Unlike other code, SQLite does not lose that lock when this
 * process opens and closes the same file again. Lock files are never removed, because a removed file could be created,
 * and locked, a second time.
 */
export function takeSlot(database: string): ProcessSlot | null {
  const fileOf = (number: number): string => `${database}-process-${number}`;
  for (let number = 1; number <= SLOTS; number += 1) {
    makePrivate(fileOf(number));
    const lock = tryLock(fileOf(number));
    if (!lock) continue;
    return {
      number,
      isFree(other) {
        if (other === number) return true;
        if (!existsSync(fileOf(other))) return false;
        const free = tryLock(fileOf(other));
        free?.close();
        return free !== null;
      },
      release: () => lock.close(),
    };
  }
  return null;
}

/** Never opens an existing file, because closing it would end the lock that this process may hold on it. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function tryLock(file: string): DatabaseSync | null {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
}
