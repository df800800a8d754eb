import { UnavailableError } from '@trunkline/core/spi/storage';

/** How long opening blocks this process while it waits for another process's transaction. */
export const OPEN_TIMEOUT_MS = 5_000;

/** SQLite's result code for a lock that another connection holds (https://sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

/** SQLite's primary result code, the low byte of its extended codes; null if the error is not SQLite's. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return null;
  return error.errcode & 0xff;
}

/** Thrown when a write has waited too long for the lock. */
export class LockTimeoutError extends UnavailableError {
  override readonly name = 'LockTimeoutError';

  constructor(ms: number, cause: unknown) {
    super(
      `The database is locked: a transaction of another connection has not ended within ${ms} ms. Look for a program that keeps one open.`,
      { cause },
    );
  }
}

const LOCKED = 'look for a transaction that is kept open, and begin those of your own with BEGIN IMMEDIATE';

/** Remedies for errors that may be temporary, by result code. */
const REMEDIES: ReadonlyMap<number | null, string> = new Map([
  [SQLITE_BUSY, LOCKED],
  [6, LOCKED],
  [8, 'let the user of this process write to the file and its directory'],
  [10, 'check the disk, and that there is room on it'],
  [13, 'make room on the disk'],
  [14, 'let the user of this process open the file and its directory, and check its limit of open files'],
]);

const RESTORE = 'restore it from a backup';
/** Remedies for permanent errors. */
const DAMAGES: ReadonlyMap<number | null, string> = new Map([
  [11, RESTORE],
  [26, RESTORE],
]);

/** Returns the remedy for an error of SQLite; null if no remedy is known, or the error is not SQLite's. */
export function remedyOf(error: unknown): string | null {
  return REMEDIES.get(resultCode(error)) ?? DAMAGES.get(resultCode(error)) ?? null;
}

/**
 * Returns SQLite's own message and the remedy for an error that may be temporary; null for any other error
 * (https://sqlite.org/rescode.html).
 */
export function whyUnavailable(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const remedy = REMEDIES.get(resultCode(error));
  return remedy === undefined
    ? null
    : `The SQLite database cannot be used now (${error.message}): ${remedy}.`;
}
