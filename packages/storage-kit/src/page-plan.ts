import type { Page, PageRequest } from '@trunkline/core/spi/storage';

/** All ids on one side of an id, compared as text or as uuids. */
export interface IdBound {
  readonly sign: '<' | '<=' | '>' | '>=';
  readonly id: string;
}

/** The rows to read for a page, as `planPage` decides. */
export interface PagePlan {
  /** The order of ids in which the rows are read. */
  readonly order: 'ASC' | 'DESC';
  /** The bound on the ids of the rows to read; null for no bound. */
  readonly ahead: IdBound | null;
  /** How many rows to read: one more than the page holds, to show whether the list continues. */
  readonly count: number;
  /** Any row within this bound shows that the list also continues behind the page; null on the first page. */
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

/** Makes a page from the rows that its plan reads, in the plan's order, and from whether any row is behind the page. */
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

export function isWithin(id: string, bound: IdBound | null): boolean {
  if (bound === null) return true;
  if (id === bound.id) return bound.sign.endsWith('=');
  return bound.sign.startsWith('<') ? id < bound.id : id > bound.id;
}
