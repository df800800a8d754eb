import { responseTo } from '../response.ts';
import type { Receiver } from '../create-receiver.ts';
import { incomingWebhook, type NodeRequest } from './node-request-handler.ts';

export type { NodeRequest } from './node-request-handler.ts';

/** The methods of a Fastify instance (4 or 5) that are used. */
export interface FastifyLike {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown;
}

export interface FastifyRequestLike {
  readonly raw: NodeRequest;
  readonly body: unknown;
}

export interface FastifyReplyLike {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(payload: string): unknown;
}

/**
 * A Fastify plugin with one route, POST on its prefix. It parses no body; the rest of the application keeps its
 * parsers.
 *
 * @example
 * app.register(fastifyPlugin(receiver), { prefix: '/webhooks' });
 */
export function fastifyPlugin(receiver: Receiver): (app: FastifyLike) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.post('/', async (request, reply) => {
      const result = await receiver.receive(incomingWebhook(request.raw, RAW_BODY_FIX));
      const { status, headers, text } = responseTo(result);
      reply.code(status);
      reply.headers({ ...headers });
      return reply.send(text);
    });
  };
}

const RAW_BODY_FIX =
  'Fastify: a hook (preParsing, onRequest) or a plugin around this one has read the body; leave the webhook route out of it.';
