import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { MOVED_TABLE_NAMES } from '@trunkline/storage-kit';
import type {
  MovableDatabase,
  MoveCursor,
  MovedCount,
  MovedPage,
  MovedRow,
  MovedTableName,
  MoveMark,
  MoveProgress,
} from '@trunkline/storage-kit';

/** The maximum number of rows in a batch. Memory holds one or two batches. */
const ROWS_MAX = 500;
/** A table's first batch is small, because its rows may be large. */
const ROWS_FIRST = 50;
/**
 * The intended size of a batch, in characters and bytes. The size of the previous batch's rows decides how many fit.
 */
const SIZE_MAX = 2 * 1024 * 1024;

export interface MoveOptions {
  readonly source: MovableDatabase;
  readonly target: MovableDatabase;
  /** The target's mark, so that work of an earlier run is not repeated. */
  readonly mark: TargetMark;
  readonly signal: AbortSignal;
  onProgress(progress: { readonly phase: 'copied' | 'compared'; readonly rows: number }): void;
}

type TargetMark = Extract<MoveMark, { role: 'target' }>;

export interface Moved {
  /** The number of rows in each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly mark: TargetMark;
}

/**
 * Copies all rows of a frozen source. Each batch is written in one transaction with its mark, so that a killed move
 * continues with the next row. Then reads all rows from the target and compares them. The caller must finish the
 * target, which cannot be used until then.
 */
export async function moveData(options: MoveOptions): Promise<Moved> {
  const mark = await copyAll(options);
  const tables = mark.progress?.tables ?? {};
  await compareAll(options, tables);
  const rows = Object.fromEntries(Object.entries(tables).map(([name, { rows: count }]) => [name, count]));
  return { rows, mark };
}

const NOTHING: MovedCount = { rows: 0, sum: '0', isComplete: false };

async function copyAll({ source, target, mark, signal, onProgress }: MoveOptions): Promise<TargetMark> {
  let written = mark;
  let progress = mark.progress ?? { tables: {}, cursor: null };
  let copied = Object.values(progress.tables).reduce((sum, { rows }) => sum + rows, 0);
  for (const name of MOVED_TABLE_NAMES) {
    let count = progress.tables[name] ?? NOTHING;
    if (count.isComplete) continue;
    for await (const { rows, next } of pages(source, { name, from: progress.cursor, signal })) {
      count = { ...countedWith(count, rows), isComplete: next === null };
      progress = { tables: { ...progress.tables, [name]: count }, cursor: next };
      const marks = { expected: written, next: { ...mark, progress } };
      await target.write(name, rows, marks);
      written = marks.next;
      copied += rows.length;
      onProgress({ phase: 'copied', rows: copied });
    }
  }
  return written;
}

async function compareAll(
  { target, signal, onProgress }: MoveOptions,
  tables: MoveProgress['tables'],
): Promise<void> {
  let compared = 0;
  for (const name of MOVED_TABLE_NAMES) {
    let count = NOTHING;
    for await (const { rows } of pages(target, { name, from: null, signal })) {
      count = countedWith(count, rows);
      compared += rows.length;
      onProgress({ phase: 'compared', rows: compared });
    }
    const expected = tables[name] ?? NOTHING;
    if (count.rows !== expected.rows || count.sum !== expected.sum) throw differing(name, expected, count);
  }
}

/** Yields the rows of a table after the cursor `from`, in at least one page, which may be empty. */
async function* pages(
  database: MovableDatabase,
  {
    name,
    from,
    signal,
  }: { readonly name: MovedTableName; readonly from: MoveCursor | null; readonly signal: AbortSignal },
): AsyncGenerator<MovedPage> {
  let limit = ROWS_FIRST;
  let cursor = from;
  do {
    // SQLite returns all results synchronously, so without a turn of the event loop, a signal would go unnoticed.
    await setImmediate();
    signal.throwIfAborted();
    const page = await database.read(name, cursor, limit);
    limit = nextLimit(limit, page.rows);
    cursor = page.next;
    yield page;
  } while (cursor !== null);
}

function nextLimit(limit: number, rows: readonly MovedRow[]): number {
  const size = rows.reduce((sum, row) => sum + sizeOf(row), 0);
  const fitting = Math.floor((SIZE_MAX * rows.length) / Math.max(1, size));
  return Math.max(1, Math.min(ROWS_MAX, 2 * limit, fitting));
}

function sizeOf(row: MovedRow): number {
  return Object.values(row).reduce<number>((sum, value) => {
    const isLong = typeof value === 'string' || value instanceof Uint8Array || Array.isArray(value);
    return sum + (isLong ? value.length : 1);
  }, 0);
}

function differing(name: MovedTableName, expected: MovedCount, found: MovedCount): DifferingRows {
  const what =
    expected.rows === found.rows
      ? `${found.rows} rows, of which some are not as they were read`
      : `${found.rows} rows instead of ${expected.rows}`;
  return new DifferingRows(
    `The target has ${what} in ${name}: something else has written to it, or its disk is damaged. Run "trunkline move --undo" with --from, and begin again with another target.`,
  );
}

/** The target's rows differ from the copied ones, so the move cannot continue. */
export class DifferingRows extends Error {
  override readonly name = 'DifferingRows';
}

const SUM_MODULUS = 1n << 128n;

/** Adds up digests, because a sum does not depend on the order in which a database returns its rows. */
function countedWith(count: MovedCount, rows: readonly MovedRow[]): MovedCount {
  let sum = BigInt(`0x${count.sum}`);
  for (const row of rows) sum = (sum + digestOf(row)) % SUM_MODULUS;
  return { ...count, rows: count.rows + rows.length, sum: sum.toString(16) };
}

function digestOf(row: MovedRow): bigint {
  const values = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(values, (_, value: unknown) => {
    if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
    // SQLite cannot store lone surrogates.
    return typeof value === 'string' ? value.toWellFormed() : value;
  });
  return BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 32)}`);
}
