import type { Sealer } from '../services/sealer.ts';
import { webhookSecretPurpose } from '../services/sealer.ts';

/** Of so many endpoints the secrets are kept: a few megabytes. */
const MAX_KEPT = 10_000;

/** The secret of an endpoint, in the clear. Throws when it was sealed for another endpoint or with another key. */
export type OpenSecret = (sealedSecret: string, webhookId: string) => string;

/**
 * Keeps the secrets that were opened last, in memory: opening one takes longer than signing with it. Each is found by what
 * it was sealed as, so that one that has been rotated, or sealed again with a new key, is opened again.
 */
export function openedSecrets(
  { openText }: Pick<Sealer, 'openText'>,
  maxKept: number = MAX_KEPT,
): OpenSecret {
  const opened = new Map<string, { readonly webhookId: string; readonly secret: string }>();
  return (sealedSecret, webhookId) => {
    const known = opened.get(sealedSecret);
    if (known?.webhookId === webhookId) return known.secret;
    const secret = openText(sealedSecret, webhookSecretPurpose(webhookId));
    const [oldest] = opened.keys();
    if (oldest !== undefined && opened.size >= maxKept) opened.delete(oldest);
    opened.set(sealedSecret, { webhookId, secret });
    return secret;
  };
}
