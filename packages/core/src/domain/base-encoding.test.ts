import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../testing/seeded-random.ts';
import { base62, base64url, fromBase64url, fromHex, hex, randomBase62 } from './base-encoding.ts';

describe('base64url', () => {
  it('is what Buffer makes, there and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = base64url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect(fromBase64url(text)).toEqual(bytes);
      }),
    );
  });

  it.each(['a', 'ab=', 'ab==', 'a+b/', 'YW Jj', 'YWJj\n', 'é'])('refuses to read %j', (text) => {
    expect(() => fromBase64url(text)).toThrow();
  });
});

describe('hex', () => {
  it('is what Buffer makes, there and back, in either case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = hex(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('hex'));
        expect(fromHex(text)).toEqual(bytes);
        expect(fromHex(text.toUpperCase())).toEqual(bytes);
      }),
    );
  });
});

describe('base62', () => {
  it.each([
    [0, 1, '0'],
    [61, 1, 'z'],
    [62, 2, '10'],
    [0xffffffff, 6, '4gfFC3'],
    [7, 6, '000007'],
  ])('writes %d in %d characters as %s', (value, length, text) => {
    expect(base62(value, length)).toBe(text);
  });

  it('sorts as text in the order of the numbers', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        expect(base62(a, 6) < base62(b, 6)).toBe(a < b);
      }),
    );
  });
});

describe('randomBase62', () => {
  it('discards bytes that would make some characters more likely', () => {
    const bytes = [248, 255, 0, 61, 62, 247];
    const source = (length: number) => Uint8Array.from(bytes.splice(0, length));
    expect(randomBase62(4, source)).toBe('0z0z');
  });

  it('has the length that is asked for', () => {
    const random = seededRandom();
    for (let length = 0; length < 100; length++) {
      expect(randomBase62(length, random.bytes)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    }
  });
});
