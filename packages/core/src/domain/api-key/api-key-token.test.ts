import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/seeded-random.ts';
import { isApiKeyToken, isInstallableToken, newApiKeyToken } from './api-key-token.ts';

const token = fc.integer().map((seed) => newApiKeyToken(seededRandom(seed).bytes));
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.split('');

describe('a key of ours', () => {
  it('is trk_ and 40 base62 characters', () => {
    fc.assert(
      fc.property(token, (text) => {
        expect(text).toMatch(/^trk_[0-9A-Za-z]{40}$/);
        expect(isApiKeyToken(text)).toBe(true);
      }),
    );
  });

  it('does not repeat', () => {
    const random = seededRandom();
    const tokens = Array.from({ length: 1_000 }, () => newApiKeyToken(random.bytes));
    expect(new Set(tokens).size).toBe(1_000);
  });

  it('is refused with any one character mistyped', () => {
    fc.assert(
      fc.property(token, fc.integer({ min: 4, max: 43 }), fc.constantFrom(...BASE62), (text, at, typed) => {
        fc.pre(text[at] !== typed);
        expect(isApiKeyToken(text.slice(0, at) + typed + text.slice(at + 1))).toBe(false);
      }),
    );
  });

  it('is refused with two neighbours swapped', () => {
    fc.assert(
      fc.property(token, fc.integer({ min: 4, max: 42 }), (text, at) => {
        fc.pre(text[at] !== text[at + 1]);
        const swapped = `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
        expect(isApiKeyToken(swapped)).toBe(false);
      }),
    );
  });

  it('is refused with a character missing or one too many', () => {
    fc.assert(
      fc.property(token, (text) => {
        expect(isApiKeyToken(text.slice(0, -1))).toBe(false);
        expect(isApiKeyToken(`${text}0`)).toBe(false);
      }),
    );
  });
});

describe("an embedder's own key", () => {
  it.each(['a'.repeat(16), '~'.repeat(128), 'my-own-key:1234567890', 'TRK_0123456789abcdef'])(
    'may be %s',
    (text) => {
      expect(isInstallableToken(text)).toBe(true);
      expect(isApiKeyToken(text)).toBe(true);
    },
  );

  it.each([
    '',
    'a'.repeat(15),
    'a'.repeat(129),
    'with a space inside',
    'tab\tinside-of-the-key',
    'schlüssel-aus-worten',
    `trk_${'a'.repeat(40)}`,
  ])('may not be %j', (text) => {
    expect(isInstallableToken(text)).toBe(false);
    expect(isApiKeyToken(text)).toBe(false);
  });
});
