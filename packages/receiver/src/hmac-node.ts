import { hash, timingSafeEqual } from 'node:crypto';
import type { Content, Hmac, Key } from './hmac.ts';

/** The block length of SHA-256 in bytes. */
const BLOCK_LENGTH = 64;
const DIGEST_LENGTH = 32;
const HEX_LENGTH = 2 * DIGEST_LENGTH;
/** In bytes: enough for most webhooks. */
const SCRATCH_LENGTH = 16_384;

/**
 * Implements RFC 2104, H(key ^ opad, H(key ^ ipad, content)): two digests of reused buffers take half as long as a Node
 * `Hmac`, which cannot be reused.
 */
export const hmacHex: Hmac['hmacHex'] = (key, content) => {
  const { inner, outer } = padsOf(key);
  outer.write(hash('sha256', joined(inner, content), 'binary'), BLOCK_LENGTH, 'binary');
  return hash('sha256', outer, 'hex');
};

export const hmacMatches: Hmac['hmacMatches'] = (key, content, hex) => {
  expected.write(hmacHex(key, content) as string, 'latin1'); // never a promise in this module
  received.write(hex.toLowerCase(), 'latin1');
  return timingSafeEqual(expected, received);
};

// All calls can share these buffers: a call writes before it reads, and does not await.
const scratch = Buffer.alloc(SCRATCH_LENGTH);
const expected = Buffer.alloc(HEX_LENGTH);
const received = Buffer.alloc(HEX_LENGTH);

interface Pads {
  readonly key: Key;
  readonly inner: Buffer;
  /** The outer pad, with room for the inner digest. */
  readonly outer: Buffer;
}

/** Cached, because most receivers have one key. */
let lastPads: Pads = makePads('');

function padsOf(key: Key): Pads {
  // The bytes of a key may have changed since the last call.
  if (typeof key !== 'string') return makePads(key);
  if (lastPads.key !== key) lastPads = makePads(key);
  return lastPads;
}

function makePads(key: Key): Pads {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  const block = bytes.length > BLOCK_LENGTH ? hash('sha256', bytes, 'buffer') : bytes;
  const inner = Buffer.alloc(BLOCK_LENGTH, 0x36);
  const outer = Buffer.alloc(BLOCK_LENGTH + DIGEST_LENGTH, 0x5c);
  // By index: an iterator takes longer than the two digests of a webhook.
  for (let index = 0; index < block.length; index += 1) {
    const byte = block[index] ?? 0;
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  return { key, inner, outer };
}

function joined(start: Buffer, { prefix, body }: Content): Buffer {
  const bodyLength = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const bodyAt = start.length + prefix.length;
  const length = bodyAt + bodyLength;
  const bytes = length <= SCRATCH_LENGTH ? scratch.subarray(0, length) : Buffer.allocUnsafe(length);
  bytes.set(start);
  bytes.write(prefix, start.length, 'latin1');
  if (typeof body === 'string') bytes.write(body, bodyAt, 'utf8');
  else bytes.set(body, bodyAt);
  return bytes;
}
