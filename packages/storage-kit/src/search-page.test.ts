import fc from 'fast-check';
import { expect, it } from 'vitest';
import { floorId } from '@trunkline/core/spi/storage';
import type { Message, PageRequest } from '@trunkline/core/spi/storage';
import { isWithin } from './page-plan.ts';
import { changedTokens, storedWords, tokenOf, tokensOf } from './search-index.ts';
import type { SearchWindow } from './search-index.ts';
import { readSearchPage, walkByToken } from './search-page.ts';
import type { SearchIndex, TokenIndex } from './search-page.ts';

interface Entry {
  readonly id: string;
  readonly words: readonly string[];
  /** Whether the message passes the filter. */
  readonly passes: boolean;
}

/** An index in memory, with windows of `size` entries, of which `left` at the end are in no window. */
function indexOf(entries: readonly Entry[], words: readonly string[], { size = 3, left = 2 } = {}) {
  const inWindows = entries.slice(0, Math.max(0, entries.length - left));
  const windows: (SearchWindow & { readonly tokens: readonly string[] })[] = [];
  for (let from = 0; from < inWindows.length; from += size) {
    const own = inWindows.slice(from, from + size);
    windows.push({
      number: windows.length * 10,
      after: windows.at(-1)?.last ?? null,
      last: own.at(-1)?.id ?? '',
      tokens: tokensOf(own.map((entry) => storedWords(entry.words))),
    });
  }
  const cost = { entries: 0, messages: 0, looks: 0 };
  const entriesIn: TokenIndex['entries'] = ({ after, last, bound }, order, count) => {
    const inRange = entries.filter(
      ({ id }) => (after === null || id > after) && (last === null || id <= last) && isWithin(id, bound),
    );
    cost.entries += inRange.length;
    const matching = inRange.filter((entry) =>
      words.every((word) => storedWords(entry.words).includes(` ${word}`)),
    );
    return (order === 'ASC' ? matching : matching.toReversed()).slice(0, count).map(({ id }) => id);
  };
  const index = {
    edges: (id: string | null) => ({
      newest: windows.at(-1) ?? null,
      begin: windows.find(({ last }) => id !== null && last >= id) ?? null,
    }),
    walk: (tokens, walk) => {
      const windowWith = (token: string, from: number): SearchWindow | null => {
        cost.looks += 1;
        const having = windows.filter((window) => window.tokens.includes(token));
        return walk.order === 'DESC'
          ? (having.findLast(({ number }) => number <= from) ?? null)
          : (having.find(({ number }) => number >= from) ?? null);
      };
      return walkByToken({ windowWith, entries: entriesIn }, tokens, walk);
    },
    entries: entriesIn,
    messages: (ids) => {
      cost.messages += ids.length;
      return entries
        .filter(({ id, passes }) => passes && ids.includes(id))
        .map(({ id }) => ({ id }) as Message); // no other field is read
    },
  } satisfies SearchIndex;
  return { index, cost };
}

const idAt = (index: number): string => floorId('msg', 1_000 + index);
const word = fc.constantFrom('a', 'ab', 'abc', 'abcdefgh', 'b', 'bc');

it('a search finds what a plain filter finds, in every page and direction', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.record({ words: fc.array(word, { maxLength: 3 }), passes: fc.boolean() }), { maxLength: 20 }),
    fc.array(word, { minLength: 1, maxLength: 3 }),
    fc.record({ size: fc.integer({ min: 1, max: 4 }), left: fc.nat({ max: 4 }) }),
    fc.constantFrom('older' as const, 'newer' as const),
    fc.nat({ max: 21 }),
    async (drawn, words, how, direction, start) => {
      const entries = drawn.map((one, index) => ({ ...one, id: idAt(index) }));
      const { index } = indexOf(entries, words, how);
      const all = entries
        .filter(
          (entry) => entry.passes && words.every((asked) => entry.words.some((own) => own.startsWith(asked))),
        )
        .map(({ id }) => id)
        .toReversed();
      const from = { direction, id: idAt(start) };
      const isAhead = (id: string): boolean => (direction === 'older' ? id < from.id : id > from.id);
      const ahead = all.filter(isAhead);
      const page = await readSearchPage({ from, limit: 2 }, words, index);
      expect(page.rows.map(({ id }) => id)).toEqual(
        direction === 'older' ? ahead.slice(0, 2) : ahead.slice(-2),
      );
      const [more, behind] = [ahead.length > 2, ahead.length < all.length];
      expect(page).toMatchObject(
        direction === 'older' ? { hasOlder: more, hasNewer: behind } : { hasOlder: behind, hasNewer: more },
      );
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

it.each(['older', 'newer'] as const)(
  'a search for two words that never meet ends each page (%s) after a bounded number of rows',
  async (direction) => {
    const words = ['even', 'odd'];
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      id: idAt(index),
      words: index === 500 || index === 919 ? words : [index % 2 === 0 ? 'even' : 'odd'],
      passes: true,
    }));
    let from: PageRequest['from'] = { direction, id: idAt(direction === 'older' ? 2_000 : 0) };
    const found: string[] = [];
    for (let pages = 1; from !== null; pages += 1) {
      const { index, cost } = indexOf(entries, words, { size: 4, left: 0 });
      const page = await readSearchPage({ from, limit: 10 }, words, index);
      expect(cost.entries).toBeLessThanOrEqual(2 * 22 * 4);
      expect(pages).toBeLessThan(20);
      found.push(...page.rows.map(({ id }) => id));
      const id = direction === 'older' ? page.olderFrom : page.newerFrom;
      from = id === undefined ? null : { direction, id };
    }
    // The first page towards older messages ends right before the window whose last message is the 919th.
    expect(found).toEqual(direction === 'older' ? [idAt(919), idAt(500)] : [idAt(500), idAt(919)]);
  },
);

it('a search for words that share no window ends each page after a bounded number of looks', async () => {
  const entries = Array.from({ length: 1_500 }, (_, index) => ({
    id: idAt(index),
    words: [index % 2 === 0 ? 'even' : 'odd'],
    passes: true,
  }));
  const words = ['even', 'odd'];
  const { index, cost } = indexOf(entries, words, { size: 1, left: 0 });
  const page = await readSearchPage({ from: null, limit: 10 }, words, index);
  expect(page).toMatchObject({ rows: [], hasOlder: true, olderFrom: expect.any(String) });
  expect(cost).toMatchObject({ looks: 2 * 201, messages: 0 });
});

it('a search whose filter hides what it finds ends a page after 2,000 messages', async () => {
  const entries = Array.from({ length: 4_000 }, (_, index) => ({
    id: idAt(index),
    words: ['a'],
    passes: index === 0,
  }));
  const { index, cost } = indexOf(entries, ['a'], { size: 500 });
  const page = await readSearchPage({ from: null, limit: 10 }, ['a'], index);
  expect(page).toMatchObject({ rows: [], hasOlder: true, olderFrom: idAt(2_000) });
  expect(cost.messages).toBe(2_000);
});

it('tokens are the beginnings of words, and change only if no other entry has them', () => {
  expect(tokensOf([' abcdef ab', ' x'])).toEqual(['a', 'ab', 'abcd', 'x']);
  expect(['a', 'abc', 'abcde', '天气'].map(tokenOf)).toEqual(['a', 'ab', 'abcd', '天气']);
  expect(changedTokens([' abcd x'], [' ab'])).toEqual({ added: ['a', 'ab'], removed: ['abcd', 'x'] });
});
