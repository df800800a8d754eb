import { describe, expect, it } from 'vitest';
import { plainText } from '../src/plain-text.ts';

const shown = (text: string): string => plainText(text, 1_000);

describe('a text from a stranger', () => {
  it.each([
    'two\n\tlines',
    'Ünïcödé, 日本語, العربية, ไทย',
    '👩🏽‍💻 👨‍👩‍👧‍👦 ❤️‍🔥 🏳️‍🌈 1️⃣ ☺︎',
    'می‌خواهم', // a single non-joiner between letters
    'क्‍ष', // a single joiner after a virama
  ])('is shown as it is: %s', (text) => {
    expect(shown(text)).toBe(text);
  });

  // Invisible characters of Unicode, such as the soft hyphen, Hangul fillers, word joiners, tags, and the empty Braille
  // cell.
  it.each([
    0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x180f, 0x200b, 0x200e, 0x2028,
    0x202e, 0x2060, 0x2065, 0x206f, 0x2800, 0x3164, 0xfe00, 0xfeff, 0xffa0, 0xfff0, 0xfff9, 0x1bca0, 0x1d173,
    0xe0001, 0xe0041, 0xe0100, 0x1b, 0x0d, 0x7f, 0x9b,
  ])('shows U+%x as a replacement character', (code) => {
    expect(shown(`a${String.fromCodePoint(code)}b`)).toBe('a\ufffdb');
  });

  it('cannot encode a text in joiners, or in selectors', () => {
    expect(shown('a\u200d\u200c\u200db')).toBe('a\ufffdb');
    expect(shown('a\u200d')).toBe('a\ufffd');
    expect(shown(' \u200d ')).toBe(' \ufffd ');
    expect(shown('a\u200d\ufe00\u200db')).toBe('a\ufffdb');
    expect(shown('a\u034f\u200db')).toBe('a\ufffdb');
    expect(shown('☺\ufe0f\ufe0f\ufe0e')).toBe('☺\ufe0f\ufffd');
    expect(shown('a\ufe0fb\ufe0e')).toBe('a\ufffdb\ufffd');
  });

  it('is read in linear time, however much of it is hidden', () => {
    const text = 'a\u200d'.repeat(500_000);
    expect(plainText(text, text.length)).toHaveLength(text.length);
  });
});
