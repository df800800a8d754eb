import { base64url } from '../base-encoding.ts';

const PREFIX = 'whsec_';
const RANDOM_BYTES = 32;

/** A new signing secret: `whsec_` and 43 characters of base64url. The whole text is the HMAC key. */
export function newWebhookSecret(randomBytes: (length: number) => Uint8Array): string {
  return PREFIX + base64url(randomBytes(RANDOM_BYTES));
}

/** What may be shown of a secret: an ellipsis and its last four characters. */
export function secretHint(secret: string): string {
  return `…${secret.slice(-4)}`;
}
