import { getRequestListener } from '@hono/node-server';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { Api } from './service.ts';

/** A Fastify server of yours, with the API in it. */
export function fastifyServer(api: Api): FastifyInstance {
  const yours = fastify();
  const listener = getRequestListener((request) => api.fetch(request), { overrideGlobalObjects: false });
  yours.register(async (scope) => {
    // In a scope of its own, as here no body may be read in front of the API.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/api/v1/*', (request, reply) => {
      reply.hijack();
      return listener(request.raw, reply.raw);
    });
  });
  yours.post('/orders', async (request) => ({ ordered: request.body }));
  return yours;
}
