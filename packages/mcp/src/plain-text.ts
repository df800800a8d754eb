/**
 * What a terminal does something for, what turns the direction of a text around, and what nobody sees: in a text from a
 * stranger, these can hide from a person what a model reads. Line breaks, tabs, and what joins letters and emoji stay.
 */
const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
/** One of these chooses how the character before it looks; more of them show nothing, and can spell a hidden text. */
const REPEATED_SELECTORS = /(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+/g;

const REPLACEMENT = '\ufffd';

/** The text with U+FFFD in the place of what is no text, at most `longest` characters and a note of how many more there are. */
export function plainText(text: string, longest: number): string {
  const shown = text.length <= longest ? text : text.slice(0, longest);
  const plain = shown
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(REPEATED_SELECTORS, REPLACEMENT)
    .replaceAll(CONTROLS, REPLACEMENT);
  return shown === text ? plain : `${plain}… [${text.length - longest} more characters were left out]`;
}

/** A copy of JSON, each text in it as `plainText` has it. */
export function plainJson<Value>(value: Value, longest: number): Value {
  return copy(value) as Value; // of the same shape

  function copy(part: unknown): unknown {
    if (typeof part === 'string') return plainText(part, longest);
    if (Array.isArray(part)) return part.map(copy);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [plainText(name, 200), copy(inner)]),
    );
  }
}
