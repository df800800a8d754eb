import type { Page, PageRequest } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { text } from './row.ts';
import type { Row } from './row.ts';

type Values = readonly (string | number)[];

/** Rows of a table, made of parts that share no row. */
export interface List {
  readonly table: string;
  /** The condition of a part, each with its own values: equalities of an index that goes on with `id`. */
  readonly where: string;
  readonly parts: readonly Values[];
  /** Rows with smaller ids are not in it. */
  readonly floor?: string;
}

/** A page, newest first. Each part is walked along its index: no further than the page goes, and not for what lies before it. */
export function readPage<Item>(
  database: Database,
  list: List,
  { from, limit }: PageRequest,
  read: (row: Row) => Item,
): Page<Item> {
  return database.snapshot(() => {
    const answer = (
      ids: readonly string[],
      beyond: Pick<Page<Item>, 'hasOlder' | 'hasNewer'>,
    ): Page<Item> => ({
      rows: rowsOf(database, list.table, ids.slice(0, limit)).map(read),
      ...beyond,
    });
    const { floor = '' } = list;
    if (from?.direction === 'newer') {
      const ids = walk(database, list, {
        low: later(floor, behind(from.id)),
        high: END,
        count: limit + 1,
        order: 'ASC',
      });
      const hasOlder = isAny(database, list, { low: floor, high: behind(from.id) });
      return answer(ids, { hasOlder, hasNewer: ids.length > limit });
    }
    const ids = walk(database, list, { low: floor, high: from?.id ?? END, count: limit + 1, order: 'DESC' });
    const hasNewer = from !== null && isAny(database, list, { low: later(floor, from.id), high: END });
    return answer(ids, { hasOlder: ids.length > limit, hasNewer });
  });
}

/** The rows with these ids, newest first. */
export function rowsOf(database: Database, table: string, ids: readonly string[]): readonly Row[] {
  return database.all(
    `SELECT * FROM ${table} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    JSON.stringify(ids),
  );
}

/** Ids from `low` on that come before `high`. */
interface Range {
  readonly low: string;
  readonly high: string;
}

interface Walk extends Range {
  readonly count: number;
  readonly order: 'ASC' | 'DESC';
}

/** The first ids on the way, `count` at most: from part to part it looks for better ones than those it has. */
function walk(database: Database, list: List, { count, order, ...range }: Walk): readonly string[] {
  let { low, high } = range;
  let found: readonly string[] = [];
  for (const values of list.parts) {
    const rows = database.all(
      `SELECT id FROM ${list.table} WHERE ${list.where} AND id >= ? AND id < ? ORDER BY id ${order} LIMIT ?`,
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

/** Sorts behind every id. */
const END = '~';

/** Sorts right behind this id: no id begins with another one. */
function behind(id: string): string {
  return `${id}!`;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
