import type { StoredSchema } from './stored-schema.ts';

/** The setting that marks a database as part of a move. A move does not copy this setting. */
export const MOVE_MARK = 'move';

/** The value of `MOVE_MARK`, as JSON. */
export type MoveMark =
  | {
      readonly role: 'source';
      /** The move's id, the same in both databases. */
      readonly id: string;
      /** The address of the target, without a password. */
      readonly target: string;
      readonly isComplete: boolean;
    }
  | {
      readonly role: 'target';
      readonly id: string;
      /** The address of the source, without a password. */
      readonly source: string;
      /** Null once the move is complete and a server may use the database. */
      readonly progress: MoveProgress | null;
    };

export interface MoveProgress {
  /** The rows written so far, by the name of the table. */
  readonly tables: Readonly<Record<string, MovedCount>>;
  /** The place where the next batch begins; null at the beginning of a table. */
  readonly cursor: MoveCursor | null;
}

export interface MovedCount {
  readonly rows: number;
  /** A sum of the rows' digests, in hexadecimal digits. The order of the rows does not change the sum. */
  readonly sum: string;
  readonly isComplete: boolean;
}

/** A place in a table, as defined by the storage that reads the table. */
export interface MoveCursor {
  /** The index of a part, because a storage may keep a table in several parts. */
  readonly part: number;
  /** The key of the last row before the place; null at the beginning of a part. */
  readonly after: readonly (string | number)[] | null;
}

export function parseMoveMark(stored: string): MoveMark {
  return JSON.parse(stored) as MoveMark; // this module wrote it
}

/** Throws unless the stored mark is the expected one. */
export function checkMark(stored: string | null, expected: MoveMark): void {
  if (stored === JSON.stringify(expected)) return;
  throw new Error('another "trunkline move" writes to the same database: let that one end.');
}

/**
 * Throws if a database with this mark (null for none) must not be opened. A storage calls this function before it
 * migrates, so that nothing is written to a database that is being moved or was moved.
 */
export function checkMoveMark(
  stored: string | null,
  { isMoving, version, latest }: StoredSchema & { readonly isMoving: boolean },
): void {
  if (stored === null) return;
  if (!isMoving) refuseWhileMoved(parseMoveMark(stored));
  else if (version < latest)
    throw new Error(
      'its move was begun by an earlier version of Trunkline: end it with that version, or run "trunkline move --undo" with that one and begin again.',
    );
}

function refuseWhileMoved(mark: MoveMark): void {
  if (mark.role === 'source')
    throw new Error(
      mark.isComplete
        ? `it was moved to ${mark.target}: use that one, with DATABASE_URL. To continue with this one, and without what has happened there since, run "trunkline move --undo".`
        : `it is being moved to ${mark.target}: run the same "trunkline move" again, which continues where it was, or "trunkline move --undo" to continue with this one.`,
    );
  if (mark.progress !== null)
    throw new Error(
      `the move from ${mark.source} to it has not ended: run the same "trunkline move" again, which continues where it was.`,
    );
}
