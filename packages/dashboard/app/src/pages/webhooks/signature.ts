import {
  DEFAULT_TOLERANCE_SECONDS,
  SIGNATURE_HEADER,
  signWebhook,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
  verify,
} from '@trunkline/receiver';
import type { VerifyFailureReason } from '@trunkline/receiver';

// Everything here runs in the browser, so that no secret is sent anywhere.

/** The webhook's secret, and a request from the receiver's log. */
interface Received {
  readonly secret: string;
  /** One header per line: `X-Service-Timestamp: 1767225600`. */
  readonly headers: string;
  readonly body: string;
}

interface Checked {
  /** Null if the signature is right. */
  readonly wrong: VerifyFailureReason | null;
  /** The time of the signature in epoch milliseconds, from its header; null if the header is not a time. */
  readonly signedAt: number | null;
}

/** How long receivers accept a signature by default. */
export const TOLERANCE_MS: number = DEFAULT_TOLERANCE_SECONDS * 1_000;

/** Whether Web Crypto is available: browsers have it only on https and localhost. */
export function canSign(): boolean {
  return isSecureContext;
}

/** Checks whether the signature is right, regardless of its age. */
export async function checkSignature({ secret, headers: lines, body }: Received): Promise<Checked> {
  const headers = headersIn(lines);
  const seconds = headers.get(TIMESTAMP_HEADER) ?? headers.get(STANDARD_TIMESTAMP_HEADER);
  const signedAt = seconds !== null && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : null;
  const result = await verify({
    secret: secret.trim(),
    headers,
    body: new TextEncoder().encode(body),
    // The page checks a past request, not whether a receiver would still accept it.
    ...(signedAt !== null && { receivedAt: signedAt }),
  });
  return { wrong: result.ok ? null : result.reason, signedAt };
}

/** Signs the body with the current time. Returns the signature's headers. */
export async function signatureHeaders(
  secret: string,
  body: string,
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return {
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: await signWebhook({ secret: secret.trim(), timestamp, body }),
  };
}

/** Skips lines that are not headers, because people paste whole requests. */
function headersIn(lines: string): Headers {
  const headers = new Headers();
  for (const line of lines.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1)].map(withoutQuotes);
    if (!name || !value) continue;
    try {
      headers.append(name, value);
    } catch {
      // The line is not a valid header.
    }
  }
  return headers;
}

/** Also removes the quotes and the comma that a name or value has in a JSON log. */
function withoutQuotes(text: string): string {
  return text
    .trim()
    .replace(/,$/, '')
    .replaceAll(/^["']|["']$/g, '');
}
