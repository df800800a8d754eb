import { createHash } from 'node:crypto';
import { MOVED_TABLE_NAMES } from '@trunkline/storage-kit';
import type {
  MovableDatabase,
  MovedCount,
  MovedRow,
  MovedTableName,
  MoveMark,
  MoveProgress,
} from '@trunkline/storage-kit';

/** Rows in memory, of a table of which some are large. */
const BATCH = 500;

export interface MoveOptions {
  readonly source: MovableDatabase;
  readonly target: MovableDatabase;
  /** The target's mark: what was done by an earlier run is not done again. */
  readonly mark: TargetMark;
  readonly signal: AbortSignal;
  onProgress(progress: { readonly phase: 'copied' | 'compared'; readonly rows: number }): void;
}

type TargetMark = Extract<MoveMark, { role: 'target' }>;

/** What was moved, by table. */
export type MovedRows = Readonly<Record<string, number>>;

/**
 * Copies all rows of a source that is frozen, a batch and the note of it in one transaction, so that it continues after
 * a kill with the row after the last one. Then reads all of them from the target and compares. It is left to the caller
 * to finish the target, which cannot be used before.
 */
export async function moveData(options: MoveOptions): Promise<MovedRows> {
  const progress = await copyAll(options);
  await compareAll(options, progress);
  return Object.fromEntries(Object.entries(progress.tables).map(([name, { rows }]) => [name, rows]));
}

const NOTHING: MovedCount = { rows: 0, sum: '0', isComplete: false };

async function copyAll({ source, target, mark, signal, onProgress }: MoveOptions): Promise<MoveProgress> {
  let progress = mark.progress ?? { tables: {}, cursor: null };
  let copied = Object.values(progress.tables).reduce((sum, { rows }) => sum + rows, 0);
  for (const name of MOVED_TABLE_NAMES) {
    let count = progress.tables[name] ?? NOTHING;
    while (!count.isComplete) {
      signal.throwIfAborted();
      const { rows, next } = await source.read(name, progress.cursor, BATCH);
      count = { ...countedWith(count, rows), isComplete: next === null };
      progress = { tables: { ...progress.tables, [name]: count }, cursor: next };
      await target.write(name, rows, { ...mark, progress });
      copied += rows.length;
      onProgress({ phase: 'copied', rows: copied });
    }
  }
  return progress;
}

async function compareAll(
  { target, signal, onProgress }: MoveOptions,
  { tables }: MoveProgress,
): Promise<void> {
  let compared = 0;
  for (const name of MOVED_TABLE_NAMES) {
    let count = NOTHING;
    let cursor: MoveProgress['cursor'] = null;
    do {
      signal.throwIfAborted();
      const page = await target.read(name, cursor, BATCH);
      count = countedWith(count, page.rows);
      cursor = page.next;
      compared += page.rows.length;
      onProgress({ phase: 'compared', rows: compared });
    } while (cursor !== null);
    const expected = tables[name] ?? NOTHING;
    if (count.rows !== expected.rows || count.sum !== expected.sum) throw differing(name, expected, count);
  }
}

function differing(name: MovedTableName, expected: MovedCount, found: MovedCount): Error {
  const what =
    expected.rows === found.rows
      ? `${found.rows} rows, of which some are not as they were read`
      : `${found.rows} rows instead of ${expected.rows}`;
  return new Error(
    `The target has ${what} in ${name}: something else has written to it, or its disk is damaged. Empty it and begin the move again.`,
  );
}

const SUM_MODULUS = 1n << 128n;

/** The sum of digests is the same in whatever order a database has its rows. */
function countedWith(count: MovedCount, rows: readonly MovedRow[]): MovedCount {
  let sum = BigInt(`0x${count.sum}`);
  for (const row of rows) sum = (sum + digestOf(row)) % SUM_MODULUS;
  return { ...count, rows: count.rows + rows.length, sum: sum.toString(16) };
}

function digestOf(row: MovedRow): bigint {
  const values = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(values, (_, value: unknown) => {
    if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
    // SQLite cannot keep halves of surrogate pairs.
    return typeof value === 'string' ? value.toWellFormed() : value;
  });
  return BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 32)}`);
}
