import type * as sqlite from 'node:sqlite';

export type DatabaseSync = sqlite.DatabaseSync;

/**
 * Loaded without an import. In a runtime without the module, an import would fail before any code runs, and so before
 * an old Node is refused with a clear message.
 */
export const DatabaseSync: typeof sqlite.DatabaseSync = loadSqlite().DatabaseSync;

function loadSqlite(): typeof sqlite {
  const module: typeof sqlite | undefined = process.getBuiltinModule('node:sqlite');
  if (module === undefined) {
    throw new Error(
      'This runtime has no node:sqlite, which @trunkline/storage-sqlite is built on. Use Node.js, or another storage.',
    );
  }
  return module;
}
