import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mediaFilename } from './media-filename.ts';

const fallback = { type: 'image', messageId: 'msg_01jgfjjv00fsnvdjzy0jcm5xh8', extension: 'png' } as const;
const named = (given: string | null): string => mediaFilename(given, fallback);
const bytes = (text: string): number => Buffer.byteLength(text);

describe('the name of a file', () => {
  it.each([
    ['holiday.png', 'holiday.png'],
    ['Grüße – 文档 👋.pdf', 'Grüße – 文档 👋.pdf'],
    ['/etc/passwd', 'passwd'],
    ['../../a.txt', 'a.txt'],
    ['C:\\fakepath\\me.jpg', 'me.jpg'],
    ['a\u0000b\r\nc\u007f.txt', 'abc.txt'],
    ['  spaced.txt ', 'spaced.txt'],
    ['.profile', '.profile'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['lone \ud800.txt', 'lone \ufffd.txt'],
  ])('%j is kept as %j', (given, kept) => {
    expect(named(given)).toBe(kept);
  });

  it.each([null, '', ' ', '.', '..', '...', 'a/', '/', '\\', '\r\n', '\u202e'])(
    'is made up for %j',
    (given) => {
      expect(named(given)).toBe('image-cm5xh8.png');
    },
  );

  it('is cut to 255 bytes between characters, before its extension', () => {
    expect(named(`${'x'.repeat(300)}.jpeg`)).toBe(`${'x'.repeat(250)}.jpeg`);
    expect(named(`${'é'.repeat(300)}.jpeg`)).toBe(`${'é'.repeat(125)}.jpeg`);
    expect(named(`${'👋'.repeat(300)}`)).toBe('👋'.repeat(63));
    // A longer suffix is not an extension.
    expect(named(`a.${'x'.repeat(300)}`)).toBe(`a.${'x'.repeat(253)}`);
  });

  it('takes no time to speak of, however long it is', () => {
    // Work of quadratic time would exceed the time limit of a test.
    expect(bytes(named('👋'.repeat(1_000_000)))).toBeLessThanOrEqual(255);
  });

  it('is never empty, a path, out of control or longer than 255 bytes, whatever is given', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom('/', '\\', '.', '..', '\0', '\r', '\n', '\u202e', '\u2028', '👋', '\ud800', ' '),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 400,
    });
    fc.assert(
      fc.property(hostile, (given) => {
        const name = named(given);
        expect(name).not.toMatch(/[/\\\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        expect(name).not.toMatch(/^\.*$/);
        expect(name.isWellFormed()).toBe(true);
        expect(bytes(name)).toBeLessThanOrEqual(255);
        expect(named(name)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });
});
