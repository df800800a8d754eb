import { checkSecret } from './secret.ts';
import { createSignature } from './signature.ts';
import { isTimestamp } from './timestamp.ts';

export interface SignWebhookOptions {
  /** The endpoint's secret, whole (`whsec_…`). */
  readonly secret: string;
  /** Unix time in seconds: the text of the `X-Service-Timestamp` header that goes with the signature. */
  readonly timestamp: number | string;
  /** Exactly what is sent; text is sent as UTF-8. */
  readonly body: string | Uint8Array;
}

/** The value of the `X-Service-Signature` header. Rejects when the secret or the timestamp is not one. */
export async function signWebhook(options: SignWebhookOptions): Promise<string> {
  checkSecret(options.secret);
  const timestamp = String(options.timestamp);
  if (!isTimestamp(timestamp)) throw new TypeError('timestamp must be Unix time in whole seconds.');
  return createSignature(options.secret, timestamp, options.body);
}
