import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesWords, queryWords, searchWords } from './search-words.ts';
import type { SearchedTexts } from './search-words.ts';

const MESSAGE: SearchedTexts = {
  text: null,
  caption: null,
  filename: null,
  contact: null,
  groupName: null,
  from: null,
  to: null,
  direction: 'outbound',
};

/** Whether a query finds a message with this text. */
function finds(text: string, query: string): boolean {
  const words = queryWords(query);
  return words.length > 0 && matchesWords(searchWords({ ...MESSAGE, text }), words);
}

describe('the words of a query', () => {
  it.for([
    ['Your invoice is attached', 'invo', true],
    ['Your invoice is attached', 'ATTACHED your', true],
    ['Your invoice is attached', 'voice', false],
    ['Your invoice is attached', 'invoice order', false],
    ['Crème brûlée, señor', 'creme BRULEE senor', true],
    ['Creme brulee', 'crème brûlée', true],
    ['Die Straße', 'strasse', true],
    ['DIE STRASSE', 'straße', true],
    ['İstanbul', 'istanbul', true],
    ['Ελληνικός λόγος', 'ελληνικοσ λογοσ', true],
    ['Всё ещё йод', 'все еще иод', true],
    ['ｆｕｌｌ ｗｉｄｔｈ ﬁle', 'full width file', true],
    ['don’t stop', 'don t', true],
    ['report-2026_final.pdf', '2026 final pdf', true],
    ['今天天气很好', '天气', true],
    ['今天天气很好', '好', true],
    ['今天天气很好', '天好', false],
    ['ガギグ', 'ガギ', true],
    ['สวัสดีครับ', 'สวัสดี', true],
    ['한국어 문장', '한국', true],
    ['नमस्ते दुनिया', 'नमस्', true],
    ['Party 🎉 tonight', '🎉', true],
    ['Party 👍🏽', '👍', true],
    ['Party 🎉 tonight', '🎈', false],
    ['"AND" OR NOT * col:x', '"and" or (not*', true],
    ['a\0b', 'a b', true],
    ['a\uD800b', 'a b', true],
  ] as const)('"%s" is found by "%s": %s', ([text, query, isFound]) => {
    expect(finds(text, query)).toBe(isFound);
  });

  it.for(['', ' ', '\0', '"', "'; DROP TABLE messages; --"[1], '\uD800', '…!?'])(
    'are empty for %j',
    (query) => expect(queryWords(query ?? '')).toEqual([]),
  );

  it('are one number if the query is a formatted number with a plus', () => {
    expect(queryWords('+1 (555) 010-1234')).toEqual(['15550101234']);
    expect(queryWords('10 20')).toEqual(['10', '20']);
  });

  it('stay the same when they are taken again, and have no spaces', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (text) => {
      const words = queryWords(text);
      expect(queryWords(words.join(' '))).toEqual(words);
      expect(words.every((word) => !/\s/u.test(word) && word.isWellFormed())).toBe(true);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('find each message by all of its own text', () => {
    const property = fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      (text) => queryWords(text).length === 0 || finds(text, text),
    );
    fc.assert(property, { numRuns: 100 });
  });
});

describe('the words of a message', () => {
  it('are those of its number, its names, its file and its text', () => {
    const contact = { name: 'Ada Lovelace', phoneNumber: '15550111' };
    const names = { contact, groupName: 'Chess club', filename: 'plan.pdf' };
    expect(searchWords({ ...MESSAGE, ...names, caption: 'See page 3', to: '15550112' })).toEqual([
      '15550112',
      '15550111',
      'ada',
      'lovelace',
      'chess',
      'club',
      'plan',
      'pdf',
      'see',
      'page',
      '3',
    ]);
  });

  it('have a limit in number and in length, whatever the text', () => {
    const long = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ');
    expect(searchWords({ ...MESSAGE, text: long })).toHaveLength(1_000);
    expect(searchWords({ ...MESSAGE, text: 'x'.repeat(100_000) })).toEqual(['x'.repeat(40)]);
    expect(finds('x'.repeat(100_000), 'x'.repeat(60))).toBe(true);
  });
});
