import { hexByte } from './base-encoding.ts';

/**
 * The base32 of TypeIDs (Crockford's alphabet in lower case): 128 bits as 26 characters, of which
 * the first encodes three bits and each of the rest five. Uses tables, because each message takes
 * several ids; the library for TypeIDs took seven times as long.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** The two characters for each value of ten bits. */
const PAIRS: readonly string[] = Array.from(
  { length: 1024 },
  (_, bits) => `${ALPHABET.charAt(bits >> 5)}${ALPHABET.charAt(bits & 31)}`,
);
/** The five bits of each character, by character code. */
const VALUES = new Uint8Array(128);
for (let value = 0; value < ALPHABET.length; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;
/** The value of each hexadecimal digit, by character code. */
const DIGITS = new Uint8Array(128);
for (let value = 0; value < 16; value += 1) {
  const text = value.toString(16);
  DIGITS[text.charCodeAt(0)] = value;
  DIGITS[text.toUpperCase().charCodeAt(0)] = value;
}

/** 16 bytes as 26 characters. */
export function encodeBase32(view: DataView): string {
  return encode(view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12));
}

function encode(a: number, b: number, c: number, d: number): string {
  return (
    pair(a >>> 24) +
    pair(a >>> 14) +
    pair(a >>> 4) +
    pair((a << 6) | (b >>> 26)) +
    pair(b >>> 16) +
    pair(b >>> 6) +
    pair((b << 4) | (c >>> 28)) +
    pair(c >>> 18) +
    pair(c >>> 8) +
    pair((c << 2) | (d >>> 30)) +
    pair(d >>> 20) +
    pair(d >>> 10) +
    pair(d)
  );
}

function pair(bits: number): string {
  return PAIRS[bits & 1023] ?? '';
}

/** The UUID that the 26 characters of `text` from `start` encode. They must be valid. */
export function base32ToUuid(text: string, start: number): string {
  let uuid = '';
  let bits = 0;
  let count = -2; // the first character holds two bits that are always zero
  for (let index = start; index < start + LENGTH; index += 1) {
    bits = (bits << 5) | (VALUES[text.charCodeAt(index)] ?? 0);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    uuid += hexByte(bits >>> count);
    if (uuid.length === 8 || uuid.length === 13 || uuid.length === 18 || uuid.length === 23) uuid += '-';
  }
  return uuid;
}

/**
 * The inverse of `encodeBase32`, for the 26 characters of `text` from `start`, which must be valid. Writes to `view`.
 */
export function decodeBase32(text: string, start: number, view: DataView): void {
  let bits = 0;
  let count = -2; // the first character holds two bits that are always zero
  let byte = 0;
  for (let index = start; index < start + LENGTH; index += 1) {
    bits = (bits << 5) | (VALUES[text.charCodeAt(index)] ?? 0);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    view.setUint8(byte, (bits >>> count) & 255);
    byte += 1;
  }
}

/** A UUID as 26 characters. A database row has several UUIDs, and `parseInt` took four times as long. */
export function uuidToBase32(uuid: string): string {
  return encode(
    (hex(uuid, 0) << 16) | hex(uuid, 4),
    (hex(uuid, 9) << 16) | hex(uuid, 14),
    (hex(uuid, 19) << 16) | hex(uuid, 24),
    (hex(uuid, 28) << 16) | hex(uuid, 32),
  );
}

/** The 16 bits of the four hexadecimal digits that begin at `start`. */
function hex(text: string, start: number): number {
  return (
    (digit(text, start) << 12) |
    (digit(text, start + 1) << 8) |
    (digit(text, start + 2) << 4) |
    digit(text, start + 3)
  );
}

function digit(text: string, index: number): number {
  return DIGITS[text.charCodeAt(index)] ?? 0;
}
