import type { Page, PageRequest } from '@trunkline/core/spi/storage';
import { pageOf, planPage } from '@trunkline/storage-kit';
import type { IdBound, PagePlan } from '@trunkline/storage-kit';
import type { Database } from './database.ts';
import { text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

type Values = readonly (string | number)[];

/** Rows of a table, divided into parts that share no row. */
export interface List {
  readonly table: string;
  /** The table that has the rows with these ids; by default, `table`. */
  readonly rows?: string;
  /** The condition of a part: equalities on the columns of an index before `id`, whose values are in `parts`. */
  readonly where: string;
  readonly parts: readonly Values[];
  /** Rows with smaller ids are left out. */
  readonly floor?: string;
  /** The index's next column after those of `where`; `id` by default. */
  readonly id?: string;
}

/** Returns a page, newest first. Each part is read along its index, only as far as the page may reach. */
export function readPage<Item>(
  database: Database,
  list: List,
  request: PageRequest,
  read: (row: Row) => Item,
): Page<Item> {
  const plan = planPage(request);
  return database.snapshot(() => {
    const ids = walkIds(database, list, plan);
    const isAnyBehind = plan.behind !== null && isAny(database, list, rangeOf(list, plan.behind));
    const page = pageOf(request, ids, isAnyBehind);
    return { ...page, rows: rowsOf(database, list.rows ?? list.table, page.rows).map(read) };
  });
}

/** The rows with these ids, newest first. */
export function rowsOf(database: Database, table: string, ids: readonly string[]): readonly Row[] {
  return database.all(
    `SELECT * FROM ${table} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    JSON.stringify(ids),
  );
}

/** The ids from `low` (inclusive) to `high` (exclusive). */
interface Range {
  readonly low: string;
  readonly high: string;
}

export function rangeOf({ floor = '' }: Pick<List, 'floor'>, bound: IdBound | null): Range {
  if (bound === null) return { low: floor, high: END };
  const at = bound.sign === '<' || bound.sign === '>=' ? bound.id : behind(bound.id);
  return bound.sign.startsWith('<') ? { low: floor, high: at } : { low: later(floor, at), high: END };
}

/**
 * The first `count` ids. Once `count` ids are found, each further part is searched only for ids before the last of
 * them.
 */
export function walkIds(
  database: Database,
  list: List,
  { ahead, count, order }: Omit<PagePlan, 'behind'>,
): readonly string[] {
  const { id = 'id' } = list;
  let { low, high } = rangeOf(list, ahead);
  let found: readonly string[] = [];
  for (const values of list.parts) {
    const rows = database.all(
      `SELECT ${id === 'id' ? id : `${id} AS id`} FROM ${list.table} WHERE ${list.where} AND ${id} >= ? AND ${id} < ? ORDER BY ${id} ${order} LIMIT ?`,
      ...values,
      low,
      high,
      count,
    );
    if (rows.length === 0) continue;
    const ids = [...found, ...rows.map((row) => text(row, 'id'))].toSorted();
    found = (order === 'ASC' ? ids : ids.toReversed()).slice(0, count);
    const last = found[count - 1];
    if (last === undefined) continue;
    if (order === 'ASC') high = last;
    else low = behind(last);
  }
  return found;
}

function isAny(database: Database, { table, where, parts }: List, { low, high }: Range): boolean {
  const sql = `SELECT 1 FROM ${table} WHERE ${where} AND id >= ? AND id < ? LIMIT 1`;
  return parts.some((values) => database.get(sql, ...values, low, high) !== undefined);
}

/** Sorts after every id. */
const END = '~';

/** Sorts right after this id, because no id begins with another. */
function behind(id: string): string {
  return `${id}!`;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
