import { nodeCrypto, systemRandom } from '@trunkline/core/node';

const NONCE_LENGTH = 12;

/** Opaque tokens for clients to send back: JSON sealed with AES-256-GCM. */
export interface SealedTokens {
  seal(content: object): string;
  /** Null if the token was not sealed with these keys, or was changed. */
  open(token: string): object | null;
}

/**
 * HKDF-SHA256 derives a key for each purpose, so that a token sealed for one purpose cannot be opened for another. The
 * first secret key seals, and all open.
 */
export function sealedTokens(secretKeys: readonly string[], purpose: string): SealedTokens {
  const crypto = nodeCrypto();
  const random = systemRandom();
  const label = `trunkline dashboard v1: ${purpose}`;
  const authenticated = new TextEncoder().encode(label);
  const keys = secretKeys.map((secretKey) => crypto.deriveKey(secretKey, label));
  const [first] = keys;
  if (!first) throw new TypeError('There is no secret key to seal with.');

  return {
    seal(content) {
      const nonce = random.bytes(NONCE_LENGTH);
      const plaintext = new TextEncoder().encode(JSON.stringify(content));
      const sealed = crypto.encrypt(first, nonce, plaintext, authenticated);
      return Buffer.concat([nonce, sealed]).toString('base64url');
    },
    open(token) {
      const bytes = new Uint8Array(Buffer.from(token, 'base64url'));
      // Accept only the canonical form: decoding ignores some bits of the last character, and characters outside the
      // alphabet.
      if (Buffer.from(bytes).toString('base64url') !== token) return null;
      const [nonce, sealed] = [bytes.subarray(0, NONCE_LENGTH), bytes.subarray(NONCE_LENGTH)];
      for (const key of keys) {
        try {
          const content: unknown = JSON.parse(
            new TextDecoder().decode(crypto.decrypt(key, nonce, sealed, authenticated)),
          );
          return typeof content === 'object' ? content : null;
        } catch {
          // Another key may open it.
        }
      }
      return null;
    },
  };
}
