/**
 * Characters that a terminal acts on, or that reverse the text's direction; escaped because names and texts come from
 * strangers.
 */
// oxlint-disable-next-line no-control-regex -- these are its subject
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;

/** The text on one line of a terminal, with unprintable characters escaped. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escaped);
}

/** Like `printable`, but keeps line breaks, for text whose line breaks are ours. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** JSON on one line, without characters that a terminal acts on. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNPRINTABLE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
