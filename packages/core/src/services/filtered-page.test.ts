import { describe, expect, it } from 'vitest';
import { ROWS_EXAMINED_MAX } from '../ports/storage/page.ts';
import type { Page, PageRequest } from '../ports/storage/page.ts';
import { filteredPage } from './filtered-page.ts';

interface Row {
  readonly id: string;
}

/** A list of this length, newest first: the row at `index` has the id `idAt(index)`. */
function listOf(length: number): (request: PageRequest) => Promise<Page<Row>> {
  const ids = Array.from({ length }, (_, index) => idAt(index));
  return async ({ from, limit }) => {
    const at = from === null ? -1 : ids.indexOf(from.id);
    const [first, end] =
      from?.direction === 'newer' ? [Math.max(0, at - limit), at] : [at + 1, at + 1 + limit];
    const rows = ids.slice(first, end).map((id) => ({ id }));
    return { rows, hasNewer: first > 0, hasOlder: end < length };
  };
}

const idAt = (index: number): string => String(9_999 - index);
const passes = ({ id }: Row): boolean => id.endsWith('0');

describe('A page of rows that pass a filter', () => {
  it('is full if enough rows pass, and says whether others follow', async () => {
    const find = listOf(100);
    const first = await filteredPage({ from: null, limit: 4 }, passes, find);
    expect(first).toEqual({
      rows: [{ id: '9990' }, { id: '9980' }, { id: '9970' }, { id: '9960' }],
      hasNewer: false,
      hasOlder: true,
    });
    const last = await filteredPage({ from: { direction: 'older', id: '9940' }, limit: 4 }, passes, find);
    expect(last).toEqual({
      rows: [{ id: '9930' }, { id: '9920' }, { id: '9910' }, { id: '9900' }],
      hasNewer: true,
      hasOlder: false,
    });
  });

  it('has the rows next to where it begins on the way back, newest first', async () => {
    const back = await filteredPage(
      { from: { direction: 'newer', id: '9930' }, limit: 2 },
      passes,
      listOf(100),
    );
    expect(back).toEqual({ rows: [{ id: '9950' }, { id: '9940' }], hasNewer: true, hasOlder: true });
    const start = await filteredPage(
      { from: { direction: 'newer', id: '9970' }, limit: 5 },
      passes,
      listOf(100),
    );
    expect(start).toEqual({ rows: [{ id: '9990' }, { id: '9980' }], hasNewer: false, hasOlder: true });
  });

  it('stops if too many rows do not pass, and says where to continue', async () => {
    const seen: number[] = [];
    const find = listOf(9_000);
    const page = await filteredPage<Row>(
      { from: null, limit: 10 },
      () => false,
      async (request) => {
        const part = await find(request);
        seen.push(part.rows.length);
        return part;
      },
    );
    const examined = seen.reduce((sum, rows) => sum + rows, 0);
    expect(examined).toBeLessThan(ROWS_EXAMINED_MAX + 20);
    expect(page).toEqual({ rows: [], hasNewer: false, hasOlder: true, olderFrom: idAt(examined - 1) });
  });
});

it('a filtered page ends where a storage has stopped early, and continues from there', async () => {
  const asked: PageRequest[] = [];
  const page = await filteredPage<{ readonly id: string }>(
    { from: null, limit: 5 },
    () => true,
    async (request) => {
      asked.push(request);
      return { rows: [], hasOlder: true, hasNewer: false, olderFrom: 'b' };
    },
  );
  expect(page).toEqual({ rows: [], hasOlder: true, hasNewer: false, olderFrom: 'b' });
  expect(asked).toHaveLength(1);
});
