/** The codes of a Huffman table (ITU-T T.81, annex C). */
export interface HuffmanTable {
  /** For each value of the next 9 bits: the length of the code in the high byte, its value in the low one; 0 if longer. */
  readonly short: Uint16Array;
  /** The largest code of each length; -1 if there is none. */
  readonly largest: Int32Array;
  /** The difference between the place of a value in `values` and its code, for each length. */
  readonly offsets: Int32Array;
  readonly values: Uint8Array;
}

const SHORT = 9;
const SHORT_MASK: number = (1 << SHORT) - 1;
const LONGEST = 16;
/** The byte with which markers begin. */
const MARKER = 0xff;
/** The markers RST0 to RST7. */
const FIRST_RESTART = 0xd0;
const LAST_RESTART = 0xd7;

/** `counts` has the number of codes of each length from 1 to 16. Null if there cannot be so many codes. */
export function huffmanTable(counts: Uint8Array, values: Uint8Array): HuffmanTable | null {
  const short = new Uint16Array(1 << SHORT);
  const largest = new Int32Array(LONGEST + 1).fill(-1);
  const offsets = new Int32Array(LONGEST + 1);
  let code = 0;
  let next = 0;
  for (let length = 1; length <= LONGEST; length++) {
    const count = counts[length - 1] ?? 0;
    if (code + count > 1 << length) return null;
    offsets[length] = next - code;
    for (let made = 0; made < count; made++, code++, next++) {
      if (length > SHORT) continue;
      const begin = code << (SHORT - length);
      short.fill((length << 8) | (values[next] ?? 0), begin, begin + (1 << (SHORT - length)));
    }
    if (count > 0) largest[length] = code - 1;
    code <<= 1;
  }
  return { short, largest, offsets, values: values.slice() };
}

/** Reads codes and bits from the compressed part of a JPEG, up to the next marker. */
export interface EntropyDecoder {
  /** Reads on in `bytes`, which begin with the first byte that was not taken. */
  begin(bytes: Uint8Array): void;
  /** How many of the bytes were taken. */
  taken(): number;
  value(table: HuffmanTable): number;
  /** A number of this many bits, which is negative if its first bit is 0 (section F.2.2.1). */
  signed(length: number): number;
  /** Reads all coefficients of a block but the first, and forgets them. */
  skipBlock(table: HuffmanTable): void;
  /** Whether more was read than there is before the marker or the end of the bytes, or a code that does not exist. */
  isOver(): boolean;
  /** Forgets all bits before the next scan. */
  reset(): void;
  /** Goes on after a restart marker. False if there is none. */
  restart(): boolean;
}

export function entropyDecoder(): EntropyDecoder {
  let bytes: Uint8Array = new Uint8Array();
  let at = 0;
  /** The bits that were taken from `bytes` and not read yet, the next one first. */
  let bits = 0;
  let count = 0;
  /** How many of them are made up, because the bytes have ended. */
  let padding = 0;
  let isBroken = false;

  /** Makes at least 17 bits available. */
  const fill = (): void => {
    while (count <= 16) {
      const byte = at < bytes.length ? (bytes[at] ?? 0) : MARKER;
      if (byte !== MARKER) {
        bits = ((bits << 8) | byte) & 0xff_ffff;
        at += 1;
      } else if (bytes[at + 1] === 0) {
        // A 0 after a byte of all ones distinguishes it from a marker.
        bits = ((bits << 8) | MARKER) & 0xff_ffff;
        at += 2;
      } else {
        bits = (bits << 8) & 0xff_ffff;
        padding += 8;
      }
      count += 8;
    }
  };

  const longValue = ({ largest, offsets, values }: HuffmanTable): number => {
    for (let length = SHORT + 1; length <= LONGEST; length++) {
      const code = (bits >> (count - length)) & ((1 << length) - 1);
      if (code > (largest[length] ?? -1)) continue;
      count -= length;
      return values[code + (offsets[length] ?? 0)] ?? 0;
    }
    isBroken = true;
    return 0;
  };

  const reset = (): void => {
    bits = 0;
    count = 0;
    padding = 0;
    isBroken = false;
  };

  return {
    begin(given) {
      bytes = given;
      at = 0;
    },
    taken: () => at,
    value(table) {
      fill();
      const entry = table.short[(bits >> (count - SHORT)) & SHORT_MASK] ?? 0;
      if (entry === 0) return longValue(table);
      count -= entry >> 8;
      return entry & 0xff;
    },
    signed(length) {
      if (length === 0) return 0;
      fill();
      count -= length;
      const value = (bits >> count) & ((1 << length) - 1);
      return value < 1 << (length - 1) ? value - (1 << length) + 1 : value;
    },
    skipBlock(table) {
      const { short } = table;
      for (let coefficient = 1; coefficient < 64; coefficient++) {
        fill();
        const entry = short[(bits >> (count - SHORT)) & SHORT_MASK] ?? 0;
        let value: number;
        if (entry === 0) {
          value = longValue(table);
        } else {
          count -= entry >> 8;
          value = entry & 0xff;
        }
        if (value === 0) return;
        coefficient += value >> 4;
        // The code and the number that follows it may be longer than what was made available.
        if (count < (value & 15)) fill();
        count -= value & 15;
      }
    },
    isOver: () => isBroken || count < padding,
    reset,
    restart() {
      const marker = bytes[at + 1] ?? 0;
      if (bytes[at] !== MARKER || marker < FIRST_RESTART || marker > LAST_RESTART) return false;
      at += 2;
      reset();
      return true;
    },
  };
}
