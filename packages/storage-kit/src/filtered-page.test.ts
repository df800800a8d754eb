import { expect, it } from 'vitest';
import { ROWS_EXAMINED_MAX } from '@trunkline/core/spi/storage';
import type { PageRequest } from '@trunkline/core/spi/storage';
import { readFilteredPage } from './filtered-page.ts';
import type { FilteredList } from './filtered-page.ts';
import { mergeIds } from './unfiled-messages.ts';

interface Row {
  readonly id: string;
}

/** A list of `size` ids, starting with `00001`, filtered by their numbers. */
function listOf(size: number, passes: (row: number) => boolean): FilteredList<Row> & { examined: number } {
  const ids = Array.from({ length: size }, (_, index) => String(index + 1).padStart(5, '0'));
  const list = {
    examined: 0,
    ids: (...[bound, order, count]: Parameters<FilteredList<Row>['ids']>) =>
      mergeIds([], ids, { bound, order, count }),
    rows: (asked: readonly string[]) => {
      list.examined += asked.length;
      return asked.filter((id) => passes(Number(id))).map((id) => ({ id }));
    },
    idOf: ({ id }: Row) => id,
  };
  return list;
}

const FIRST: PageRequest = { from: null, limit: 2 };

it('a filtered page finds rare rows, wherever they are', async () => {
  const list = listOf(1_000, (row) => row % 400 === 0);
  expect(await readFilteredPage(FIRST, list)).toEqual({
    rows: [{ id: '00800' }, { id: '00400' }],
    hasOlder: false,
    hasNewer: false,
  });
});

it('a filtered page stops after a number of rows, says where, and continues from there', async () => {
  const list = listOf(5_000, (row) => row === 1 || row === 4_999);
  const first = await readFilteredPage(FIRST, list);
  expect(list.examined).toBe(ROWS_EXAMINED_MAX);
  expect(first).toEqual({ rows: [{ id: '04999' }], hasOlder: true, hasNewer: false, olderFrom: '03001' });
  const second = await readFilteredPage({ from: { direction: 'older', id: '03001' }, limit: 2 }, list);
  expect(second).toEqual({ rows: [], hasOlder: true, hasNewer: true, olderFrom: '01001' });
  const third = await readFilteredPage({ from: { direction: 'older', id: '01001' }, limit: 2 }, list);
  expect(third).toMatchObject({ rows: [{ id: '00001' }], hasOlder: false });
});

it('a filtered page stops on the way to newer rows, too', async () => {
  const list = listOf(5_000, (row) => row === 1 || row === 4_999);
  const page = await readFilteredPage({ from: { direction: 'newer', id: '00001' }, limit: 2 }, list);
  expect(page).toEqual({ rows: [], hasOlder: true, hasNewer: true, newerFrom: '02001' });
});
