import { uuidToId } from '@trunkline/core/spi/storage';
import type { IdPrefix } from '@trunkline/core/spi/storage';
import { decodeText } from './text-encoding.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Reads columns with their types checked: a wrong one is a defect of a query or of the database, and says which. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return decodeText(value);
  throw wrong(row, column);
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** A uuid as the id that it was stored for. */
export function id(row: Row, column: string, prefix: IdPrefix): string {
  const value = row[column];
  if (typeof value === 'string') return uuidToId(prefix, value);
  throw wrong(row, column);
}

export function idOrNull(row: Row, column: string, prefix: IdPrefix): string | null {
  return row[column] === null ? null : id(row, column, prefix);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw wrong(row, column);
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

export function integers(row: Row, column: string): readonly number[] {
  const value = row[column];
  if (Array.isArray(value)) return value as readonly number[]; // as column-types.ts reads them
  throw wrong(row, column);
}

export function flag(row: Row, column: string): boolean {
  const value = row[column];
  if (typeof value === 'boolean') return value;
  throw wrong(row, column);
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw wrong(row, column);
}

/** A column that is one of some words. */
export function word<Word extends string>(row: Row, column: string): Word {
  const value = row[column];
  if (typeof value === 'string') return value as Word; // written by us, from a value of this type
  throw wrong(row, column);
}

export function wordOrNull<Word extends string>(row: Row, column: string): Word | null {
  return row[column] === null ? null : word<Word>(row, column);
}

/** A text column that holds JSON. */
export function json<Value>(row: Row, column: string): Value {
  const value = row[column];
  if (typeof value === 'string') return JSON.parse(value) as Value; // written by us, from a value of this type
  throw wrong(row, column);
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
