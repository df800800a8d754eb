import { idToUuid, uuidToId } from '@trunkline/core/spi/storage';
import type { IdPrefix } from '@trunkline/core/spi/storage';

/** How values of one kind are stored in a column. Null is always stored as NULL, and never passed to a codec. */
export interface Codec<Value, Stored> {
  /** The value as a parameter of a statement. */
  readonly write: (value: Value) => Stored;
  /** The value that a column holds; undefined if the column holds no value of this kind. */
  readonly read: (stored: unknown) => Value | undefined;
}

/** How a database stores each kind of value that a row of Trunkline has. */
export interface Codecs<Stored> {
  /** An id, such as `msg_01h…` for the prefix `msg`. */
  readonly id: (prefix: IdPrefix) => Codec<string, Stored>;
  /** Any text, including U+0000 and unpaired surrogates, since users send those. */
  readonly text: Codec<string, Stored>;
  /** One of a fixed set of words: ASCII letters, digits, dots and underscores. */
  readonly word: Codec<string, Stored>;
  /** A list of words, which may also contain hyphens. */
  readonly words: Codec<readonly string[], Stored>;
  /** A safe integer of JavaScript, such as a count, or a time in milliseconds or microseconds. */
  readonly integer: Codec<number, Stored>;
  readonly flag: Codec<boolean, Stored>;
  /** A JSON value other than null. */
  readonly json: Codec<unknown, Stored>;
}

const TEXT: Codec<string, string> = {
  write: (value) => value,
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
};

const JSON_TEXT: Codec<unknown, string> = {
  write: (value) => JSON.stringify(value),
  read: (stored) => (typeof stored === 'string' ? JSON.parse(stored) : undefined),
};

/**
 * The codecs for a database that stores any text and integers of 53 bits. Ids, texts and words are text, JSON and lists
 * are JSON text, and flags are 0 and 1. If your database differs, replace single codecs, as in
 * `{ ...PLAIN_CODECS, flag: BOOLEAN }`.
 */
export const PLAIN_CODECS: Codecs<string | number> = {
  id: () => TEXT,
  text: TEXT,
  word: TEXT,
  // The cast is safe because the storage writes only lists of words.
  words: JSON_TEXT as Codec<readonly string[], string>,
  integer: {
    write: (value) => value,
    read: (stored) => (typeof stored === 'number' ? stored : undefined),
  },
  flag: {
    write: Number,
    read: (stored) => (stored === 1 ? true : stored === 0 ? false : undefined),
  },
  json: JSON_TEXT,
};

/** Flags in a column of type `boolean`. */
export const BOOLEAN: Codec<boolean, boolean> = {
  write: (value) => value,
  read: (stored) => (typeof stored === 'boolean' ? stored : undefined),
};

const UUID_IDS = new Map<IdPrefix, Codec<string, string>>();

/**
 * Ids in a column of type `uuid`, which takes 16 bytes instead of about 30 characters. Writing throws a TypeError if a
 * value does not have the form of an id. To look up a value of unknown form, use `idToUuid`, which returns null
 * instead.
 */
export function uuidIds(prefix: IdPrefix): Codec<string, string> {
  const known = UUID_IDS.get(prefix);
  if (known) return known;
  const codec: Codec<string, string> = {
    write(id) {
      const uuid = idToUuid(prefix, id);
      if (uuid !== null) return uuid;
      throw new TypeError(
        `The id ${JSON.stringify(id)} cannot be stored: it does not have the form "${prefix}_…".`,
      );
    },
    read: (stored) => (typeof stored === 'string' ? uuidToId(prefix, stored) : undefined),
  };
  UUID_IDS.set(prefix, codec);
  return codec;
}
