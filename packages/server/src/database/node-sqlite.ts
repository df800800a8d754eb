import type * as sqlite from 'node:sqlite';

// Loaded at run time, because an import of a module that Node lacks fails before any code runs, including the check
// that refuses an old Node in one sentence.
const module: typeof sqlite = process.getBuiltinModule('node:sqlite');

export type DatabaseSync = sqlite.DatabaseSync;
export const DatabaseSync: typeof sqlite.DatabaseSync = module.DatabaseSync;
export const backup: typeof sqlite.backup = module.backup;

/** SQLite's codes for a database that another connection has locked. */
const BUSY = 5;
const LOCKED = 6;

export function isHeldByAnother(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === BUSY || error.errcode === LOCKED);
}
