import type { Page, PageRequest } from '@trunkline/core/spi/storage';

/** Ids on one side of another one. They compare as text, and as uuids. */
export interface IdBound {
  readonly sign: '<' | '<=' | '>' | '>=';
  readonly id: string;
}

/** How to read a page. */
export interface PagePlan {
  /** The order of the ids in which the rows are read. */
  readonly order: 'ASC' | 'DESC';
  /** The bound on the ids of the rows that are read; null for none. */
  readonly ahead: IdBound | null;
  /** How many rows to read: one more than the page takes, which shows whether the list continues. */
  readonly count: number;
  /** The bound within which one row shows that the list continues behind the page; null on the first page. */
  readonly behind: IdBound | null;
}

export function planPage({ from, limit }: PageRequest): PagePlan {
  const count = limit + 1;
  if (from === null) return { order: 'DESC', ahead: null, count, behind: null };
  const { id, direction } = from;
  return direction === 'older'
    ? { order: 'DESC', ahead: { sign: '<', id }, count, behind: { sign: '>=', id } }
    : { order: 'ASC', ahead: { sign: '>', id }, count, behind: { sign: '<=', id } };
}

/** The page, from rows that were read by the plan, in its order, and from whether anything is behind it. */
export function pageOf<Row>(
  { from, limit }: PageRequest,
  read: readonly Row[],
  isAnyBehind: boolean,
): Page<Row> {
  const rows = read.slice(0, limit);
  const goesOn = read.length > limit;
  return from?.direction === 'newer'
    ? { rows: rows.toReversed(), hasOlder: isAnyBehind, hasNewer: goesOn }
    : { rows, hasOlder: goesOn, hasNewer: isAnyBehind };
}
