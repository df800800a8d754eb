import { idToUuid, uuidToId } from '@trunkline/core/spi/storage';
import type { IdPrefix } from '@trunkline/core/spi/storage';

/** How values of one kind are stored in a column. Null is stored as NULL whatever the kind, so no codec sees it. */
export interface Codec<Value, Stored> {
  /** The value as a parameter of a statement. */
  readonly write: (value: Value) => Stored;
  /** The value that a column holds, or undefined if it holds nothing of this kind. */
  readonly read: (stored: unknown) => Value | undefined;
}

/** How a database stores each kind of value that a row of Trunkline has. */
export interface Codecs<Stored> {
  /** An id, such as `msg_01h…` for the prefix `msg`. */
  readonly id: (prefix: IdPrefix) => Codec<string, Stored>;
  /** Any text, also with U+0000 and halves of surrogate pairs, since users send those. */
  readonly text: Codec<string, Stored>;
  /** One of a fixed set of words: ASCII letters, digits and underscores. */
  readonly word: Codec<string, Stored>;
  /** A list of such words, which may have dots and hyphens in them, too. */
  readonly words: Codec<readonly string[], Stored>;
  /** An integer that is safe in JavaScript: counts, and times in milli- or microseconds. */
  readonly integer: Codec<number, Stored>;
  readonly flag: Codec<boolean, Stored>;
  /** A value of JSON that is not null. */
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
 * For a database that stores any text and has integers of 53 bits: ids, texts and words are text, JSON and lists are
 * JSON text, flags are 0 and 1. If your database differs, replace a kind: `{ ...PLAIN_CODECS, flag: BOOLEAN }`.
 */
export const PLAIN_CODECS: Codecs<string | number> = {
  id: () => TEXT,
  text: TEXT,
  word: TEXT,
  // Written and read as a list of words; the codec does not check the entries.
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
 * Ids in a column of type `uuid`, which takes 16 bytes in place of 30 characters. Throws a TypeError for what does not
 * have the form of an id: look that up with `idToUuid`, which returns null for it.
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
