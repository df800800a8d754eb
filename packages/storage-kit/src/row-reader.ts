import type { IdPrefix } from '@trunkline/core/spi/storage';
import type { Codec, Codecs } from './codec.ts';

/** A row as a driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Reads single columns of a row. If a column does not hold a value of the kind to read, the query or the database has
 * a defect, and a TypeError names the column. The functions do not use `this`.
 */
export interface RowReader {
  readonly id: (row: Row, column: string, prefix: IdPrefix) => string;
  readonly idOrNull: (row: Row, column: string, prefix: IdPrefix) => string | null;
  readonly text: (row: Row, column: string) => string;
  readonly textOrNull: (row: Row, column: string) => string | null;
  /** One of a fixed set of words. The word is not checked, because the storage has written it. */
  readonly word: <Word extends string>(row: Row, column: string) => Word;
  readonly wordOrNull: <Word extends string>(row: Row, column: string) => Word | null;
  readonly integer: (row: Row, column: string) => number;
  readonly integerOrNull: (row: Row, column: string) => number | null;
  readonly flag: (row: Row, column: string) => boolean;
  readonly bytes: (row: Row, column: string) => Uint8Array;
  /** The content of the JSON is not checked, because the storage has written it. */
  readonly json: <Value>(row: Row, column: string) => Value;
  readonly jsonOrNull: <Value>(row: Row, column: string) => Value | null;
}

export function rowReader(codecs: Codecs<unknown>): RowReader {
  const read = <Value>(codec: Codec<Value, unknown>, row: Row, column: string): Value => {
    const value = codec.read(row[column]);
    if (value !== undefined) return value;
    throw wrongColumn(row, column);
  };
  const readOrNull = <Value>(codec: Codec<Value, unknown>, row: Row, column: string): Value | null =>
    row[column] === null ? null : read(codec, row, column);

  return {
    id: (row, column, prefix) => read(codecs.id(prefix), row, column),
    idOrNull: (row, column, prefix) => readOrNull(codecs.id(prefix), row, column),
    text: (row, column) => read(codecs.text, row, column),
    textOrNull: (row, column) => readOrNull(codecs.text, row, column),
    // The casts are safe because the storage has written these words and JSON values.
    word: <Word extends string>(row: Row, column: string) => read(codecs.word, row, column) as Word,
    wordOrNull: <Word extends string>(row: Row, column: string) =>
      readOrNull(codecs.word, row, column) as Word | null,
    integer: (row, column) => read(codecs.integer, row, column),
    integerOrNull: (row, column) => readOrNull(codecs.integer, row, column),
    flag: (row, column) => read(codecs.flag, row, column),
    bytes: (row, column) => read(BYTES, row, column),
    json: <Value>(row: Row, column: string) => read(codecs.json, row, column) as Value,
    jsonOrNull: <Value>(row: Row, column: string) => readOrNull(codecs.json, row, column) as Value | null,
  };
}

/** All drivers return bytes as a `Uint8Array`. */
const BYTES: Codec<Uint8Array, Uint8Array> = {
  write: (value) => value,
  read: (stored) => (stored instanceof Uint8Array ? stored : undefined),
};

export function wrongColumn(row: Row, column: string): Error {
  return new TypeError(
    `The column ${column} has a value of type ${typeof row[column]}, which cannot be read: check the database for damage.`,
  );
}
