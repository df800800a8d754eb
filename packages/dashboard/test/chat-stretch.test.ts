import { describe, expect, it } from 'vitest';
import { STRETCH_MAX, stretchesOf } from '../app/src/pages/chats/stretch.ts';
import type { ReadPage, Stretch } from '../app/src/pages/chats/stretch.ts';

interface Row {
  readonly name: string;
  readonly at: string;
}

const PAGE = 50;
const { begin, cut, reaches, withCreated, withNewer, withNewest, withOlder } = stretchesOf<Row>({
  at: ({ at }) => at,
  key: ({ name }) => name,
});

const rowOf = (number: number, name = `row ${number}`): Row => ({
  name,
  at: String(number).padStart(5, '0'),
});

/** The rows from `from` down to `to`, newest first, with the cursors of the pages next to them. */
const read = (from: number, to: number, { newest = from, oldest = 1 } = {}): ReadPage<Row> => ({
  rows: Array.from({ length: from - to + 1 }, (_, index) => rowOf(from - index)),
  newer: from < newest ? `newer than ${from}` : null,
  older: to > oldest ? `older than ${to}` : null,
});

const numbers = ({ rows }: ReadPage<Row>): number[] => rows.map(({ at }) => Number(at));
const ends = (stretch: Stretch<Row>): (number | undefined)[] => [
  numbers(stretch)[0],
  numbers(stretch).at(-1),
];

const KNOWN = begin(read(20, 11));

/** Goes from the newest of 1,000 rows to older ones, page by page. */
function goneBack(pages: number): Stretch<Row> {
  let stretch = begin(read(1_000, 951));
  for (let page = 1; page <= pages; page++) {
    const from = 1_000 - page * PAGE;
    stretch = withOlder(stretch, read(from, from - PAGE + 1, { newest: 1_000 }));
  }
  return stretch;
}

describe('a stretch of a long list', () => {
  it('begins with the newest rows', () => {
    expect(begin(read(5, 1))).toMatchObject({ newest: '00005', newer: null, older: null });
    expect(withNewest(read(5, 1), undefined)).toEqual(begin(read(5, 1)));
  });

  it('keeps rows further down than a new read of its beginning', () => {
    const next = withNewest(read(22, 16), KNOWN);
    expect(numbers(next)).toEqual(numbers(read(22, 11)));
    expect(next.older).toBe('older than 11');
  });

  it('does not grow towards older rows on its own', () => {
    const next = withNewest(read(22, 1), KNOWN);
    expect(ends(next)).toEqual([22, 11]);
    expect(next.older).toBe('older than 11');
  });

  it('starts over if there would be a gap', () => {
    const fresh = read(99, 90);
    expect(reaches(fresh, KNOWN)).toBe(false);
    expect(withNewest(fresh, KNOWN)).toEqual(begin(fresh));
  });

  it('loses deleted rows', () => {
    const known = begin(read(20, 1));
    const next = withNewest({ ...read(20, 15), older: null }, known);
    expect(ends(next)).toEqual([20, 15]);
    expect(next.older).toBeNull();
  });

  it('shows a row once that has moved to the top', () => {
    const moved = rowOf(21, 'row 12');
    const next = withNewest({ rows: [moved, ...read(20, 16).rows], newer: null, older: 'x' }, KNOWN);
    expect(next.rows.filter(({ name }) => name === 'row 12')).toEqual([moved]);
    expect(numbers(next)).toEqual([21, 20, 19, 18, 17, 16, 15, 14, 13, 11]);
  });

  it('grows by older rows without duplicates', () => {
    const next = withOlder(KNOWN, read(12, 1));
    expect(numbers(next)).toEqual(numbers(read(20, 1)));
    expect(next.older).toBeNull();
  });

  it('loses its newest rows when it becomes too long, and gets them back', () => {
    const back = goneBack(8);
    expect(back.rows.length).toBeLessThanOrEqual(STRETCH_MAX);
    expect(ends(back)).toEqual([850, 551]);
    expect(back.newer).toBe('newer than 850');
    expect(back.newest).toBe('01000');
    const forth = withNewer(back, read(900, 851, { newest: 1_000 }));
    expect(forth.rows.length).toBeLessThanOrEqual(STRETCH_MAX);
    expect(ends(forth)).toEqual([900, 601]);
    expect([forth.newer, forth.older]).toEqual(['newer than 900', 'older than 601']);
    expect(numbers(withOlder(forth, read(600, 551, { newest: 1_000 }))).at(-1)).toBe(551);
  });

  it('keeps its rows while its newest ones are cut off, and knows of newer ones', () => {
    const back = goneBack(8);
    expect(reaches(read(1_050, 1_001), back)).toBe(true);
    const next = withNewest(read(1_050, 1_001), back);
    expect(next).toEqual({ ...back, newest: '01050' });
    expect(withNewest(read(1_050, 1_001), next)).toBe(next);
  });

  it('is cut at its oldest end on request, if it is too long', () => {
    let long = begin(read(1_000, 951));
    for (let newest = 1_001; newest <= 1_400; newest += 40)
      long = withNewest(read(newest + 39, newest - 10), long);
    expect(long.rows.length).toBeGreaterThan(STRETCH_MAX);
    const short = cut(long);
    expect(ends(short)).toEqual([1_400, 1_351]);
    expect(short.older).toBe('older than 1351');
    expect(cut(short)).toBe(short);
  });

  it('has a created row at its beginning, once, unless that is cut off', () => {
    const created = withCreated(KNOWN, rowOf(21));
    expect(numbers(created)[0]).toBe(21);
    expect(withCreated(created, rowOf(21))).toBe(created);
    const back = goneBack(8);
    expect(withCreated(back, rowOf(1_001))).toBe(back);
  });
});
