import type { IncomingMessage, ServerResponse } from 'node:http';
import { responseTo } from '../response.ts';
import { bytesOf } from '../bytes.ts';
import type { IncomingWebhook, Receiver } from '../create-receiver.ts';
import type { ReceiveResult } from '../receive-result.ts';

/** Node's request, with the properties that a framework may have added. */
export type NodeRequest = IncomingMessage & {
  /** The body, as read by a body parser. */
  readonly body?: unknown;
  /** The bytes of the body, if the framework keeps them. */
  readonly rawBody?: unknown;
};

/** A handler for `createServer` of `node:http`, and for frameworks that pass the same arguments. */
export type NodeRequestHandler = (request: NodeRequest, response: ServerResponse) => void;

export function nodeRequestHandler(receiver: Receiver, rawBodyFix: string): NodeRequestHandler {
  // Returns a promise for callers that wait for one, such as Next.js. The promise never rejects, so waiting is optional.
  // oxlint-disable-next-line typescript/no-misused-promises -- see above
  return async (request, response) =>
    sendResponse(response, await receiver.receive(incomingWebhook(request, rawBodyFix)));
}

export function incomingWebhook(request: NodeRequest, rawBodyFix: string): IncomingWebhook {
  const { method, headers } = request;
  // Anything but bytes or a stream is reported as `body_not_bytes`.
  return { method, headers, body: rawBodyOf(request) as IncomingWebhook['body'], rawBodyFix };
}

/** The bytes that a framework has kept, else the unread stream, else the parsed body. */
function rawBodyOf(request: NodeRequest): unknown {
  for (const kept of [request.rawBody, request.body]) {
    if (bytesOf(kept) !== undefined) return kept;
  }
  if (request.readableDidRead) return request.body;
  // Leaving the loop early must not destroy the socket, which the response still needs.
  return request.iterator({ destroyOnReturn: false });
}

/** Does nothing if a response was already sent, or the sender has disconnected. */
function sendResponse(response: ServerResponse, result: ReceiveResult): void {
  if (response.headersSent || response.destroyed) return;
  const { status, headers, text } = responseTo(result);
  response.writeHead(status, headers).end(text);
}
