import stringWidth from 'string-width';
import { printable } from '../printable.ts';
import { cutToWidth } from './cut-to-width.ts';
import { joinTexts, withoutStyle } from './styled-text.ts';
import type { Text, Toned } from './styled-text.ts';

/**
 * The name of a column; `freeText` if its cells may be cut. Ids, times and statuses are never cut, because people copy
 * them.
 */
export type Column = string | { readonly freeText: string };

export type Cell = string | Toned;

const GAP = '  ';
/** The minimum width to which free text is cut. */
const LEAST_WIDTH = 8;

/**
 * Lays out columns under their names, each as wide as its widest cell. On a narrower terminal, the widest free texts
 * are cut until the lines fit.
 */
export function table(
  { width }: { readonly width: number | null },
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): Text {
  const names = columns.map((column) => (typeof column === 'string' ? column : column.freeText));
  const cells = [names, ...rows].map((row, index) => (index === 0 ? row : printableCells(row)));
  const natural = names.map((_, column) =>
    Math.max(...cells.map((row) => stringWidth(withoutStyle(row[column] ?? '')))),
  );
  const widths = width === null ? natural : fitted(natural, columns, width);
  const line = (row: readonly Cell[]): Text =>
    joinTexts(
      row.map((cell, column) => {
        const room = widths[column] ?? 0;
        const text = cutToWidth(withoutStyle(cell), room);
        const shown = typeof cell === 'string' ? text : { ...cell, text };
        const isLast = row.slice(column + 1).every((next) => withoutStyle(next) === '');
        return isLast ? [shown] : [shown, ' '.repeat(room - stringWidth(text))];
      }),
      GAP,
    );
  return joinTexts(
    cells.map((row) => line(row.slice(0, row.findLastIndex((cell) => withoutStyle(cell) !== '') + 1))),
    '\n',
  );
}

/** Narrows the widest free-text column by one character at a time. A table of ids may stay wider than the terminal. */
function fitted(natural: readonly number[], columns: readonly Column[], width: number): readonly number[] {
  const widths = [...natural];
  const least = columns.map((column) =>
    typeof column === 'string' ? Infinity : Math.max(LEAST_WIDTH, stringWidth(column.freeText)),
  );
  let excess = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) - width;
  for (; excess > 0; excess--) {
    const room = widths.map((one, column) => (one > (least[column] ?? Infinity) ? one : 0));
    const widest = Math.max(...room);
    if (widest === 0) break;
    widths[room.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Formats a row without alignment, for rows that arrive one by one. */
export function rowText(row: readonly Cell[]): Text {
  return joinTexts(
    printableCells(row).map((cell) => [cell]),
    GAP,
  );
}

/** A line for each fact, with aligned values. */
export function facts(given: Readonly<Record<string, Cell | number | null>>): Text {
  const width = Math.max(...Object.keys(given).map((name) => name.length));
  return joinTexts(
    Object.entries(given).map(([name, value]) => {
      const cell = typeof value === 'object' && value !== null ? value : String(value ?? '–');
      return [`${name.padEnd(width)}${GAP}`, printableCell(cell)];
    }),
    '\n',
  );
}

export function printableCells(cells: readonly Cell[]): readonly Cell[] {
  return cells.map(printableCell);
}

function printableCell(cell: Cell): Cell {
  return typeof cell === 'string' ? printable(cell) : { ...cell, text: printable(cell.text) };
}
