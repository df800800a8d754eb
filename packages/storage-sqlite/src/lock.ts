/** SQLite's result code for a lock that somebody else holds (https://sqlite.org/rescode.html#busy); its extended codes end in it. */
const SQLITE_BUSY = 5;

export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === SQLITE_BUSY
  );
}

/** A write did not get its turn. */
export class LockTimeoutError extends Error {
  constructor(ms: number, cause: unknown) {
    super(`The database is locked: a transaction of somebody else has not ended within ${ms} ms.`, { cause });
    this.name = 'LockTimeoutError';
  }
}
