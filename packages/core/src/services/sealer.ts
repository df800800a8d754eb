import { base64url, fromBase64url } from '../domain/base-encoding.ts';
import type { Crypto } from '../ports/crypto.ts';
import type { Random } from '../ports/random.ts';

/**
 * Seals secrets at rest with AES-256-GCM, under a key for each kind of secret that HKDF-SHA256 (RFC 5869)
 * derives from the installation's `secretKey`. A value sealed for one purpose (an endpoint's secret, a
 * session value) cannot be opened for another, because the purpose is authenticated. Of several secret keys,
 * the first seals, and any of them opens.
 */
export interface Sealer {
  seal(plaintext: Uint8Array, purpose: SealPurpose): Uint8Array;
  /** Throws if the bytes were not sealed with one of these keys for this purpose. */
  open(sealed: Uint8Array, purpose: SealPurpose): Uint8Array;
  sealText(plaintext: string, purpose: SealPurpose): string;
  openText(sealed: string, purpose: SealPurpose): string;
  /**
   * Seals the same plaintext with the first key; null if that key sealed it already. Throws as `open` does.
   */
  reseal(sealed: Uint8Array, purpose: SealPurpose): Uint8Array | null;
  resealText(sealed: string, purpose: SealPurpose): string | null;
}

export interface SealPurpose {
  /** The kind; each has its own derived key. */
  readonly kind:
    | 'secret key check'
    | 'webhook secret'
    | 'qr'
    | 'session'
    | 'file reference'
    | 'proxy url'
    | 'passkey'
    | 'credentials'
    | 'link page';
  /** Names the owner of the value, and is authenticated with the value. */
  readonly label: string;
}

/** The first byte of a sealed value, so that later versions may seal in another way. */
const FORMAT = 1;
const NONCE_LENGTH = 12;

export function createSealer({
  secretKeys,
  crypto,
  random,
}: {
  /** At least one. */
  readonly secretKeys: readonly string[];
  readonly crypto: Crypto;
  readonly random: Random;
}): Sealer {
  const utf8 = new TextEncoder();
  const derived = new Map<SealPurpose['kind'], readonly Uint8Array[]>();
  /** A derived key for each secret key, in the same order. */
  const keysFor = (kind: SealPurpose['kind']): readonly Uint8Array[] => {
    const derive = (secretKey: string): Uint8Array =>
      crypto.deriveKey(secretKey, `trunkline sealing key v${FORMAT}: ${kind}`);
    const keys = derived.get(kind) ?? secretKeys.map(derive);
    derived.set(kind, keys);
    return keys;
  };

  const seal = (plaintext: Uint8Array, { kind, label }: SealPurpose): Uint8Array => {
    const [key] = keysFor(kind);
    if (!key)
      throw new TypeError(
        'There is no secret key to seal with: give createTrunkline the option "secretKey".',
      );
    const nonce = random.bytes(NONCE_LENGTH);
    const ciphertext = crypto.encrypt(key, nonce, plaintext, utf8.encode(label));
    const sealed = new Uint8Array(1 + NONCE_LENGTH + ciphertext.length);
    sealed[0] = FORMAT;
    sealed.set(nonce, 1);
    sealed.set(ciphertext, 1 + NONCE_LENGTH);
    return sealed;
  };

  const find = (sealed: Uint8Array, { kind, label }: SealPurpose): Opened => {
    if (sealed[0] !== FORMAT)
      throw new Error(
        `The ${label} was sealed by a newer version of Trunkline, or is damaged: run that version, or restore the database from a backup.`,
      );
    const nonce = sealed.subarray(1, 1 + NONCE_LENGTH);
    const ciphertext = sealed.subarray(1 + NONCE_LENGTH);
    for (const [index, key] of keysFor(kind).entries()) {
      try {
        return {
          plaintext: crypto.decrypt(key, nonce, ciphertext, utf8.encode(label)),
          isFirst: index === 0,
        };
      } catch {
        // Another key may open it.
      }
    }
    throw new Error(
      `The ${label} cannot be opened: it was sealed with another secretKey, or changed. If the key was replaced, give the previous one after the new one: secretKey: [new, previous] (SECRET_KEY and SECRET_KEY_PREVIOUS).`,
    );
  };

  const reseal: Sealer['reseal'] = (sealed, purpose) => {
    const { plaintext, isFirst } = find(sealed, purpose);
    return isFirst ? null : seal(plaintext, purpose);
  };

  return {
    seal,
    open: (sealed, purpose) => find(sealed, purpose).plaintext,
    sealText: (plaintext, purpose) => base64url(seal(utf8.encode(plaintext), purpose)),
    openText: (sealed, purpose) =>
      new TextDecoder().decode(find(sealedBytes(sealed, purpose), purpose).plaintext),
    reseal,
    resealText(sealed, purpose) {
      const resealed = reseal(sealedBytes(sealed, purpose), purpose);
      return resealed && base64url(resealed);
    },
  };
}

function sealedBytes(text: string, { label }: SealPurpose): Uint8Array {
  try {
    return fromBase64url(text);
  } catch (cause) {
    throw new Error(`The ${label} in the database is damaged: restore the database from a backup.`, {
      cause,
    });
  }
}

interface Opened {
  readonly plaintext: Uint8Array;
  /** Whether the first key opened the value. */
  readonly isFirst: boolean;
}

export const SECRET_KEY_CHECK: SealPurpose = { kind: 'secret key check', label: 'secret_key_check' };

export function endpointSecretPurpose(endpointId: string): SealPurpose {
  return { kind: 'webhook secret', label: `webhook secret ${endpointId}` };
}

export function qrPurpose(instanceId: string): SealPurpose {
  return { kind: 'qr', label: `qr ${instanceId}` };
}

export function passkeyPurpose(instanceId: string): SealPurpose {
  return { kind: 'passkey', label: `passkey step of ${instanceId}` };
}

export function sessionPurpose(instanceId: string, name: string): SealPurpose {
  return { kind: 'session', label: `session ${instanceId} ${name}` };
}

export function proxyUrlPurpose(instanceId: string): SealPurpose {
  return { kind: 'proxy url', label: `proxy address of ${instanceId}` };
}

export function credentialsPurpose(instanceId: string): SealPurpose {
  return { kind: 'credentials', label: `credentials of ${instanceId}` };
}

/** The token in the address of a page on which the credentials of an instance are entered. */
export const LINK_PAGE: SealPurpose = { kind: 'link page', label: 'token of a link page' };

export function referencePurpose(messageId: string): SealPurpose {
  return { kind: 'file reference', label: `file reference ${messageId}` };
}

/** The maximum number of secrets kept in memory, which take a few megabytes. */
const MAX_KEPT = 10_000;

/**
 * Opens the secret of an endpoint. Throws if the secret was sealed for another endpoint or with another key.
 */
export type OpenSecret = (sealedSecret: string, endpointId: string) => string;

/**
 * Keeps the most recently opened secrets in memory, because opening a secret takes longer than signing with
 * it. Secrets are found by their sealed form, so that a secret that was rotated or resealed is opened again.
 */
export function openedSecrets(
  { openText }: Pick<Sealer, 'openText'>,
  maxKept: number = MAX_KEPT,
): OpenSecret {
  const opened = new Map<string, { readonly endpointId: string; readonly secret: string }>();
  return (sealedSecret, endpointId) => {
    const known = opened.get(sealedSecret);
    if (known?.endpointId === endpointId) return known.secret;
    const secret = openText(sealedSecret, endpointSecretPurpose(endpointId));
    const [oldest] = opened.keys();
    if (oldest !== undefined && opened.size >= maxKept) opened.delete(oldest);
    opened.set(sealedSecret, { endpointId, secret });
    return secret;
  };
}
