import { createCipheriv, createDecipheriv, createHash, hash, hkdfSync } from 'node:crypto';
import type { Crypto } from '../ports/crypto.ts';

/** OpenSSL, through node:crypto. */
export function nodeCrypto(): Crypto {
  return { sha256, createSha256, encrypt, decrypt, deriveKey };
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

function createSha256(): { update(chunk: Uint8Array): void; hex(): string } {
  const digest = createHash('sha256');
  return {
    update(chunk) {
      digest.update(chunk);
    },
    hex: () => digest.digest('hex'),
  };
}

function encrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  associatedData: Uint8Array,
): Uint8Array {
  checkNonce(nonce);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_LENGTH }).setAAD(associatedData);
  return joined(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
}

function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  sealed: Uint8Array,
  associatedData: Uint8Array,
): Uint8Array {
  checkNonce(nonce);
  // Without this check and `authTagLength`, a tag cut to 4 bytes would be accepted.
  if (sealed.length < TAG_LENGTH) throw new Error('The sealed value is too short: it lacks its 16-byte tag.');
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_LENGTH })
    .setAAD(associatedData)
    .setAuthTag(sealed.subarray(-TAG_LENGTH));
  return joined(decipher.update(sealed.subarray(0, -TAG_LENGTH)), decipher.final());
}

function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

function checkNonce(nonce: Uint8Array): void {
  if (nonce.length !== NONCE_LENGTH) throw new RangeError('The nonce must have 12 bytes.');
}

/**
 * Joins parts into a separate Uint8Array, because Buffers share memory with each other and print differently.
 */
function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
