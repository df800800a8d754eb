import type { StorageContext } from '@trunkline/core/spi/storage';
import type { StoredProcess } from './entities.ts';
import type { MoveCursor, MoveMark } from './move-mark.ts';
import type { MovedRow, MovedTableName } from './moved-tables.ts';

/** Rows of a table, and where the next ones begin: null if these were the last. */
export interface MovedPage {
  readonly rows: readonly MovedRow[];
  readonly next: MoveCursor | null;
}

/** From the mark that the writer has written or read last: another one is from another process. */
export interface MarkChange {
  readonly expected: MoveMark;
  readonly next: MoveMark;
}

/**
 * A database as `trunkline move` sees it: the rows of `MOVED_TABLES`, with none of the rules by which a storage changes
 * them. Only one process may write to it, which `freeze` ensures for the source, and `claim` and the mark that `write`
 * expects for the target.
 */
export interface MovableDatabase {
  /** Opens it, with the schema of this version, whatever its mark says. */
  open(context: Pick<StorageContext, 'logger'>): Promise<void>;
  close(): Promise<void>;
  mark(): Promise<MoveMark | null>;
  /** Null removes it. */
  writeMark(mark: MoveMark | null): Promise<void>;
  /** Whether it has no row of any table, settings included. */
  isEmpty(): Promise<boolean>;
  /** In one transaction, writes the first mark, unless there is one or a row of any table: then returns false. */
  claim(mark: MoveMark): Promise<boolean>;
  /** The processes that are not known to have ended. */
  processes(): Promise<readonly StoredProcess[]>;
  /**
   * In one transaction, writes the mark and refuses from then on every change of these tables by any process: nothing more
   * is accepted, sent or delivered from this database.
   */
  freeze(mark: MoveMark): Promise<void>;
  /** Removes the mark, and accepts changes again. */
  thaw(): Promise<void>;
  /** How many rows there are, for the progress: it may be an estimate. */
  estimate(): Promise<number>;
  /** At most about `limit` rows. */
  read(table: MovedTableName, from: MoveCursor | null, limit: number): Promise<MovedPage>;
  /** Writes the rows and the next mark in one transaction. Throws if the mark is not the expected one. */
  write(table: MovedTableName, rows: readonly MovedRow[], marks: MarkChange): Promise<void>;
  /** Derives values from the rows, such as when a queue is due, and changes the mark in the same transaction. */
  finish(marks: MarkChange): Promise<void>;
}
