import type { StorageContext } from '@trunkline/core/spi/storage';
import type { StoredProcess } from './entities.ts';
import type { MoveCursor, MoveMark } from './move-mark.ts';
import type { MovedRow, MovedTableName } from './moved-tables.ts';

/** Rows of a table. `next` is where the following rows begin; null after the last rows. */
export interface MovedPage {
  readonly rows: readonly MovedRow[];
  readonly next: MoveCursor | null;
}

/** A change of the mark. If the stored mark is not `expected`, another process has written it. */
export interface MarkChange {
  readonly expected: MoveMark;
  readonly next: MoveMark;
}

/**
 * A database as `trunkline move` sees it: the rows of the moved tables, without the rules by which a storage changes
 * them. During a move, no other process may write to these rows. `freeze` ensures this for the source, and `claim` and
 * the mark that `write` expects ensure it for the target.
 */
export interface MovableDatabase {
  /**
   * Opens the database whatever its mark says, and upgrades its schema. Throws if a move began with an older schema.
   */
  open(context: Pick<StorageContext, 'logger'>): Promise<void>;
  close(): Promise<void>;
  mark(): Promise<MoveMark | null>;
  /** Writes the mark; null removes the mark. */
  writeMark(mark: MoveMark | null): Promise<void>;
  /** Whether all moved tables, including the settings, are empty. */
  isEmpty(): Promise<boolean>;
  /**
   * In one transaction, returns false if the database has a mark or a row in any moved table; otherwise writes the
   * first mark and returns true.
   */
  claim(mark: MoveMark): Promise<boolean>;
  /** The processes that are not known to have ended. */
  processes(): Promise<readonly StoredProcess[]>;
  /**
   * In one transaction, writes the mark and refuses all later changes of the moved tables by any process. After that,
   * nothing is accepted, sent or delivered from this database.
   */
  freeze(mark: MoveMark): Promise<void>;
  /** Removes the mark, and accepts changes again. */
  thaw(): Promise<void>;
  /** The number of rows, for showing progress; may be an estimate. */
  estimate(): Promise<number>;
  /** Reads at most `limit` rows. */
  read(table: MovedTableName, from: MoveCursor | null, limit: number): Promise<MovedPage>;
  /** Writes the rows and the next mark in one transaction. Throws if the mark is not the expected one. */
  write(table: MovedTableName, rows: readonly MovedRow[], marks: MarkChange): Promise<void>;
  /** Derives values from the rows, such as when a lane wakes, and changes the mark in the same transaction. */
  finish(marks: MarkChange): Promise<void>;
}
