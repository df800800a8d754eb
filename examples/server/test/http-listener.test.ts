import { Agent, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { listen } from '../src/http-listener.ts';
import type { HttpListener } from '../src/http-listener.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

describe('The HTTP listener', () => {
  it('answers what is under way before it closes', async () => {
    const came = Promise.withResolvers<void>();
    const late = Promise.withResolvers<Response>();
    const listener = await listen(anyPort, () => {
      came.resolve();
      return late.promise;
    });
    const answer = fetch(listener.url);
    await came.promise;
    const closed = listener.close();
    late.resolve(new Response('late'));
    expect(await (await answer).text()).toBe('late');
    await closed;
    await expect(fetch(listener.url)).rejects.toThrow('fetch failed');
  });

  it('answers the next request of a client that has kept its connection, and tells that it is the last', async () => {
    const listener = await listen(anyPort, () => new Response('here'));
    const get = clientOf(listener);
    expect(await get()).toEqual({ body: 'here', connection: 'keep-alive' });
    const closed = listener.close();
    expect(await get()).toEqual({ body: 'here', connection: 'close' });
    await closed;
  });

  it('does not wait for clients that say nothing more', async () => {
    const listener = await listen(anyPort, () => new Response('here'));
    await clientOf(listener)();
    await listener.close();
  });

  it('serves what it is told to', async () => {
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

  it('complains about a port that is in use', async () => {
    const listener = await listen(anyPort, () => new Response('here'));
    const port = Number(new URL(listener.url).port);
    await expect(listen({ host: '127.0.0.1', port }, () => new Response())).rejects.toThrow(
      `PORT ${port} is in use`,
    );
    await listener.close();
  });
});

/** A client that keeps its one connection. */
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
