import type { Receiver } from '../create-receiver.ts';
import { nodeRequestHandler, type NodeRequestHandler } from './node-request-handler.ts';

export type { NodeRequest, NodeRequestHandler } from './node-request-handler.ts';

/**
 * A handler for `node:http`, and for frameworks that pass on its requests, such as the Pages Router of Next.js.
 *
 * @example
 * createServer(nodeHandler(receiver)).listen(3000);
 */
export function nodeHandler(receiver: Receiver): NodeRequestHandler {
  return nodeRequestHandler(receiver, RAW_BODY_FIX);
}

const RAW_BODY_FIX =
  'Call the handler before anything reads the request. Next.js, Pages Router: export const config = { api: { bodyParser: false } }.';
