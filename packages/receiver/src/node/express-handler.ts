import type { Receiver } from '../create-receiver.ts';
import { nodeRequestHandler, type NodeRequestHandler } from './node-request-handler.ts';

export type { NodeRequest, NodeRequestHandler } from './node-request-handler.ts';

/**
 * A handler for Express 4 and 5, and Connect. It reads the body itself, so it must come before any body parser. It also
 * accepts the bytes that `express.raw()` has read.
 *
 * @example
 * app.post('/webhooks', expressHandler(receiver)); // before app.use(express.json())
 */
export function expressHandler(receiver: Receiver): NodeRequestHandler {
  return nodeRequestHandler(receiver, RAW_BODY_FIX);
}

const RAW_BODY_FIX =
  'Express: put app.post(path, expressHandler(receiver)) before app.use(express.json()). If that is not possible, keep the bytes: ' +
  'express.json({ verify: (request, response, bytes) => { request.rawBody = bytes; } }).';
