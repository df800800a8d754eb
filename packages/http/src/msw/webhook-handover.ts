import { withDeadline } from '@trunkline/core/spi/runtime';
import type { Clock, WebhookRequest, WebhookResponse, WebhookSender } from '@trunkline/core/spi/runtime';

/** Receives a webhook as a server would. */
export type WebhookReceiver = (request: Request) => Response | Promise<Response>;

/** One attempt to deliver a webhook: the request as it was sent. */
export interface SentWebhook {
  /** The URL of the endpoint. */
  readonly url: string;
  /** The headers with the signature, for `verify` of `@trunkline/receiver`. */
  readonly headers: Headers;
  /** The JSON of the event. */
  readonly body: string;
}

/** How long a receiver may take to respond (specification, "Receiver response and delivery behaviour"). */
const RESPONSE_TIMEOUT_MS = 10_000;

/** A sender that passes requests to a receiver in this process instead of over the network. */
export function webhookHandover(
  receive: WebhookReceiver,
  { clock, sent }: { readonly clock: Clock; readonly sent: SentWebhook[] },
): WebhookSender {
  return {
    async send(webhook) {
      const headers = new Headers(pairs(webhook.headers));
      sent.push({ url: webhook.url, headers, body: webhook.body });
      const abort = new AbortController();
      const request = requestOf(webhook, abort.signal);
      const limit = { what: 'A receiver', ms: RESPONSE_TIMEOUT_MS };
      try {
        return await withDeadline(clock, limit, outcomeOf(receive, request));
      } catch {
        return { errorCode: 'TIMEOUT', responseStatus: null, responseBody: null };
      } finally {
        abort.abort();
      }
    },
    async close() {},
  };
}

function requestOf({ url, headers, body }: WebhookRequest, signal: AbortSignal): Request {
  return new Request(url, { method: 'POST', headers: pairs(headers), body, redirect: 'manual', signal });
}

/** Groups a flat list of names and values into pairs. */
function pairs(list: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let i = 0; i + 1 < list.length; i += 2) found.push([list[i] ?? '', list[i + 1] ?? '']);
  return found;
}

/** The outcome of an attempt, by the rules of real attempts: only a 2xx counts as a success. Never rejects. */
async function outcomeOf(receive: WebhookReceiver, request: Request): Promise<WebhookResponse> {
  try {
    const response = await receive(request);
    const responseBody = await response.text();
    const { status: responseStatus } = response;
    if (response.ok) return { errorCode: null, responseStatus, responseBody };
    const redirects = responseStatus >= 300 && responseStatus < 400;
    return { errorCode: redirects ? 'REDIRECT' : 'HTTP_ERROR', responseStatus, responseBody };
  } catch {
    return { errorCode: 'CONNECTION_FAILED', responseStatus: null, responseBody: null };
  }
}
