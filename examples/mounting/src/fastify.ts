import { getRequestListener } from '@hono/node-server';
import fastify from 'fastify';
import type { FastifyInstance, RouteHandler } from 'fastify';
import type { Api, Mountable } from './service.ts';

/** Your Fastify server, with the API and the dashboard in it. */
export function fastifyServer({ api, dashboard }: Mountable): FastifyInstance {
  const yours = fastify();
  yours.register(async (scope) => {
    // In a separate scope, because no body may be read before these handlers run.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/api/v1/*', handlerOf(api));
    scope.all('/messaging', handlerOf(dashboard));
    scope.all('/messaging/*', handlerOf(dashboard));
  });
  yours.post('/orders', async (request) => ({ ordered: request.body }));
  return yours;
}

function handlerOf({ fetch }: Api): RouteHandler {
  const listener = getRequestListener((request) => fetch(request), { overrideGlobalObjects: false });
  return (request, reply) => {
    reply.hijack();
    return listener(request.raw, reply.raw);
  };
}
