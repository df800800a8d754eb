import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Chatwoot signs webhooks with the inbox's secret. For earlier versions, which do not sign, the webhook URL ends with a
 * secret, such as `https://bridge.example.com/chatwoot/<secret>`.
 */
export type WebhookAuthenticity = { readonly signedWith: string } | { readonly secretInPath: string };

const TOLERANCE_SECONDS = 300;

export function isAuthentic(how: WebhookAuthenticity, request: Request, body: Uint8Array): boolean {
  if ('secretInPath' in how) {
    const [last = ''] = new URL(request.url).pathname.split('/').slice(-1);
    return how.secretInPath !== '' && isSame(last, how.secretInPath);
  }
  const timestamp = request.headers.get('x-chatwoot-timestamp') ?? '';
  const signature = request.headers.get('x-chatwoot-signature') ?? '';
  if (how.signedWith === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', how.signedWith).update(`${timestamp}.`).update(body).digest('hex');
  return isSame(signature, `sha256=${expected}`);
}

/** Compares digests, because a constant-time comparison needs equal lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
