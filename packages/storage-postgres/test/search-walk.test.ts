import fc from 'fast-check';
import { expect, it } from 'vitest';
import { floorId } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { storedWords, walkByToken } from '@trunkline/storage-kit';
import type { SearchWindow, TokenIndex, WindowWalk } from '@trunkline/storage-kit';
import { createPrepare, statementsOn } from '../src/database/statements.ts';
import type { Statements } from '../src/database/statements.ts';
import { uuidOf } from '../src/rows/uuid.ts';
import { walkWindows } from '../src/messages/search-walk.ts';
import { openStorage, temporarySchema } from './support/open-storage.ts';

/** Each letter is a word, and its own token. The first window has two entries, and so on. */
const ENTRIES = [
  'ab',
  'b',
  'a',
  'b',
  'c',
  'c',
  'abc',
  'c',
  'a',
  'b',
  '',
  'bc',
  'ab',
  'ab',
  'c',
  'ab',
  'b',
  'a',
];
const WINDOW = 2;

it('a walk in one statement finds the windows and the entries that one by one are found', async () => {
  const { statements, workspace, numbers } = await anIndex();
  const property = fc.asyncProperty(
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('ASC' as const, 'DESC' as const),
    fc.constantFrom(...numbers),
    fc.option(fc.nat({ max: ENTRIES.length })),
    fc.record({
      windows: fc.integer({ min: 1, max: 5 }),
      sought: fc.nat({ max: 8 }),
      count: fc.constantFrom(1, 2),
    }),
    fc.boolean(),
    async (words, order, from, place, limits, isIncluded) => {
      const sign = `${order === 'DESC' ? '<' : '>'}${isIncluded ? '=' : ''}` as const;
      const bound = place === null ? null : { sign, id: idAt(place) };
      const walk: WindowWalk = { from, order, bound, ...limits };
      const walked = await walkWindows(statements, { workspace, words, tokens: words }, walk);
      const expected = walkByToken(inMemory(numbers, words), words, walk);
      // How many were sought does not matter at the end.
      expect(walked).toEqual(expected.next === null ? { ...expected, sought: walked.sought } : expected);
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

const idAt = (index: number): string => floorId('msg', 1_000 + index);

/** An index in the database. Returns the numbers of its windows. */
async function anIndex(): Promise<{ statements: Statements; workspace: number; numbers: readonly number[] }> {
  const schema = await temporarySchema();
  await openStorage(schema, { notifications: false });
  const options = { schema: schema.name, preparedStatements: true, timeoutMs: 60_000 };
  const statements = statementsOn(schema.pool, createPrepare(options));
  const workspace = 7;
  const numbers: number[] = [];
  for (const [index, { after, last, letters }] of windowsInOrder().entries()) {
    const row = await statements.get(
      'INSERT INTO trunkline.search_windows (workspace, after_id, last_id) VALUES ($1, $2, $3) RETURNING number',
      workspace,
      after === null ? null : uuidOf('msg', after),
      uuidOf('msg', last),
    );
    numbers.push(Number(must(row)['number']));
    await statements.run(
      'INSERT INTO trunkline.search_tokens SELECT $1, token, $2 FROM unnest($3::text[]) AS token',
      workspace,
      must(numbers[index]),
      [...letters],
    );
  }
  for (const [index, letters] of ENTRIES.entries())
    await statements.insert('trunkline.search_entries', {
      workspace,
      id: uuidOf('msg', idAt(index)),
      words: storedWords([...letters]),
    });
  return { statements, workspace, numbers };
}

function windowsInOrder(): readonly (Omit<SearchWindow, 'number'> & {
  readonly letters: ReadonlySet<string>;
})[] {
  return Array.from({ length: ENTRIES.length / WINDOW }, (_, index) => ({
    after: index === 0 ? null : idAt(WINDOW * index - 1),
    last: idAt(WINDOW * index + WINDOW - 1),
    letters: new Set(ENTRIES.slice(WINDOW * index, WINDOW * index + WINDOW).join('')),
  }));
}

/** The same index. */
function inMemory(numbers: readonly number[], words: readonly string[]): TokenIndex {
  const windows = windowsInOrder().map((window, index) => ({ ...window, number: must(numbers[index]) }));
  return {
    windowWith(token, from, order) {
      const having = windows.filter(({ letters }) => letters.has(token));
      const found =
        order === 'DESC'
          ? having.findLast(({ number }) => number <= from)
          : having.find(({ number }) => number >= from);
      return found ? { number: found.number, after: found.after, last: found.last } : null;
    },
    entries({ after, last, bound }, order, count) {
      const ids = ENTRIES.flatMap((letters, index) =>
        words.every((word) => letters.includes(word)) ? [idAt(index)] : [],
      ).filter(
        (id) =>
          (after === null || id > after) && (last === null || id <= last) && (!bound || isWithin(id, bound)),
      );
      return (order === 'ASC' ? ids : ids.toReversed()).slice(0, count);
    },
  };
}

function isWithin(id: string, { sign, id: other }: NonNullable<WindowWalk['bound']>): boolean {
  if (id === other) return sign.endsWith('=');
  return id < other === sign.startsWith('<');
}
