import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cutToWidth } from './cut-to-width.ts';

const TEXTS: readonly (readonly [text: string, width: number])[] = [
  ['', 0],
  ['Front desk', 10],
  ['Zoë', 3],
  ['Zoe\u0308', 3], // a combining diaeresis
  ['日本語', 6],
  ['한국', 4],
  ['\u1112\u1161\u11ab', 2], // one syllable, written as three jamo
  ['ｶﾅ', 2], // half width
  ['ＡＢ', 4], // full width
  ['สวัสดี', 4],
  ['👍🏽', 2],
  ['👨‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['1️⃣ ❤️', 5],
  ['a\u200db', 2],
];

describe('A text that is cut to a width', () => {
  it('stays as it is if it fits', () => {
    for (const [text, width] of TEXTS) expect(cutToWidth(text, width)).toBe(text);
  });

  it('ends with an ellipsis, and is never wider', () => {
    for (const [text] of TEXTS)
      for (let width = 1; width < stringWidth(text); width++) {
        const cut = cutToWidth(text, width);
        expect(cut).toMatch(/…$/);
        expect(stringWidth(cut), `${text} in ${width}`).toBeLessThanOrEqual(width);
      }
  });

  it.for([
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👨‍👩‍👧 and the family', 3, '👨‍👩‍👧…'],
    ['👨‍👩‍👧 and the family', 2, '…'],
    ['Zoe\u0308 Zimmermann', 4, 'Zoe\u0308…'],
    ['Front desk', 7, 'Front…'],
  ] as const)('is cut between two characters as people see them: %j in %i columns', ([text, width, cut]) => {
    expect(cutToWidth(text, width)).toBe(cut);
  });
});
