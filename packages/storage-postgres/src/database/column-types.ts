import type { Statement } from './queryable.ts';

const READERS: Readonly<Record<number, (value: string) => unknown>> = {
  16: (value) => value === 't', // bool
  17: readBytes, // bytea
  20: readInteger, // int8
  21: Number, // int2
  23: Number, // int4
  701: Number, // float8
  1009: readWords, // text[]
  1016: readIntegers, // int8[]
};

/**
 * Parses column values with READERS, whatever parsers the app has set in pg. Values of other types, such as uuid and
 * json, stay the text that PostgreSQL sent.
 */
export const COLUMN_TYPES: NonNullable<Statement['types']> = {
  getTypeParser: (type) => READERS[type] ?? asText,
};

function asText(value: string): string {
  return value;
}

function readInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new RangeError(
      `The integer ${value} in the database is too large to be read: check the database for damage.`,
    );
  return number;
}

/** Reads both formats of bytea, because the setting `bytea_output` decides which one PostgreSQL sends. */
function readBytes(value: string): Uint8Array {
  if (value.startsWith(String.raw`\x`)) return new Uint8Array(Buffer.from(value.slice(2), 'hex'));
  const unescaped = value.replaceAll(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === '\\' ? escaped : String.fromCharCode(Number.parseInt(escaped, 8)),
  );
  return new Uint8Array(Buffer.from(unescaped, 'latin1'));
}

function readIntegers(value: string): readonly number[] {
  return value === '{}' ? [] : value.slice(1, -1).split(',').map(readInteger);
}

/**
 * Throws if an element is not a plain word, because PostgreSQL quotes elements that contain, for example, a space or a
 * comma.
 */
function readWords(value: string): readonly string[] {
  if (value.includes('"'))
    throw new TypeError(
      `The list ${value} in the database has something in it that is not a word: check the database for damage.`,
    );
  return value === '{}' ? [] : value.slice(1, -1).split(',');
}
