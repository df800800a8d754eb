import { printable } from '../printable.ts';

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
