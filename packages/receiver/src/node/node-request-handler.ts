import type { IncomingMessage, ServerResponse } from 'node:http';
import { responseTo } from '../response.ts';
import { bytesOf } from '../bytes.ts';
import type { IncomingWebhook, Receiver } from '../create-receiver.ts';
import type { ReceiveResult } from '../receive-result.ts';

/** What a framework may have put on Node's request. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

export type NodeRequestHandler = (request: NodeRequest, response: ServerResponse) => void;

export function nodeRequestHandler(receiver: Receiver, rawBodyFix: string): NodeRequestHandler {
  // A promise for those who wait for one, such as Next.js. It never rejects, so nobody has to.
  // oxlint-disable-next-line typescript/no-misused-promises -- see above
  return async (request, response) =>
    sendResponse(response, await receiver.receive(incomingWebhook(request, rawBodyFix)));
}

export function incomingWebhook(request: NodeRequest, rawBodyFix: string): IncomingWebhook {
  const { method, headers } = request;
  // Not checked here: what is neither bytes nor a stream is reported as `body_not_bytes`.
  return { method, headers, body: rawBodyOf(request) as IncomingWebhook['body'], rawBodyFix };
}

/** The bytes that a framework has kept, else the stream if nobody has read it, else what was made of it. */
function rawBodyOf(request: NodeRequest): unknown {
  for (const kept of [request.rawBody, request.body]) {
    if (bytesOf(kept) !== undefined) return kept;
  }
  if (request.readableDidRead) return request.body;
  // Leaving the loop early must not destroy the socket: the response has yet to go out on it.
  return request.iterator({ destroyOnReturn: false });
}

/** Leaves a response alone that has been sent, or whose sender has gone. */
function sendResponse(response: ServerResponse, result: ReceiveResult): void {
  if (response.headersSent || response.destroyed) return;
  const { status, headers, text } = responseTo(result);
  response.writeHead(status, headers).end(text);
}
