import { base62, randomBase62 } from '../base-encoding.ts';

const PREFIX = 'trk_';
const RANDOM_LENGTH = 34;
const CHECKSUM_LENGTH = 6;
/** The length of `trk_` and four random characters, enough to recognise a key while the other thirty stay secret. */
const SHOWN_LENGTH = 8;
const FORM = /^trk_[0-9A-Za-z]{40}$/;
/** Keys that an embedder chooses: 16 to 128 printable ASCII characters without spaces. */
const CUSTOM_FORM = /^[\x21-\x7e]{16,128}$/;

/**
 * A new key value: `trk_` and 40 base62 characters, of which the last 6 are a checksum of all characters before them.
 */
export function newApiKeyToken(randomBytes: (length: number) => Uint8Array): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH, randomBytes);
  return body + checksum(body);
}

export function prefixOf(token: string): string {
  return token.slice(0, SHOWN_LENGTH);
}

/** Whether a value has the form of a key, generated or chosen by an embedder. Saves the lookup of a mistyped key. */
export function isApiKeyToken(token: string): boolean {
  if (!token.startsWith(PREFIX)) return CUSTOM_FORM.test(token);
  return FORM.test(token) && checksum(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH);
}

/** Whether a value may be given as the value of a new key. */
export function isInstallableToken(token: string): boolean {
  return CUSTOM_FORM.test(token) && isApiKeyToken(token);
}

function checksum(text: string): string {
  return base62(crc32(text), CHECKSUM_LENGTH);
}

/** CRC-32 (ISO 3309), as in GitHub's tokens. It detects typos, but does not authenticate a key. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc = (crc >>> 8) ^ (CRC_OF_BYTE[(crc ^ text.charCodeAt(i)) & 255] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Precomputed, because each request checks a key. */
const CRC_OF_BYTE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});
