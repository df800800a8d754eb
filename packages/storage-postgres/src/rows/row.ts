import { BOOLEAN, entityRows, PLAIN_CODECS, rowReader, senderRows, uuidIds } from '@trunkline/storage-kit';
import type { Codecs, ColumnKind, EntityRows, Row, RowReader, SenderRows } from '@trunkline/storage-kit';
import type { ArrayElement } from './binary-array.ts';
import type { ColumnType, Shape } from './column-arrays.ts';
import { decodeText, encodeText } from './text-encoding.ts';

export type { Row } from '@trunkline/storage-kit';

/** A parameter of a statement. */
export type Value = ArrayElement | readonly ArrayElement[];

const CODECS: Codecs<Value> = {
  ...PLAIN_CODECS,
  id: uuidIds,
  text: {
    write: encodeText,
    read: (stored) => (typeof stored === 'string' ? decodeText(stored) : undefined),
  },
  words: {
    write: (list) => list,
    read: (stored) => (Array.isArray(stored) ? stored : undefined), // of type text[]; see column-types.ts
  },
  flag: BOOLEAN,
};

export const entities: EntityRows<Value> = entityRows(CODECS);
export const senders: SenderRows = senderRows(CODECS);

const TYPES = {
  id: 'uuid',
  text: 'text',
  word: 'text',
  words: 'text[]',
  integer: 'bigint',
  flag: 'boolean',
  json: 'text',
} as const satisfies Readonly<Record<ColumnKind, ColumnType>>;

/** The columns of an object with their types. */
export function shapeOf({ kinds }: { readonly kinds: Readonly<Record<string, ColumnKind>> }): Shape<string> {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, TYPES[kind]]));
}

const reader = rowReader(CODECS);
export const text: RowReader['text'] = reader.text;
export const textOrNull: RowReader['textOrNull'] = reader.textOrNull;
export const id: RowReader['id'] = reader.id;
export const idOrNull: RowReader['idOrNull'] = reader.idOrNull;
export const integer: RowReader['integer'] = reader.integer;
export const integerOrNull: RowReader['integerOrNull'] = reader.integerOrNull;
export const flag: RowReader['flag'] = reader.flag;
export const bytes: RowReader['bytes'] = reader.bytes;
export const word: RowReader['word'] = reader.word;
export const wordOrNull: RowReader['wordOrNull'] = reader.wordOrNull;
export const json: RowReader['json'] = reader.json;
export const jsonOrNull: RowReader['jsonOrNull'] = reader.jsonOrNull;

export function integers(row: Row, column: string): readonly number[] {
  const value = row[column];
  if (Array.isArray(value)) return value as readonly number[]; // column-types.ts reads `int8[]` as numbers
  throw new TypeError(`The column ${column} is not a list: check the database for damage.`);
}
