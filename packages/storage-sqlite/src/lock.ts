import { UnavailableError } from '@trunkline/core/spi/storage';

/** SQLite's result code for a lock that somebody else holds (https://sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

/** SQLite's primary result code, in which its extended codes end; null where the error is not SQLite's. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return null;
  return error.errcode & 0xff;
}

/** A write did not get its turn. */
export class LockTimeoutError extends UnavailableError {
  override readonly name = 'LockTimeoutError';

  constructor(ms: number, cause: unknown) {
    super(`The database is locked: a transaction of somebody else has not ended within ${ms} ms.`, { cause });
  }
}

/** Busy, locked, read-only, I/O error, full, cannot open: they pass, or an operator makes them pass. */
const PASSING: ReadonlySet<number | null> = new Set([SQLITE_BUSY, 6, 8, 10, 13, 14]);

/** What stands in the way for now, in SQLite's own words; null where the error is something else (https://sqlite.org/rescode.html). */
export function whyUnavailable(error: unknown): string | null {
  return error instanceof Error && PASSING.has(resultCode(error)) ? error.message : null;
}
