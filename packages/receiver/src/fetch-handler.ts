import { responseTo } from './response.ts';
import type { Receiver } from './create-receiver.ts';
import type { WebhookBody } from './read-body.ts';

/**
 * A handler for any framework that passes a Fetch `Request` and takes a `Response`: Next.js route handlers, Hono, Bun,
 * Deno, Cloudflare Workers. The handler never rejects.
 *
 * @example
 * export const POST = fetchHandler(receiver); // app/webhooks/route.ts in Next.js
 */
export function fetchHandler(receiver: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const { method, headers } = request;
    // Undefined if the body has already been read; the receiver reports that.
    const body = (request.bodyUsed ? undefined : (request.body ?? new Uint8Array())) as WebhookBody;
    const result = await receiver.receive({ method, headers, body, rawBodyFix: RAW_BODY_FIX });
    const response = responseTo(result);
    return new Response(response.status === 204 ? null : response.text, response);
  };
}

const RAW_BODY_FIX =
  'Give the handler the Request before anything else calls its json(), text() or arrayBuffer(), or read a clone().';
