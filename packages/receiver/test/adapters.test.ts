import { once } from 'node:events';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReceiver, type Receiver } from '@trunkline/receiver';
import { expressHandler } from '@trunkline/receiver/express';
import { fastifyPlugin } from '@trunkline/receiver/fastify';
import { fetchHandler } from '@trunkline/receiver/fetch';
import { nodeHandler } from '@trunkline/receiver/node';
import { createEvent, signRequest, type SignedWebhook } from '@trunkline/receiver/testing';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';

interface Served {
  readonly url: string;
  stop(): Promise<unknown>;
}

const adapters: Record<string, (receiver: Receiver) => Promise<Served>> = {
  'node:http': (receiver) => listening(createServer(nodeHandler(receiver))),
  Express: (receiver) => {
    const app = express();
    app.post('/webhooks', expressHandler(receiver));
    app.use(express.json());
    return listening(createServer(handlerOf(app)));
  },
  'Express with express.raw()': (receiver) => {
    const app = express();
    app.post('/webhooks', express.raw({ type: () => true, limit: '2mb' }), expressHandler(receiver));
    return listening(createServer(handlerOf(app)));
  },
  'Express that keeps the bytes while it parses': (receiver) => {
    const app = express();
    app.use(
      express.json({
        limit: '2mb',
        verify: (req, _response, rawBody) => void Object.assign(req, { rawBody }),
      }),
    );
    app.post('/webhooks', expressHandler(receiver));
    return listening(createServer(handlerOf(app)));
  },
  Fastify: async (receiver) => {
    const app = Fastify();
    await app.register(fastifyPlugin(receiver), { prefix: '/webhooks' });
    app.post('/json', async ({ body }) => body);
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    return { url: `${address}/webhooks`, stop: () => app.close() };
  },
  Hono: async (receiver) => {
    const handle = fetchHandler(receiver);
    const app = new Hono().post('/webhooks', (c) => handle(c.req.raw));
    return listening(serve({ fetch: app.fetch, port: 0, overrideGlobalObjects: false }) as Server); // HTTP/2 was not requested
  },
};

describe.each(Object.entries(adapters))('the adapter for %s', (_name, start) => {
  const handler = vi.fn<() => void>();
  let server: Served;
  beforeAll(async () => (server = await start(createReceiver({ secret, on: { '*': handler } }))));
  afterAll(() => server.stop());
  const post = ({ method, headers, body }: SignedWebhook): Promise<Response> =>
    fetch(server.url, { method, headers, body });

  it('responds with 204 to an event, and to the same one again, and handles it once', async () => {
    const signed = await signRequest({ secret });
    const statuses = [(await post(signed)).status, (await post(signed)).status];
    expect(statuses).toEqual([204, 204]);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('responds with 401 and the reason to a body that was changed', async () => {
    const signed = await signRequest({ secret });
    const response = await post({ ...signed, body: signed.body.with(30, 0x20) });
    expect([response.status, await response.text()]).toEqual([401, 'signature_mismatch']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('responds with 401 to a header that comes twice', async () => {
    const { headers, body } = await signRequest({ secret });
    const twice = Object.entries(headers).map(([key, value]) => [
      key,
      key.endsWith('Signature') ? [value, value] : value,
    ]);
    const sent = request(server.url, {
      method: 'POST',
      headers: Object.fromEntries(twice) as Record<string, string>,
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }]; // by node:http
    response.resume();
    expect(response.statusCode).toBe(401);
  });

  it('takes a content type that the framework does not know', async () => {
    const { headers, ...signed } = await signRequest({ secret });
    expect(
      (await post({ ...signed, headers: { ...headers, 'Content-Type': 'application/x-odd' } })).status,
    ).toBe(204);
  });

  it('responds with 413 to 1 MiB and a byte, whether it is announced or not', async () => {
    const event = JSON.stringify(createEvent()).padEnd(1024 * 1024 + 1);
    const signed = await signRequest({ secret, body: event });
    expect((await post(signed)).status).toBe(413);
    const { headers, body } = signed;
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(body);
        controller.close();
      },
    });
    const streamed = { method: 'POST', headers, body: stream, duplex: 'half' } as const;
    expect((await fetch(server.url, streamed)).status).toBe(413);
  });

  it('accepts 1 MiB to the byte', async () => {
    const event = JSON.stringify(createEvent()).padEnd(1024 * 1024);
    const signed = await signRequest({ secret, body: event });
    expect((await post(signed)).status).toBe(204);
  });

  it('survives a sender that hangs up in the middle', async () => {
    const { headers, body } = await signRequest({ secret });
    const broken = request(server.url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': body.length },
    });
    broken.on('error', () => {});
    const closed = new Promise((resolve) => broken.on('close', resolve));
    broken.write(body.subarray(0, 10), () => broken.destroy());
    await closed;
    expect((await post(await signRequest({ secret }))).status).toBe(204);
  });
});

describe('a body that was already parsed', () => {
  const errors: string[] = [];
  const receiver = createReceiver({ secret, onError: (error) => errors.push(String(error)) });

  it('is reported with instructions for Express', async () => {
    const app = express();
    app.use(express.json());
    app.post('/webhooks', expressHandler(receiver));
    const server = await listening(createServer(handlerOf(app)));
    const response = await fetch(server.url, await signRequest({ secret }));
    await server.stop();
    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(/^body_not_bytes: .*before app\.use\(express\.json\(\)\)/);
    expect(errors.at(-1)).toContain('express.json({ verify:');
  });

  it('is reported with instructions for Next.js', async () => {
    const handle = nodeHandler(receiver);
    const server = await listening(
      createServer((incoming, response) => {
        // Like the bodyParser of Next.js.
        incoming
          .resume()
          .on('end', () => handle(Object.assign(incoming, { body: { id: 'evt_1' } }), response));
      }),
    );
    const response = await fetch(server.url, await signRequest({ secret }));
    await server.stop();
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('bodyParser: false'),
    ]);
  });

  it('is reported with instructions for a Fetch handler', async () => {
    const incoming = new Request('http://receiver.test/', await signRequest({ secret }));
    await incoming.json();
    const response = await fetchHandler(receiver)(incoming);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('clone()')]);
  });

  it('does not affect other routes of Fastify, which keep their parsers', async () => {
    const app = Fastify();
    app.post('/json', async ({ body }) => body);
    await app.register(fastifyPlugin(receiver), { prefix: '/webhooks' });
    const json = await app.inject({ method: 'POST', url: '/json', payload: { a: 1 } });
    expect(json.json()).toEqual({ a: 1 });
    const { headers, body } = await signRequest({ secret });
    const response = await app.inject({
      method: 'POST',
      url: '/webhooks',
      headers,
      payload: Buffer.from(body),
    });
    expect(response.statusCode).toBe(204);
    await app.close();
  });
});

it('node:http and Fetch handlers respond with 405 and Allow to other methods', async () => {
  const receiver = createReceiver({ secret });
  const server = await listening(createServer(nodeHandler(receiver)));
  const responses = [await fetch(server.url), await fetchHandler(receiver)(new Request(server.url))];
  await server.stop();
  expect(responses.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([
    [405, 'POST'],
    [405, 'POST'],
  ]);
});

async function listening(server: Server): Promise<Served> {
  if (!server.listening) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const { port } = server.address() as AddressInfo; // the server listens on a port
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/webhooks`, stop };
}

/** An Express application is a request listener with a wider declared type. */
function handlerOf(app: express.Express): RequestListener {
  return (incoming, response) => void app(incoming, response);
}
