import type { IdPrefix, Page, PageRequest } from '@trunkline/core/spi/storage';
import { pageOf, planPage } from '@trunkline/storage-kit';
import type { IdBound, PagePlan } from '@trunkline/storage-kit';
import type { Row, Value } from '../rows/row.ts';
import type { Statements } from './statements.ts';
import { uuidToFind } from '../rows/uuid.ts';

/** Rows of a table, divided into parts that share no row. */
interface Walks {
  /** A name like `trunkline.messages`; its rows are called `item` in `columns`. */
  readonly table: string;
  /** The table that has the rows with the found ids; by default, `table`. */
  readonly rows?: string;
  readonly columns: string;
  /** The parts in SQL, such as `unnest($1::uuid[], $2::text[]) AS part (owner, status)`. */
  readonly parts: string;
  /** The columns of an index before `id`, in the index's order, each with its value in a part. */
  readonly keys: Readonly<Record<string, string>>;
}

/** A list of the rows of one table, or of two tables with rows of the same kind. */
export interface List extends Walks {
  readonly and?: Walks;
  readonly prefix: IdPrefix;
  /** The values of the parts of both tables, starting with `$1`. */
  readonly values: readonly Value[];
  /** Rows with smaller uuids are left out. */
  readonly floor?: string;
}

/**
 * Returns a page, newest first, with one statement. Each part is read along its index, only as far as the page may
 * reach. For limits above a few hundred, the planner may choose another plan.
 */
export async function readPage<Item>(
  statements: Statements,
  list: List,
  request: PageRequest,
  read: (row: Row) => Item,
): Promise<Page<Item>> {
  const plan = planPage(request);
  const found = await statements.all(
    pageSql(list, plan),
    ...list.values,
    list.floor ?? LOWEST,
    ...(request.from ? [uuidToFind(list.prefix, request.from.id)] : []),
  );
  const isAnyBehind = found[0]?.['is_behind'] === true;
  // A page without rows is one row in which only `is_behind` is set.
  const page = pageOf(
    request,
    found.filter((row) => row['id'] !== null),
    isAnyBehind,
  );
  return { ...page, rows: page.rows.map(read) };
}

const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid";

/**
 * The limit is part of the text, because for a parameter the planner expects a tenth of all rows. The rows are read one
 * by one, because a join might read the whole table.
 */
function pageSql(list: List, { order, ahead, behind, count }: PagePlan): string {
  const tables = list.and ? [list, list.and] : [list];
  const [floor, from] = [1, 2].map((place) => `$${list.values.length + place}::uuid`) as [string, string]; // map keeps the length
  const walked = (bound: IdBound | null, limit: number): string =>
    tables
      .map(
        (walks) => `
    SELECT walked.id FROM ${walks.parts}
    CROSS JOIN LATERAL (${walk(walks, rangeOf(bound, floor, from), order)} LIMIT ${limit}) AS walked`,
      )
      .join(' UNION ALL ');
  const items = tables.map(
    ({ table, rows = table, columns }) => `SELECT ${columns} FROM ${rows} AS item WHERE item.id = found.id`,
  );
  return `
    SELECT page.*, beyond.is_behind
    FROM (SELECT ${behind ? `EXISTS (${walked(behind, 1)})` : 'false'} AS is_behind) AS beyond
    LEFT JOIN (
      SELECT item.*
      FROM (SELECT id FROM (${walked(ahead, count)}) AS walked ORDER BY id ${order} LIMIT ${count}) AS found
      CROSS JOIN LATERAL (${items.join(' UNION ALL ')} LIMIT 1) AS item
    ) AS page ON true
    ORDER BY page.id ${order}`;
}

type Range = readonly (readonly [sign: IdBound['sign'], id: string])[];

function rangeOf(bound: IdBound | null, floor: string, from: string): Range {
  const low = ['>=', floor] as const;
  const high = ['<=', HIGHEST] as const;
  if (bound === null) return [low, high];
  return bound.sign.startsWith('<') ? [low, [bound.sign, from]] : [low, [bound.sign, from], high];
}

/**
 * Compares whole rows, and sorts by all compared columns, so that the planner can use only the index with these keys.
 * With equalities, the planner would walk all ids and filter them if it expected many matching rows. Do not add another
 * index that begins with the same column, because the planner could use that one, too.
 */
function walk({ table, keys }: Walks, range: Range, order: 'ASC' | 'DESC'): string {
  const columns = [...Object.keys(keys), 'id'].map((column) => `item.${column}`);
  const bounds = range.map(
    ([sign, id]) => `(${columns.join(', ')}) ${sign} (${[...Object.values(keys), id].join(', ')})`,
  );
  return `
    SELECT item.id FROM ${table} AS item
    WHERE ${bounds.join(' AND ')}
    ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')}`;
}
