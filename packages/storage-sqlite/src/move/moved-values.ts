import type { SQLInputValue } from 'node:sqlite';
import { PLAIN_CODECS } from '@trunkline/storage-kit';
import type { Codec, MovedColumn, MovedKind, MovedValue } from '@trunkline/storage-kit';

type AnyCodec = Codec<MovedValue, SQLInputValue>;

/** Start times, 8 bytes each; see lane-claims.ts. */
const INTEGERS: Codec<readonly number[], Uint8Array> = {
  write: (list) => new Uint8Array(Float64Array.from(list).buffer),
  read: (stored) => (stored instanceof Uint8Array ? [...new Float64Array(stored.slice().buffer)] : undefined),
};

const BYTES: Codec<Uint8Array, Uint8Array> = {
  write: (value) => value,
  read: (stored) => (stored instanceof Uint8Array ? stored : undefined),
};

/** The casts are safe because each codec is called only with values of its kind. */
const CODECS: Readonly<Record<MovedKind, AnyCodec>> = {
  id: PLAIN_CODECS.text as unknown as AnyCodec,
  text: PLAIN_CODECS.text as unknown as AnyCodec,
  word: PLAIN_CODECS.word as unknown as AnyCodec,
  words: PLAIN_CODECS.words as unknown as AnyCodec,
  integer: PLAIN_CODECS.integer as unknown as AnyCodec,
  flag: PLAIN_CODECS.flag as unknown as AnyCodec,
  bytes: BYTES as unknown as AnyCodec,
  integers: INTEGERS as unknown as AnyCodec,
};

export function writeMoved({ kind }: MovedColumn, value: MovedValue): SQLInputValue {
  return value === null ? null : CODECS[kind].write(value);
}

/** Returns undefined if the column does not hold a value of its kind. */
export function readMoved({ kind }: MovedColumn, stored: unknown): MovedValue | undefined {
  return stored === null ? null : CODECS[kind].read(stored);
}
