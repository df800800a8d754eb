import { base64 } from '../base-encoding.ts';

const PREFIX = 'whsec_';
const RANDOM_BYTES = 32;

/**
 * A new signing secret: `whsec_` and 44 characters of base64. The whole text is the HMAC key of our own signature; the
 * key of the Standard Webhooks signature is the decoded bytes. Padded base64, because libraries for Standard Webhooks
 * refuse most secrets in unpadded base64url.
 */
export function newEndpointSecret(randomBytes: (length: number) => Uint8Array): string {
  return PREFIX + base64(randomBytes(RANDOM_BYTES));
}

/** The hint that may be shown of a secret: an ellipsis and its last four characters. */
export function secretHint(secret: string): string {
  return `…${secret.slice(-4)}`;
}
