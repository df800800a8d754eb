import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeRuntime } from '@trunkline/core/node';
import { expressApp } from '../src/express.ts';
import { fastifyServer } from '../src/fastify.ts';
import { honoApp } from '../src/hono.ts';
import { nextRoute } from '../src/next-route.ts';
import { nodeServer } from '../src/node-server.ts';
import { everywherePublic, startService } from '../src/service.ts';
import type { Api } from '../src/service.ts';
import { listening } from './listening.ts';
import { smoke } from './smoke.ts';
import { startReceiver } from './webhook-receiver.ts';

const apiKey = 'the-key-of-the-smoke-test';

async function startApi(): Promise<Api> {
  const service = await startService(nodeRuntime({ dns: everywherePublic }), { apiKey });
  onTestFinished(() => service.stop());
  return service.api;
}

/** What the API is mounted in: where it listens, or how it is called in process. */
type Mounted = {
  readonly origin: string;
  readonly fetch: (url: string, init: RequestInit) => Response | Promise<Response>;
};

const mounts: Readonly<Record<string, (api: Api) => Promise<Mounted>>> = {
  async node(api) {
    const server = nodeServer(api, 0);
    onTestFinished(() => void server.close());
    return { origin: await listening(server), fetch };
  },
  async express(api) {
    const server = createServer(expressApp(api)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    return { origin: await listening(server), fetch };
  },
  async fastify(api) {
    const server = fastifyServer(api);
    onTestFinished(() => server.close());
    return { origin: await server.listen({ host: '127.0.0.1', port: 0 }), fetch };
  },
  async hono(api) {
    const app = honoApp(api);
    return { origin: 'http://localhost', fetch: (url, init) => app.request(url, init) };
  },
  async 'next-route'(api) {
    const route = nextRoute(api);
    const notOfTheRoute = (): Response => new Response(null, { status: 405 }); // as Next.js itself responds
    const fetch: Mounted['fetch'] = (url, init) => {
      const request = new Request(url, init);
      const handler = Object.entries(route).find(([method]) => method === request.method)?.[1];
      return (handler ?? notOfTheRoute)(request);
    };
    return { origin: 'http://localhost', fetch };
  },
};

describe('the API works', () => {
  it.each(Object.entries(mounts))('in %s', async (_name, mount) => {
    const mounted = await mount(await startApi());
    await smoke({ ...mounted, apiKey, everyRole: true, receiverUrl: await startReceiver() });
  });
});

describe('the rest of the app still works', () => {
  it.each(['express', 'fastify', 'hono'])('in %s', async (name) => {
    const mounted = await mounts[name]?.(await startApi());
    const response = await mounted?.fetch(`${mounted.origin}/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"id":4711}',
    });
    expect(await response?.json()).toEqual({ ordered: { id: 4711 } });
  });
});
