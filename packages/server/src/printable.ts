/**
 * Characters that a terminal does something for, or that turn the direction of the text around: names and texts come from
 * strangers.
 */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;

/** The text on one line of a terminal, with escapes in the place of what is no text. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escaped);
}

/** The same for a text of several lines, which are our own. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** JSON on one line, which a terminal shows as it is. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNPRINTABLE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Columns as wide as their widest cell, under their names. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [names, ...rows.map((row) => row.map(printable))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return cells.map(line).join('\n');
}

/** A line for each fact, the values below each other. */
export function facts(given: Readonly<Record<string, string | number | null>>): string {
  const width = Math.max(...Object.keys(given).map((name) => name.length));
  return Object.entries(given)
    .map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value ?? '–'))}`)
    .join('\n');
}
