import { base64url, fromBase64url } from '../domain/base-encoding.ts';
import type { Crypto } from '../ports/crypto.ts';
import type { Random } from '../ports/random.ts';

/**
 * Seals secrets at rest with AES-256-GCM under a key derived from the installation's `secretKey`. What is sealed for
 * one purpose (an endpoint's secret, a session value) cannot be opened as another: the purpose is authenticated.
 */
export interface Sealer {
  seal(plaintext: Uint8Array, purpose: string): Uint8Array;
  /** Throws when the bytes were not sealed with this key for this purpose. */
  open(sealed: Uint8Array, purpose: string): Uint8Array;
  sealText(plaintext: string, purpose: string): string;
  openText(sealed: string, purpose: string): string;
}

const FORMAT = 1;
const NONCE_LENGTH = 12;

export function createSealer({
  secretKey,
  crypto,
  random,
}: {
  secretKey: string;
  crypto: Crypto;
  random: Random;
}): Sealer {
  const key = crypto.deriveKey(secretKey, 'trunkline sealing key v1');
  const utf8 = new TextEncoder();

  const seal = (plaintext: Uint8Array, purpose: string): Uint8Array => {
    const nonce = random.bytes(NONCE_LENGTH);
    const ciphertext = crypto.encrypt(key, nonce, plaintext, utf8.encode(purpose));
    const sealed = new Uint8Array(1 + NONCE_LENGTH + ciphertext.length);
    sealed[0] = FORMAT;
    sealed.set(nonce, 1);
    sealed.set(ciphertext, 1 + NONCE_LENGTH);
    return sealed;
  };
  const open = (sealed: Uint8Array, purpose: string): Uint8Array => {
    if (sealed[0] !== FORMAT)
      throw new Error('This value was sealed by a version of Trunkline that this one does not know.');
    const nonce = sealed.subarray(1, 1 + NONCE_LENGTH);
    return crypto.decrypt(key, nonce, sealed.subarray(1 + NONCE_LENGTH), utf8.encode(purpose));
  };
  return {
    seal,
    open,
    sealText: (plaintext, purpose) => base64url(seal(utf8.encode(plaintext), purpose)),
    openText: (sealed, purpose) => new TextDecoder().decode(open(fromBase64url(sealed), purpose)),
  };
}

/** What a webhook endpoint's secret is sealed for. */
export function webhookSecretPurpose(webhookId: string): string {
  return `webhook secret ${webhookId}`;
}

/** What an instance's pairing code is sealed for. */
export function qrPurpose(instanceId: string): string {
  return `qr ${instanceId}`;
}

/** What one stored value of an instance's session is sealed for. */
export function sessionPurpose(instanceId: string, name: string): string {
  return `session ${instanceId} ${name}`;
}
