import { statSync } from 'node:fs';
import type { StorageDescription } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { LATEST_VERSION } from './migrate.ts';
import { text } from '../rows/row.ts';

export function describeDatabase(file: string, database: Database): StorageDescription {
  const row = database.get('SELECT sqlite_version() AS version');
  return {
    database: row ? `SQLite ${text(row, 'version')}` : 'SQLite',
    schemaVersion: LATEST_VERSION,
    sizeBytes: file === ':memory:' ? null : sizeOf(file) + sizeOf(`${file}-wal`),
  };
}

/** Returns 0 for a missing file, because the write-ahead log comes and goes. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
