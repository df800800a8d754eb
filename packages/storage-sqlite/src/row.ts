import type { SQLOutputValue } from 'node:sqlite';

/** A parameter for bytes: Node 22 binds none of them as NULL. */
export const BYTES = "coalesce(?, x'')";

export type Row = Record<string, SQLOutputValue>;

/** Reads columns with their types checked: a wrong one is a defect of a query or of the database, and says which. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw wrong(row, column);
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw wrong(row, column);
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

export function flag(row: Row, column: string): boolean {
  return integer(row, column) === 1;
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw wrong(row, column);
}

/** A column that is one of some words. */
export function word<Word extends string>(row: Row, column: string): Word {
  return text(row, column) as Word; // written by us, from a value of this type
}

export function wordOrNull<Word extends string>(row: Row, column: string): Word | null {
  return row[column] === null ? null : word<Word>(row, column);
}

/** A column that holds JSON. */
export function json<Value>(row: Row, column: string): Value {
  return JSON.parse(text(row, column)) as Value; // written by us, from a value of this type
}

export function jsonOrNull<Value>(row: Row, column: string): Value | null {
  return row[column] === null ? null : json<Value>(row, column);
}

export function toJsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function wrong(row: Row, column: string): Error {
  return new TypeError(`The column ${column} has a value of type ${typeof row[column]}.`);
}
