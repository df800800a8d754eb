import { base64 } from '../base-encoding.ts';
import type { Endpoint } from './endpoint.ts';

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

/** The secrets of an endpoint, one of which signs. */
export type EndpointSecrets = Pick<Endpoint, 'sealedSecret' | 'sealedPreviousSecret' | 'secretBeginsAt'>;

/** The sealed secret that signs an attempt at `now`. */
export function signingSecret(
  { sealedSecret, sealedPreviousSecret, secretBeginsAt }: EndpointSecrets,
  now: number,
): string {
  return sealedPreviousSecret !== null && secretBeginsAt !== null && now < secretBeginsAt
    ? sealedPreviousSecret
    : sealedSecret;
}

/** The secrets once `sealedSecret` has replaced the one that signs now: immediately if `afterMs` is 0, otherwise then. */
export function rotated(
  endpoint: EndpointSecrets,
  sealedSecret: string,
  { now, afterMs }: { readonly now: number; readonly afterMs: number },
): EndpointSecrets {
  if (afterMs === 0) return { sealedSecret, sealedPreviousSecret: null, secretBeginsAt: null };
  return {
    sealedSecret,
    sealedPreviousSecret: signingSecret(endpoint, now),
    secretBeginsAt: now + afterMs,
  };
}

/** The hint that may be shown of a secret: an ellipsis and its last four characters. */
export function secretHint(secret: string): string {
  return `…${secret.slice(-4)}`;
}
