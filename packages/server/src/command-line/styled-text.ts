import { styleText } from 'node:util';
import { printableLines } from '../printable.ts';

/** The meaning of a colour: all is well, something is awaited, or a person has to act. */
export type Tone = 'good' | 'waiting' | 'bad';

/** A part of a text, with its colour on a terminal. */
export interface Toned {
  readonly tone: Tone;
  readonly text: string;
}

/** A text for people. Colours are separate parts, so that no character of a stranger's text can set a colour. */
export type Text = string | readonly (string | Toned)[];

const COLORS = { good: 'green', waiting: 'yellow', bad: 'red' } as const;

export function joinTexts(texts: readonly Text[], separator: string): Text {
  return texts.flatMap((text, index) => [...(index === 0 ? [] : [separator]), ...partsOf(text)]);
}

export function withoutStyle(text: string | Toned): string {
  return typeof text === 'string' ? text : text.text;
}

/** The text as it is printed: with no control characters but line breaks and, if `isColored`, colours. */
export function renderText(text: Text, isColored: boolean): string {
  return partsOf(text)
    .map((part) => {
      const printed = printableLines(withoutStyle(part));
      if (typeof part === 'string' || !isColored) return printed;
      return styleText(COLORS[part.tone], printed, { validateStream: false });
    })
    .join('');
}

function partsOf(text: Text): readonly (string | Toned)[] {
  return typeof text === 'string' ? [text] : text;
}
