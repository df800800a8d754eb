import stringWidth from 'string-width';
import { printable } from './printable.ts';
import { cutToWidth } from './cut-to-width.ts';
import { joinTexts, withoutStyle } from './styled-text.ts';
import type { Text, Toned } from './styled-text.ts';

export type Cell = string | Toned;

/** The cell of a row in a column; null for a dash. */
type Shown<Row> = (row: Row) => Cell | number | null;

/**
 * The columns of a list by their names. Cells of `freeText` may be cut. Ids, times and statuses are never cut, because
 * people copy them.
 */
export type Columns<Row> = Readonly<Record<string, Shown<Row> | { readonly freeText: Shown<Row> }>>;

const GAP = '  ';
/** The minimum width to which free text is cut. */
const LEAST_WIDTH = 8;

/**
 * Lays out columns under their names, each as wide as its widest cell. On a narrower terminal, the widest free texts
 * are cut until the lines fit.
 */
export function table<Row>(
  { width }: { readonly width: number | null },
  columns: Columns<Row>,
  rows: readonly Row[],
): Text {
  const names = Object.keys(columns);
  const cells = [names, ...rows.map((row) => printableCells(cellsOf(columns, row)))];
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

function cellsOf<Row>(columns: Columns<Row>, row: Row): readonly Cell[] {
  return Object.values(columns).map((shown) =>
    cellOf(typeof shown === 'function' ? shown(row) : shown.freeText(row)),
  );
}

/** Narrows the widest free-text column by one character at a time. A table of ids may stay wider than the terminal. */
function fitted(natural: readonly number[], columns: Columns<never>, width: number): readonly number[] {
  const widths = [...natural];
  const least = Object.entries(columns).map(([name, shown]) =>
    typeof shown === 'function' ? Infinity : Math.max(LEAST_WIDTH, stringWidth(name)),
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
export function rowText<Row>(columns: Columns<Row>, row: Row): Text {
  return joinTexts(
    printableCells(cellsOf(columns, row)).map((cell) => [cell]),
    GAP,
  );
}

/** A line for each fact, with aligned values. */
export function facts(given: Readonly<Record<string, Cell | number | null>>): Text {
  const width = Math.max(...Object.keys(given).map((name) => name.length));
  return joinTexts(
    Object.entries(given).map(([name, value]) => [
      `${name.padEnd(width)}${GAP}`,
      printableCell(cellOf(value)),
    ]),
    '\n',
  );
}

function cellOf(value: Cell | number | null): Cell {
  return typeof value === 'object' && value !== null ? value : String(value ?? '–');
}

export function printableCells(cells: readonly Cell[]): readonly Cell[] {
  return cells.map(printableCell);
}

function printableCell(cell: Cell): Cell {
  return typeof cell === 'string' ? printable(cell) : { ...cell, text: printable(cell.text) };
}
