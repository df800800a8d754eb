import type { IdPrefix, Page, PageRequest } from '@trunkline/core';
import type { Row } from './row.ts';
import type { Statements, Value } from './statements.ts';
import { uuidToFind } from './uuid.ts';

/** Rows of a table, made of parts that share no row. */
export interface List {
  /** As `trunkline.messages`; called `item` in `where` and `columns`. */
  readonly table: string;
  /** Of the rows' ids. */
  readonly prefix: IdPrefix;
  /** What is read of a row. */
  readonly columns: string;
  /** The parts, from `$1` on, as `unnest($1::uuid[], $2::text[]) AS part (owner, status)`. */
  readonly parts: string;
  /** The condition of a part: equalities of an index that goes on with `id`. */
  readonly where: string;
  readonly values: readonly Value[];
  /** Rows with smaller uuids are not in it. */
  readonly floor?: string;
}

/**
 * A page, newest first, in one statement. Each part is walked along its index: no further than the page goes, and not
 * for what lies before it.
 */
export async function readPage<Item>(
  statements: Statements,
  list: List,
  { from, limit }: PageRequest,
  read: (row: Row) => Item,
): Promise<Page<Item>> {
  const way = from?.direction ?? 'first';
  const found = await statements.all(
    pageOf(list, way),
    ...list.values,
    limit + 1,
    list.floor ?? LOWEST,
    ...(from ? [uuidToFind(list.prefix, from.id)] : []),
  );
  const isBeyond = found[0]?.['is_beyond'] === true;
  // A page without rows is one row of nothing but `is_beyond`.
  const rows = found.filter((row) => row['id'] !== null);
  const goesOn = rows.length > limit;
  const items = rows.slice(0, limit).map(read);
  if (way === 'newer') return { rows: items.toReversed(), hasOlder: isBeyond, hasNewer: goesOn };
  return { rows: items, hasOlder: goesOn, hasNewer: isBeyond };
}

const LOWEST = '00000000-0000-0000-0000-000000000000';

type Way = 'first' | 'older' | 'newer';

function pageOf({ table, columns, parts, where, values }: List, way: Way): string {
  const [count, floor, from] = [`$${values.length + 1}`, `$${values.length + 2}`, `$${values.length + 3}`];
  const order = way === 'newer' ? 'ASC' : 'DESC';
  const { ahead, behind } = {
    first: { ahead: 'true', behind: 'false' },
    older: { ahead: `item.id < ${from}::uuid`, behind: `item.id >= ${from}::uuid` },
    newer: { ahead: `item.id > ${from}::uuid`, behind: `item.id <= ${from}::uuid` },
  }[way];
  const walk = (condition: string, rest: string): string => `
    FROM ${parts} CROSS JOIN LATERAL (
      SELECT item.id FROM ${table} AS item
      WHERE ${where} AND item.id >= ${floor}::uuid AND ${condition} ${rest}
    ) AS walked`;
  return `
    SELECT page.*, beyond.is_beyond
    FROM (SELECT EXISTS (SELECT 1 ${walk(behind, 'LIMIT 1')}) AS is_beyond) AS beyond
    LEFT JOIN (
      SELECT ${columns}
      FROM (
        SELECT walked.id ${walk(ahead, `ORDER BY item.id ${order} LIMIT ${count}`)}
        ORDER BY walked.id ${order} LIMIT ${count}
      ) AS found
      JOIN ${table} AS item ON item.id = found.id
    ) AS page ON true
    ORDER BY page.id ${order}`;
}
