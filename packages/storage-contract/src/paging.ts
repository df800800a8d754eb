import fc from 'fast-check';
import { expect } from 'vitest';
import type { Page, PageRequest } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';

interface Row {
  readonly id: string;
}

/** The expected page, by the definition of `Page`. */
export function expectedPage<Value extends Row>(
  rows: readonly Value[],
  { from, limit }: PageRequest,
): Page<Value> {
  const list = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const newer =
    from === null ? [] : list.filter(({ id }) => (from.direction === 'older' ? id >= from.id : id > from.id));
  const start = from?.direction === 'newer' ? Math.max(0, newer.length - limit) : newer.length;
  const end = from?.direction === 'newer' ? newer.length : start + limit;
  return { rows: list.slice(start, end), hasOlder: end < list.length, hasNewer: start > 0 };
}

/** Requests for the first page, or for a page from any row, even from a row that a filter hides. */
export const pageRequests: fc.Arbitrary<(ids: readonly string[]) => PageRequest> = fc
  .record({
    limit: fc.integer({ min: 1, max: 8 }),
    direction: fc.constantFrom('older' as const, 'newer' as const),
    start: fc.option(fc.nat({ max: 25 })),
  })
  .map(({ limit, direction, start }) => (ids) => {
    if (start === null || ids.length === 0) return { from: null, limit };
    return { from: { direction, id: must(ids[start % ids.length]) }, limit };
  });

/** Reads page by page from one end of a list to the other, and returns all rows, newest first. */
export async function walk<Value extends Row>(
  direction: 'older' | 'newer',
  limit: number,
  list: (page: PageRequest) => Promise<Page<Value>>,
  { between }: { readonly between: () => Promise<void> },
): Promise<readonly Value[]> {
  const everything = await list({ from: null, limit: 1000 });
  const oldest = everything.rows.at(-1);
  let page = await list({ from: null, limit });
  if (direction === 'newer') {
    if (oldest === undefined) return [];
    page = { rows: [oldest], hasOlder: false, hasNewer: everything.rows.length > 1 };
  }
  let seen = page.rows;
  while (direction === 'older' ? page.hasOlder : page.hasNewer) {
    await between();
    const edge = must(direction === 'older' ? page.rows.at(-1) : page.rows[0]);
    page = await list({ from: { direction, id: edge.id }, limit });
    expect(page.rows.length).toBeGreaterThan(0);
    seen = direction === 'older' ? [...seen, ...page.rows] : [...page.rows, ...seen];
  }
  return seen;
}
