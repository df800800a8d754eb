const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The two digits of each byte. Precomputed, because the ids of one message take dozens of lookups. */
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Two hexadecimal digits for each byte, in lower case. */
export function hex(bytes: Uint8Array): string {
  let digits = '';
  for (const byte of bytes) digits += hexByte(byte);
  return digits;
}

export function hexByte(bits: number): string {
  return HEX[bits & 255] ?? '';
}

/** Decodes an even number of hexadecimal digits, in upper or lower case. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  );
}

/** RFC 4648 section 5, without padding. */
export function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** RFC 4648 section 4. Converts in pieces, because the bytes of a file are too many arguments for one call. */
export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

/** The inverse of `base64`. Like `atob`, it accepts white space and missing padding; throws on any other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The inverse of `base64url`; throws on text in any other encoding. */
export function fromBase64url(text: string): Uint8Array {
  // `atob` also accepts white space, padding and the characters of plain base64.
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new SyntaxError('This is not base64url.');
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}

/** `length` base62 characters, each equally likely, because bytes of 248 (4 × 62) or more are discarded. */
export function randomBase62(length: number, randomBytes: (length: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < 248) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** A number below 62^length in base62, padded with zeros. */
export function base62(value: number, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i++) {
    text = `${BASE62[rest % 62]}${text}`;
    rest = Math.floor(rest / 62);
  }
  return text;
}
