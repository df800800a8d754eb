import { checkSecret } from './secret.ts';
import { createSignature } from './signature.ts';
import { createStandardSignature, isStandardId } from './standard-signature.ts';
import { isTimestamp } from './timestamp.ts';

/** The options of `signWebhook`. */
export interface SignWebhookOptions {
  /** The endpoint's whole secret (`whsec_…`). */
  readonly secret: string;
  /** Unix time in seconds: the text of the `X-Service-Timestamp` header that goes with the signature. */
  readonly timestamp: number | string;
  /** Exactly the body that is sent. Text is signed as UTF-8. */
  readonly body: string | Uint8Array;
}

/** Returns the value of the `X-Service-Signature` header. Rejects if the secret or the timestamp is not valid. */
export async function signWebhook(options: SignWebhookOptions): Promise<string> {
  const timestamp = checkedTimestamp(options);
  return createSignature(options.secret, timestamp, options.body);
}

/** The options of `signStandardWebhook`. */
export interface SignStandardWebhookOptions extends SignWebhookOptions {
  /** The text of the `webhook-id` header: the event's id. */
  readonly id: string;
}

/**
 * Returns the value of the `webhook-signature` header of Standard Webhooks. Rejects if the secret, the id or the
 * timestamp is not valid. The secret must be base64.
 */
export async function signStandardWebhook(options: SignStandardWebhookOptions): Promise<string> {
  const timestamp = checkedTimestamp(options);
  const { secret, id, body } = options;
  if (!isStandardId(id))
    throw new TypeError('signStandardWebhook: id must be 1 to 255 letters, digits, "_" or "-".');
  return createStandardSignature(secret, { id, timestamp, body });
}

function checkedTimestamp({ secret, timestamp }: SignWebhookOptions): string {
  checkSecret(secret);
  const text = String(timestamp);
  if (!isTimestamp(text)) throw new TypeError('timestamp must be Unix time in whole seconds.');
  return text;
}
