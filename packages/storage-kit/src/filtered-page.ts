import { ROWS_EXAMINED_MAX } from '@trunkline/core/spi/storage';
import type { Page, PageRequest } from '@trunkline/core/spi/storage';
import { planPage } from './page-plan.ts';
import type { IdBound, PagePlan } from './page-plan.ts';

/** The maximum number of ids in a step. For more ids, PostgreSQL may prefer another plan to a walk along the index. */
const STEP_MAX = 400;

/** A list of ids whose rows must be read to know which rows belong to the page. */
export interface FilteredList<Row> {
  /** Returns at most `count` ids: the first within the bound, in this order. */
  readonly ids: (
    bound: IdBound | null,
    order: PagePlan['order'],
    count: number,
  ) => Promise<readonly string[]> | readonly string[];
  /** Returns the rows of these ids that pass the filter, in any order. */
  readonly rows: (ids: readonly string[]) => Promise<readonly Row[]> | readonly Row[];
  readonly idOf: (row: Row) => string;
}

/**
 * Reads a page of a `FilteredList`. Examines at most `ROWS_EXAMINED_MAX` ids in each direction, in growing steps. If
 * the limit ends a page early, the page reports where it ended.
 */
export function readFilteredPage<Row>(request: PageRequest, list: FilteredList<Row>): Promise<Page<Row>> {
  return readFoundPage(request, (search) => searchList(list, search));
}

/** Makes a page of what searches find: one for the page, and one for rows behind it. */
export async function readFoundPage<Row>(
  request: PageRequest,
  search: (search: Search) => Promise<Found<Row>>,
): Promise<Page<Row>> {
  const { limit, from } = request;
  const { order, ahead, behind } = planPage(request);
  const found = await search({ bound: ahead, order, wanted: limit + 1 });
  const back = order === 'DESC' ? 'ASC' : 'DESC';
  const isAnyBehind = behind !== null && hasMore(await search({ bound: behind, order: back, wanted: 1 }), 0);
  const rows = found.rows.slice(0, limit);
  const stoppedAt = found.rows.length > limit ? null : found.stoppedAt;
  return from?.direction === 'newer'
    ? {
        rows: rows.toReversed(),
        hasOlder: isAnyBehind,
        hasNewer: hasMore(found, limit),
        ...(stoppedAt !== null && { newerFrom: stoppedAt }),
      }
    : {
        rows,
        hasOlder: hasMore(found, limit),
        hasNewer: isAnyBehind,
        ...(stoppedAt !== null && { olderFrom: stoppedAt }),
      };
}

/** A search for the first `wanted` rows within a bound, in this order. */
export interface Search {
  readonly bound: IdBound | null;
  readonly order: PagePlan['order'];
  readonly wanted: number;
}

export interface Found<Row> {
  /** The rows, in the order of the search. */
  readonly rows: readonly Row[];
  /** The id to continue from, if the search stopped before the end of the list without finding enough; otherwise null. */
  readonly stoppedAt: string | null;
}

function hasMore<Row>({ rows, stoppedAt }: Found<Row>, than: number): boolean {
  return rows.length > than || stoppedAt !== null;
}

async function searchList<Row>(
  list: FilteredList<Row>,
  { bound, order, wanted }: Search,
): Promise<Found<Row>> {
  let from = bound;
  let found: readonly Row[] = [];
  let examined = 0;
  let step = wanted;
  while (examined < ROWS_EXAMINED_MAX) {
    const count = Math.min(step, ROWS_EXAMINED_MAX - examined);
    const ids = await list.ids(from, order, count);
    const passing = new Map((await list.rows(ids)).map((row) => [list.idOf(row), row]));
    found = [...found, ...ids.flatMap((id) => passing.get(id) ?? [])];
    const last = ids.at(-1);
    if (found.length >= wanted || ids.length < count || last === undefined) {
      return { rows: found.slice(0, wanted), stoppedAt: null };
    }
    examined += ids.length;
    from = { sign: order === 'DESC' ? '<' : '>', id: last };
    step = Math.min(Math.max(step * 4, 100), STEP_MAX);
    if (examined >= ROWS_EXAMINED_MAX) return { rows: found, stoppedAt: last };
  }
  return { rows: found, stoppedAt: null };
}
