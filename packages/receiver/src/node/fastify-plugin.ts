import { responseTo } from '../response.ts';
import type { Receiver } from '../create-receiver.ts';
import { incomingWebhook, type NodeRequest } from './node-request-handler.ts';

export type { NodeRequest } from './node-request-handler.ts';

/** The methods of a Fastify instance (4 or 5) that the plugin uses. */
export interface FastifyLike {
  /** As in Fastify. */
  removeAllContentTypeParsers(): void;
  /** As in Fastify. */
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown;
  /** As in Fastify. */
  post(
    path: string,
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown;
}

/** The properties of a Fastify request that the plugin uses. */
export interface FastifyRequestLike {
  /** Node's request. */
  readonly raw: NodeRequest;
  /** The parsed body, if a parser has read it. */
  readonly body: unknown;
}

/** The methods of a Fastify reply that the plugin uses. */
export interface FastifyReplyLike {
  /** As in Fastify. */
  code(status: number): unknown;
  /** As in Fastify. */
  headers(values: Record<string, string>): unknown;
  /** As in Fastify. */
  send(payload: string): unknown;
}

/**
 * A Fastify plugin with one route, POST on its prefix. The plugin parses no bodies. The rest of the application keeps
 * its parsers.
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
