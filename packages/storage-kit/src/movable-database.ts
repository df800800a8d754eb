import type { StorageContext } from '@trunkline/core/spi/storage';
import type { StoredProcess } from './entities.ts';
import type { MoveCursor, MoveMark } from './move-mark.ts';
import type { MovedRow, MovedTableName } from './moved-tables.ts';

/** Rows of a table, and where the next rows begin; null after the last rows. */
export interface MovedPage {
  readonly rows: readonly MovedRow[];
  readonly next: MoveCursor | null;
}

/** A change from the mark that the writer last wrote or read: any other mark is from another process. */
export interface MarkChange {
  readonly expected: MoveMark;
  readonly next: MoveMark;
}

/**
 * A database as `trunkline move` sees it: the rows of `MOVED_TABLES`, without the rules by which a storage changes
 * them. Only one process may write to a database: `freeze` ensures this for the source, and `claim` and the mark that
 * `write` expects ensure it for the target.
 */
export interface MovableDatabase {
  /** Opens the database with the schema of this version, whatever its mark says. */
  open(context: Pick<StorageContext, 'logger'>): Promise<void>;
  close(): Promise<void>;
  mark(): Promise<MoveMark | null>;
  /** Writes the mark; null removes the mark. */
  writeMark(mark: MoveMark | null): Promise<void>;
  /** Whether no table, including the settings, has a row. */
  isEmpty(): Promise<boolean>;
  /**
   * In one transaction, writes the first mark and returns true, or returns false if there is a mark or a row of any
   * table.
   */
  claim(mark: MoveMark): Promise<boolean>;
  /** The processes that are not known to have ended. */
  processes(): Promise<readonly StoredProcess[]>;
  /**
   * In one transaction, writes the mark and refuses all later changes of these tables by any process. After that,
   * nothing is accepted, sent or delivered from this database.
   */
  freeze(mark: MoveMark): Promise<void>;
  /** Removes the mark, and accepts changes again. */
  thaw(): Promise<void>;
  /** How many rows there are, to show progress; may be an estimate. */
  estimate(): Promise<number>;
  /** Reads about `limit` rows at most. */
  read(table: MovedTableName, from: MoveCursor | null, limit: number): Promise<MovedPage>;
  /** Writes the rows and the next mark in one transaction. Throws if the mark is not the expected one. */
  write(table: MovedTableName, rows: readonly MovedRow[], marks: MarkChange): Promise<void>;
  /** Derives values from the rows, such as when a queue is due, and changes the mark in the same transaction. */
  finish(marks: MarkChange): Promise<void>;
}
