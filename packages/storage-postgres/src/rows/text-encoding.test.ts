import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText } from './text-encoding.ts';

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\0', '\u0001', '\u0002', 'a', 'b', 'c', '\ud800', '\udfff', '😀', '\\', '\uffff'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

describe('a text', () => {
  it.each(['', 'Grüße 👋', 'a\\u0000', '\u0002\ufffd', '\ue000'])('%j is stored unchanged', (text) => {
    expect(encodeText(text)).toBe(text);
  });

  it.each(['\0', '\u0001', '\u0001a', 'a\0b\u0001c', '\ud83d', '\ude00\ud83d', '\ud83d\0\ude00'])(
    '%j is stored in a form that Postgres accepts, and read back unchanged',
    (text) => {
      const stored = encodeText(text);
      expect(stored.isWellFormed()).toBe(true);
      expect(stored).not.toContain('\0');
      expect(decodeText(stored)).toBe(text);
    },
  );

  it('round-trips, whatever its characters', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const stored = encodeText(text);
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
        expect(decodeText(stored)).toBe(text);
      }),
    );
  });

  it('keeps its place among others', () => {
    const wellFormed = nasty.filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(Math.sign(compare(encodeText(a), encodeText(b)))).toBe(Math.sign(compare(a, b)));
      }),
    );
  });
});

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
