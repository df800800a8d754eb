import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { elapsing, until } from '@trunkline/test-support';
import { listen } from '../src/http/http-listener.ts';
import type { HttpListener } from '../src/http/http-listener.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

describe('The HTTP listener', () => {
  it('finishes the requests in flight before it closes', async () => {
    const came = Promise.withResolvers<void>();
    const late = Promise.withResolvers<Response>();
    const listener = await listen(anyPort, () => {
      came.resolve();
      return late.promise;
    });
    const reply = fetch(listener.url);
    await came.promise;
    const closed = listener.close();
    late.resolve(new Response('late'));
    expect(await (await reply).text()).toBe('late');
    await closed;
    await expect(fetch(listener.url)).rejects.toThrow('fetch failed');
  });

  it('serves the next request of a client that has kept its connection, and says that it is the last', async () => {
    const listener = await listen(anyPort, () => new Response('here'));
    const get = clientOf(listener);
    expect(await get()).toEqual({ body: 'here', connection: 'keep-alive' });
    const closed = listener.close();
    expect(await get()).toEqual({ body: 'here', connection: 'close' });
    await closed;
  });

  it('ends the connections of clients that say nothing more, rather than wait for them', async () => {
    const listener = await listen(anyPort, () => new Response('here'));
    const get = clientOf(listener);
    expect(await get()).toEqual({ body: 'here', connection: 'keep-alive' });
    await listener.close();
    await expect(get()).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
  });

  it('serves with its latest handler', async () => {
    const listener = await listen(anyPort, () => new Response('starting'));
    const get = clientOf(listener);
    expect(await get()).toMatchObject({ body: 'starting' });
    listener.serve(() => new Response('started'));
    expect(await get()).toMatchObject({ body: 'started' });
    await listener.close();
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );
  it.runIf(hasIpv6)('has IPv6 addresses too', async () => {
    const listener = await listen({ host: '::1', port: 0 }, () => new Response('here'));
    expect(listener.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await (await fetch(listener.url)).text()).toBe('here');
    await listener.close();
  });

  it('cuts off a response that its client does not read, and ends its stream', async () => {
    let isCancelled = false;
    const endless = (): Response =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
          cancel: () => void (isCancelled = true),
        }),
      );
    const listener = await listen(anyPort, endless, { stalledAfterMs: elapsing(200) });
    const socket = await request11(listener, 'GET / HTTP/1.1', 'Host: a');
    socket.pause();
    await until('the response is cut off', () => isCancelled);
    const closed = new Promise((resolve) => socket.once('close', resolve)); // a reset is possible, too
    socket.on('error', () => {}).resume();
    await closed;
    expect(socket.bytesRead).toBeGreaterThan(0);
    await listener.close();
  });

  it('cuts off the oldest responses if clients leave too much unread, and no other', async () => {
    const megabytes = 8;
    const listener = await listen(anyPort, () => new Response('x'.repeat(megabytes * 1_048_576)), {
      unreadMax: 20 * 1_048_576,
    });
    const sockets = [];
    for (let client = 0; client < 3; client++) {
      const socket = await request11(listener, 'GET / HTTP/1.1', 'Host: a', 'Connection: close');
      await once(socket, 'readable'); // so that the next response is younger
      sockets.push(socket);
    }
    const [oldest, ...others] = await Promise.all(sockets.map((socket) => lengthOf(socket)));
    expect(oldest).toBeLessThan(megabytes * 1_048_576);
    for (const length of others) expect(length).toBeGreaterThan(megabytes * 1_048_576);
    await listener.close();
  });

  it('does not cut off a client that reads a response slowly, or waits for it', async () => {
    const chunks = 40;
    const listener = await listen(
      anyPort,
      async () => {
        await setTimeout(3_500);
        return new Response(
          new ReadableStream({
            async start(controller) {
              for (let chunk = 0; chunk < chunks; chunk++) {
                controller.enqueue(new Uint8Array(1_000));
                await setTimeout(100);
              }
              controller.close();
            },
          }),
        );
      },
      // Longer than a busy machine holds up this process.
      { stalledAfterMs: elapsing(3_000) },
    );
    expect((await (await fetch(listener.url)).arrayBuffer()).byteLength).toBe(chunks * 1_000);
    await listener.close();
  });

  it.each([
    ['two Host headers', ['GET / HTTP/1.1', 'Host: a', 'Host: b']],
    ['the same Host header twice', ['GET / HTTP/1.1', 'Host: a', 'hOST: a']],
    ['no Host header', ['GET / HTTP/1.1', 'Accept: */*']],
    [
      'a length and chunks',
      ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Transfer-Encoding: chunked'],
    ],
    ['two lengths', ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Content-Length: 4']],
    [
      'chunks that are not the last coding',
      ['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked, gzip'],
    ],
    ['a space before a colon', ['POST / HTTP/1.1', 'Host: a', 'Content-Length : 3']],
    ['a folded header', ['POST / HTTP/1.1', 'Host: a', 'X-A: b', ' Content-Length: 3']],
  ])('refuses a request with %s, before anything is served, and closes the connection', async (_, lines) => {
    let served = 0;
    const listener = await listen(anyPort, () => {
      served += 1;
      return new Response('here');
    });
    const socket = await request11(listener, ...lines);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(served).toBe(0);
    await listener.close();
  });

  it.each([
    ['GET / HTTP/1.1', ['Host: a', 'Host: b'], 'it has more than one Host header'],
    ['GET / HTTP/1.1', ['Accept: */*'], 'it has no Host header'],
    ['GET / HTTP/1.0', ['Host: a', 'Host: b'], 'it has more than one Host header'],
    ['GET / HTTP/1.1', ['Host: a b'], 'its Host header and its path are not an address'],
    ['GET / HTTP/1.1', ['Host: a"><script>'], 'its Host header and its path are not an address'],
    ['GET /a\\b HTTP/1.1', ['Host: a'], 'its Host header and its path are not an address'],
    ['GET http:// HTTP/1.1', ['Host: a'], 'its Host header and its path are not an address'],
    ['OPTIONS * HTTP/1.1', ['Host: a'], 'its Host header and its path are not an address'],
  ])('refuses %s and %j in the shape of the API', async (line, headers, what) => {
    const listener = await listen(anyPort, () => new Response('here'));
    const reply = await text(await request11(listener, line, ...headers));
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1))).toEqual({
      error: {
        code: 'VALIDATION_FAILED',
        message: `The request is not valid: ${what}.`,
        request_id: null,
        details: { fields: { Host: [expect.any(String)] } },
      },
    });
    await listener.close();
  });

  it.each(['GET', 'HEAD'])(
    'serves %s of HTTP/1.0 without a Host header, as health checks send it',
    async (method) => {
      const listener = await listen(anyPort, (request) => Response.json({ url: request.url }));
      const reply = await text(await request11(listener, `${method} /healthz HTTP/1.0`));
      expect(reply).toMatch(/^HTTP\/1\.1 200 /);
      if (method === 'GET') expect(reply).toContain(`{"url":"${listener.url}/healthz"}`);
      await listener.close();
    },
  );

  it('keeps idle connections longer than a proxy in front of it does', async () => {
    const listener = await listen(anyPort, () => new Response('here'));
    const socket = await request11(listener, 'GET / HTTP/1.1', 'Host: a');
    const [reply] = await once(socket, 'data');
    expect(String(reply)).toMatch(/^Keep-Alive: timeout=75\r$/m);
    socket.destroy();
    await listener.close();
  });

  it('responds in the shape of the API when its handler fails, and logs why', async () => {
    const error = vi.fn();
    const listener = await listen(anyPort, () => Promise.reject(new Error('a defect')), {
      logger: { ...silentLogger, error },
    });
    const response = await fetch(listener.url);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: 'INTERNAL_ERROR', request_id: null } });
    expect(error).toHaveBeenCalledExactlyOnceWith(
      { err: new Error('a defect') },
      expect.stringContaining('fix the cause in err'),
    );
    await listener.close();
  });

  it('reads a body that is already refused, however slowly, and serves the next request', async () => {
    const listener = await listen(anyPort, ({ method }) => new Response(`${method} served`));
    const socket = await request11(listener, 'POST / HTTP/1.1', 'Host: a', 'Content-Length: 20');
    let seen = '';
    socket.on('data', (chunk) => (seen += String(chunk)));
    await until('the response to the first', () => seen.includes('POST served'));
    for (let part = 0; part < 4; part++) {
      await setTimeout(300);
      socket.write('12345');
    }
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('the response to the second', () => seen.includes('GET served'));
    socket.destroy();
    await listener.close();
  });

  it('cuts off a refused body that has no end', async () => {
    const listener = await listen(anyPort, () => new Response('refused'), { refusedBodyMax: 1_000_000 });
    const socket = await request11(listener, 'POST / HTTP/1.1', 'Host: a', 'Content-Length: 90000000');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    const isTaken = (): Promise<unknown> =>
      new Promise((resolve) => socket.write(Buffer.alloc(100_000), resolve));
    while (!socket.destroyed) await Promise.race([isTaken(), closed]);
    await listener.close();
  });

  it('complains about a port that is in use', async () => {
    const listener = await listen(anyPort, () => new Response('here'));
    const port = Number(new URL(listener.url).port);
    await expect(listen({ host: '127.0.0.1', port }, () => new Response())).rejects.toThrow(
      `PORT ${port} is in use`,
    );
    await listener.close();
  });
});

async function request11({ url }: HttpListener, ...lines: readonly string[]): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}); // the server may hang up
  await once(socket, 'connect');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

async function lengthOf(socket: Socket): Promise<number> {
  const closed = new Promise((resolve) => socket.once('close', resolve)); // a reset is possible, too
  socket.resume();
  await closed;
  return socket.bytesRead;
}

function clientOf({ url }: HttpListener): () => Promise<{ body: string; connection: string | undefined }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return () =>
    new Promise((resolve, reject) => {
      request(url, { agent }, (response) => {
        text(response).then((body) => resolve({ body, connection: response.headers.connection }), reject);
      })
        .on('error', reject)
        .end();
    });
}
