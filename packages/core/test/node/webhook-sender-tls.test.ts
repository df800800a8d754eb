import { once } from 'node:events';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { elapsing, HANG_MS } from '@trunkline/test-support';
import { undiciWebhookSender } from '@trunkline/core/node';
import type { WebhookRequest, WebhookSender } from '../../src/ports/webhook-sender.ts';
import { Authority, type Certificate, type LeafOptions } from './certificates.ts';
import { OK, PATIENT, Servers, respondOk } from './servers.ts';

const servers = new Servers();
const senders: WebhookSender[] = [];
let authority: Authority;
let right: Certificate;

beforeAll(async () => {
  authority = await Authority.create();
  right = await authority.issue({ names: ['hooks.test'] });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  await servers.close();
});

function sender(ca: readonly string[] = [authority.cert]): WebhookSender {
  const made = undiciWebhookSender({
    dns: { resolve: async () => ['127.0.0.1'] },
    tls: { ca },
    timeouts: PATIENT,
  });
  senders.push(made);
  return made;
}

function to(port: number, host = 'hooks.test'): WebhookRequest {
  return { url: `https://${host}:${port}/`, headers: [], body: '{}', urlPolicy: 'local' };
}

const failed = { errorCode: 'TLS_FAILED', responseStatus: null, responseBody: null };

async function sendTo(options: TlsOptions, host?: string) {
  const { port } = await servers.tls(options);
  return sender().send(to(port, host));
}

async function sendToLeaf(leaf: LeafOptions, host?: string) {
  return sendTo(await authority.issue(leaf), host);
}

describe('TLS', () => {
  it('carries the request, to the name and with the name', async () => {
    let request = '';
    const { port, server } = await servers.tls({ ...right, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      socket.on('data', (bytes) => {
        request += bytes.toString();
        if (request.endsWith('{}')) socket.write(OK);
      });
    });
    const accepted = once(server, 'secureConnection');
    expect(await sender().send(to(port))).toEqual({
      errorCode: null,
      responseStatus: 200,
      responseBody: 'ok',
    });
    const socket: TLSSocket = (await accepted)[0];
    expect(socket.servername).toBe('hooks.test');
    expect(socket.alpnProtocol).toBe('http/1.1');
    expect(request).toContain(`\r\nhost: hooks.test:${port}\r\n`);
  });

  it('takes a name with a last dot as the name without', async () => {
    const { port, server } = await servers.tls(right);
    const accepted = once(server, 'secureConnection');
    expect(await sender().send(to(port, 'hooks.test.'))).toMatchObject({ errorCode: null });
    const socket: TLSSocket = (await accepted)[0];
    expect(socket.servername).toBe('hooks.test');
  });

  it('takes wildcards and the ASCII form of other letters', async () => {
    expect(await sendToLeaf({ names: ['*.hooks.test'] }, 'a.hooks.test')).toMatchObject({ errorCode: null });
    expect(await sendToLeaf({ names: ['xn--bcher-kva.test'] }, 'bücher.test')).toMatchObject({
      errorCode: null,
    });
  });

  it('takes an address that the certificate is for, and sends no SNI', async () => {
    const certificate = await authority.issue({ addresses: ['127.0.0.1'] });
    const { port, server } = await servers.tls(certificate);
    const accepted = once(server, 'secureConnection');
    expect(await sender().send(to(port, '127.0.0.1'))).toMatchObject({ errorCode: null });
    const socket: TLSSocket = (await accepted)[0];
    expect(socket.servername).toBe(false);
  });

  it('fails if the certificate has the address only as a name', async () => {
    expect(await sendToLeaf({ names: ['127.0.0.1'] }, '127.0.0.1')).toEqual(failed);
  });

  it.each<[string, LeafOptions]>([
    ['has expired', { names: ['hooks.test'], expired: true }],
    ['is for another name', { names: ['other.test'] }],
    ['is for another level of the name', { names: ['*.test', 'a.hooks.test', 'test'] }],
    ['is for the address, when a name was asked for', { addresses: ['127.0.0.1'] }],
  ])('fails when the certificate %s', async (_name, leaf) => {
    expect(await sendToLeaf(leaf)).toEqual(failed);
  });

  it('fails when the signer of the certificate is not trusted', async () => {
    const { port } = await servers.tls(right);
    expect(await sender([]).send(to(port))).toEqual(failed);
    const stranger = await Authority.create('Somebody else');
    expect(await sender([stranger.cert]).send(to(port))).toEqual(failed);
  });

  it('cannot be talked out of verifying by the environment', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { port } = await servers.tls(right);
    expect(await sender([]).send(to(port))).toEqual(failed);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('fails with a server that has only %s', async (version) => {
    // Without SECLEVEL=0, OpenSSL would not offer these versions as a server either.
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
    expect(await sendTo({ ...right, ...old })).toEqual(failed);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('works with a server that has only %s', async (version) => {
    expect(await sendTo({ ...right, minVersion: version, maxVersion: version })).toMatchObject({
      errorCode: null,
    });
  });

  it('fails with a server that speaks only HTTP/2', async () => {
    expect(await sendTo({ ...right, ALPNProtocols: ['h2'] })).toEqual(failed);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'fails with a server that asks for a certificate of ours, over %s',
    async (version) => {
      const asking = { requestCert: true, rejectUnauthorized: true, ca: authority.cert };
      const options = { ...right, ...asking, minVersion: version, maxVersion: version };
      expect(await sendTo(options)).toEqual(failed);
    },
  );

  it('fails with a server that does not speak TLS', async () => {
    const { port } = await servers.raw(respondOk);
    expect(await sender().send(to(port))).toEqual(failed);
  });

  it('fails when the connection is closed or reset during the handshake', async () => {
    const closing = await servers.raw((socket) => socket.once('data', () => socket.end()));
    expect(await sender().send(to(closing.port))).toEqual(failed);
    const resetting = await servers.raw((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await sender().send(to(resetting.port))).toEqual(failed);
  });

  it('ends at the deadline when the handshake does not', async () => {
    const { port } = await servers.raw((socket) => socket.resume());
    const post = undiciWebhookSender({
      dns: { resolve: async () => ['127.0.0.1'] },
      timeouts: { totalMs: elapsing(100) },
    });
    senders.push(post);
    expect(await post.send(to(port))).toMatchObject({ errorCode: 'TIMEOUT' });
  });

  it('is a part of the time to connect: a host that stays mute holds a slot no longer', async () => {
    const { port } = await servers.raw((socket) => socket.resume());
    const post = undiciWebhookSender({
      dns: { resolve: async () => ['127.0.0.1'] },
      timeouts: { connectMs: elapsing(100), totalMs: HANG_MS },
    });
    senders.push(post);
    const began = performance.now();
    expect(await post.send(to(port))).toMatchObject({ errorCode: 'TIMEOUT' });
    expect(performance.now() - began).toBeLessThan(HANG_MS);
  });

  it('has three seconds with the connection by default', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const mute = Promise.withResolvers<void>();
    const { port } = await servers.raw((socket) => socket.once('data', () => mute.resolve()));
    const post = undiciWebhookSender({ dns: { resolve: async () => ['127.0.0.1'] } });
    senders.push(post);
    let outcome: unknown = null;
    const sent = post.send(to(port)).then((response) => (outcome = response));
    await mute.promise;
    await vi.advanceTimersByTimeAsync(2_999);
    expect(outcome).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(await sent).toMatchObject({ errorCode: 'TIMEOUT' });
  });

  it('keeps its connections', async () => {
    const running = await servers.tls(right);
    const post = sender();
    for (let count = 0; count < 3; count += 1) {
      expect(await post.send(to(running.port))).toMatchObject({ errorCode: null });
    }
    expect(running.connections).toBe(1);
  });
});

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a request on a connection of %s that ends before the response is sent once more',
  async (version) => {
    let requests = 0;
    const options = { ...right, minVersion: version, maxVersion: version };
    const running = await servers.tls(options, (socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        requests += 1;
        if (requests === 2) socket.destroy();
        else socket.write(OK);
      });
    });
    const post = sender();
    for (let count = 0; count < 2; count += 1)
      expect(await post.send(to(running.port))).toMatchObject({ errorCode: null });
    expect(requests).toBe(3);
    expect(running.connections).toBe(2);
  },
);

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a session of %s', (version) => {
  const only = { minVersion: version, maxVersion: version };
  const respondAndClose = (socket: TLSSocket): void => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'),
    );
  };

  it('is resumed with the next connection', async () => {
    const { port, server } = await servers.tls({ ...right, ...only }, respondAndClose);
    const resumed: boolean[] = [];
    server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()));
    const post = sender();
    for (let count = 0; count < 3; count += 1) {
      expect(await post.send(to(port))).toMatchObject({ errorCode: null });
    }
    expect(resumed).toEqual([false, true, true]);
  });

  // Node checks the name only when a session is new, so a session whose check failed must never be resumed.
  it('is not resumed when the certificate was for another name', async () => {
    const other = await authority.issue({ names: ['other.test'] });
    const { port } = await servers.tls({ ...other, ...only }, respondAndClose);
    const post = sender();
    for (let count = 0; count < 3; count += 1) expect(await post.send(to(port))).toEqual(failed);
  });

  it('is not resumed for another name at the same server', async () => {
    const { port } = await servers.tls({ ...right, ...only }, respondAndClose);
    const post = sender();
    expect(await post.send(to(port))).toMatchObject({ errorCode: null });
    expect(await post.send(to(port, 'other.test'))).toEqual(failed);
  });
});
