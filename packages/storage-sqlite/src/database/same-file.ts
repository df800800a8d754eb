import { statSync } from 'node:fs';
import { UnavailableError } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { integer } from '../rows/row.ts';

/** The path is checked at most this often. Messages accepted between two checks may go to a file that is gone. */
const LOOK_EVERY_MS = 1_000;
/**
 * After a longer pause, the sizes of two checks cannot be compared, because the file may have been shortened and have
 * grown again.
 */
const COMPARABLE_MS = 10_000;

/**
 * Returns a check that throws an `UnavailableError` if the path no longer leads to the file that was opened, or if a
 * shorter file was copied over it. SQLite keeps using a file that was deleted, moved or replaced, and its writes there
 * are lost. In an overwritten file, SQLite mixes old and new pages.
 */
export function sameFile(file: string, database: Database): () => void {
  if (file === ':memory:') return () => undefined;
  const opened = lookAt(file);
  let isSame = true;
  let isOverwritten = false;
  let size = opened?.size ?? 0;
  let lookedAt = performance.now();
  const look = (now: number): void => {
    const isComparable = now - lookedAt <= COMPARABLE_MS;
    lookedAt = now;
    const found = lookAt(file);
    isSame = found?.identity === opened?.identity;
    if (!isSame || !found) return;
    // SQLite itself shortens a file only after VACUUM has shortened the database.
    if (isComparable && found.size < size && sizeOf(database) >= size) isOverwritten = true;
    size = found.size;
  };
  return () => {
    const now = performance.now();
    if (now - lookedAt >= LOOK_EVERY_MS) look(now);
    if (isOverwritten)
      throw new UnavailableError(
        `The database file ${file} was overwritten by a shorter one while it was in use, and does not match its log any more: stop this process, and restore a backup before its next start.`,
      );
    if (!isSame)
      throw new UnavailableError(
        `The database file ${file} was deleted, moved or replaced after it was opened: put the same file back, or stop this process and restore a backup before its next start.`,
      );
  };
}

interface FoundFile {
  readonly identity: string;
  /** In bytes. */
  readonly size: number;
}

/** Uses only `stat`, because opening and closing the file would release SQLite's locks on it. */
function lookAt(file: string): FoundFile | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : { identity: `${stat.dev}:${stat.ino}`, size: Number(stat.size) };
}

/** The size of the database in bytes as SQLite reports it, including the pages that are only in the log. */
function sizeOf(database: Database): number {
  const [pages, page] = [database.get('PRAGMA page_count'), database.get('PRAGMA page_size')];
  return pages && page ? integer(pages, 'page_count') * integer(page, 'page_size') : 0;
}
