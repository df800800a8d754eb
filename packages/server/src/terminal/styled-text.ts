import { styleText } from 'node:util';
import { printableLines } from './printable.ts';

/** The meaning of a colour: all is well, something is awaited, or a person has to act. */
export type Tone = 'good' | 'waiting' | 'bad';

/** A part of a text that a terminal shows in the colour of its tone. */
export interface Toned {
  readonly tone: Tone;
  readonly text: string;
}

/** A text for people. Only a Toned part has a colour, so that text from a stranger cannot set one. */
export type Text = string | readonly (string | Toned)[];

const COLORS = { good: 'green', waiting: 'yellow', bad: 'red' } as const;

export function joinTexts(texts: readonly Text[], separator: string): Text {
  return texts.flatMap((text, index) => [...(index === 0 ? [] : [separator]), ...partsOf(text)]);
}

export function withoutStyle(text: string | Toned): string {
  return typeof text === 'string' ? text : text.text;
}

/**
 * Returns the text as it is printed: control characters except line breaks are escaped, and parts are coloured if
 * `isColored`.
 */
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
