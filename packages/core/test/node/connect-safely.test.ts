import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { connectSafely } from '@trunkline/core/node';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { freePort } from '@trunkline/test-support/free-port';
import { Authority } from './certificates.ts';
import { OK, Servers, respondOk } from './servers.ts';

const servers = new Servers();
afterEach(() => servers.close());
let authority: Authority;
beforeAll(async () => {
  authority = await Authority.create();
});

const at = (...addresses: string[]) => ({
  dns: { resolve: async () => addresses },
  policy: 'local' as const,
});
const signal = (): AbortSignal => AbortSignal.timeout(HANG_MS);

it('connectSafely connects to the address that was checked', async () => {
  const { port } = await servers.raw(respondOk, '127.0.0.2');
  const { url, socket, address } = await connectSafely(`http://app.test:${port}/a`, {
    ...at('127.0.0.2'),
    signal: signal(),
  });
  expect([url.hostname, url.path, address, socket.remoteAddress]).toEqual([
    'app.test',
    '/a',
    '127.0.0.2',
    '127.0.0.2',
  ]);
  socket.write('hello');
  expect(String(await once(socket, 'data'))).toBe(OK);
  socket.destroy();
});

it('connectSafely verifies the name of an https URL', async () => {
  const { key, cert } = await authority.issue({ names: ['app.test'] });
  const { port } = await servers.tls({ key, cert });
  const options = { ...at('127.0.0.1'), tls: { ca: [authority.cert] } };
  const { socket } = await connectSafely(`https://app.test:${port}/`, { ...options, signal: signal() });
  expect((socket as TLSSocket).authorized).toBe(true); // a TLSSocket, as the URL is https
  socket.destroy();
  await expect(
    connectSafely(`https://other.test:${port}/`, { ...options, signal: signal() }),
  ).rejects.toMatchObject({ code: 'TLS_FAILED' });
});

it.each([
  ['a URL that breaks the rules', 'https://user@app.test/', ['8.8.8.8'], 'UNSAFE_URL'],
  ['an address that is not public', 'https://10.0.0.1/', [], 'UNSAFE_URL'],
  ['a name with an address that is not public', 'https://app.test/', ['8.8.8.8', '10.0.0.1'], 'UNSAFE_URL'],
  ['a name without an address', 'https://app.test/', [], 'DNS_FAILED'],
])('connectSafely refuses %s', async (_, url, addresses, code) => {
  const dns = { resolve: async () => addresses };
  await expect(connectSafely(url, { dns, signal: signal() })).rejects.toMatchObject({ code });
});

it('connectSafely reports that no server listens', async () => {
  const port = await freePort();
  await expect(
    connectSafely(`http://127.0.0.1:${port}/`, { policy: 'local', signal: signal() }),
  ).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
});

it('connectSafely ends with its signal, wherever it hangs', async () => {
  const abort = new AbortController();
  const hanging = { resolve: () => new Promise<never>(() => {}) };
  const connecting = connectSafely('https://app.test/', { dns: hanging, signal: abort.signal });
  abort.abort(new Error('too late'));
  await expect(connecting).rejects.toThrow('too late');

  const { port } = await servers.raw((socket) => void socket.resume());
  const handshake = new AbortController();
  const securing = connectSafely(`https://127.0.0.1:${port}/`, { policy: 'local', signal: handshake.signal });
  const failed = expect(securing).rejects.toThrow('too late');
  await eventually(() => expect(servers.open).toBe(1));
  handshake.abort(new Error('too late'));
  await failed;
  await eventually(() => expect(servers.open).toBe(0));
});
