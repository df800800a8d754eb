import { Worker } from 'node:worker_threads';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { elapsing, HANG_MS } from '@trunkline/test-support';
import { undiciWebhookSender, type UndiciWebhookSenderOptions } from '@trunkline/core/node';
import type { DnsResolver } from '../../src/ports/dns-resolver.ts';
import type { WebhookRequest, WebhookSender } from '../../src/ports/webhook-sender.ts';
import { PATIENT, Servers, respondOk } from './servers.ts';

const servers = new Servers();
const senders: WebhookSender[] = [];

afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  await servers.close();
});

function sender(dns: DnsResolver, options: Partial<UndiciWebhookSenderOptions> = {}): WebhookSender {
  const made = undiciWebhookSender({ dns, timeouts: PATIENT, ...options });
  senders.push(made);
  return made;
}

/** A resolver that returns these lists in turn, and records the names that it was asked for. */
function scripted(...responses: (readonly string[] | Error)[]): DnsResolver & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async resolve(hostname) {
      const response = responses[asked.push(hostname) - 1] ?? new Error(`unexpected question: ${hostname}`);
      if (response instanceof Error) throw response;
      return response;
    },
  };
}

function to(url: string, urlPolicy: 'public' | 'local' = 'local'): WebhookRequest {
  return { url, headers: [], body: '{}', urlPolicy };
}

const unsafe = { errorCode: 'UNSAFE_URL', responseStatus: null, responseBody: null };

describe('the URL of a webhook', () => {
  it.each([
    'http://hooks.test/',
    'https://hooks.test:444/',
    'https://@hooks.test/',
    'https://user:pass@hooks.test/',
    'https://hooks.test/#',
    'https:hooks.test',
    'https://hooks.test\\@evil.test/',
    'not a url',
    '',
  ])('is checked on every attempt: %j', async (url) => {
    const dns = scripted();
    expect(await sender(dns).send(to(url, 'public'))).toEqual(unsafe);
    expect(dns.asked).toEqual([]);
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '①②⑦.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:7f00:1]',
  ])('is checked without DNS if its host is an address: %s', async (host) => {
    const dns = scripted();
    expect(await sender(dns).send(to(`https://${host}/`, 'public'))).toEqual(unsafe);
    expect(dns.asked).toEqual([]);
  });

  it("is reached without DNS if its host is loopback, under the policy 'local'", async () => {
    const dns = scripted();
    const { port } = await servers.raw(respondOk);
    expect(await sender(dns).send(to(`http://127.0.0.1:${port}/`))).toMatchObject({ errorCode: null });
    expect(await sender(dns).send(to(`http://0x7f.1:${port}/`))).toMatchObject({ errorCode: null });
    expect(dns.asked).toEqual([]);
  });
});

describe('the addresses of a host name', () => {
  it.each([
    [['10.0.0.1']],
    [['93.184.216.34', '10.0.0.1']],
    [['10.0.0.1', '93.184.216.34']],
    [['93.184.216.34', '127.0.0.1']],
    [['2606:4700::1', 'fe80::1%eth0']],
    [['2606:4700::1', '::1']],
    [['127.0.0.1']],
    [['168.63.129.16']],
    [['127.1']],
    [['other.name.test']],
  ])('are all checked, and one is enough to refuse: %j', async (addresses) => {
    expect(await sender(scripted(addresses)).send(to('https://hooks.test/', 'public'))).toEqual(unsafe);
  });

  it("are checked under the policy 'local' too", async () => {
    const { port, server } = await servers.raw(respondOk);
    server.on('connection', () => expect.unreachable());
    const dns = scripted(['127.0.0.1', '10.0.0.1']);
    expect(await sender(dns).send(to(`http://hooks.test:${port}/`))).toEqual(unsafe);
  });

  it('are asked for once per attempt, by the name in its normal form', async () => {
    const { port } = await servers.raw(respondOk);
    const dns = scripted(['127.0.0.1'], ['127.0.0.1']);
    const post = sender(dns);
    await post.send(to(`http://Bücher.TEST:${port}/`));
    await post.send(to(`http://xn--bcher-kva.test:${port}/`));
    expect(dns.asked).toEqual(['xn--bcher-kva.test', 'xn--bcher-kva.test']);
  });

  it('are looked up once, so that a change between check and connect does not matter', async () => {
    const { port } = await servers.raw(respondOk);
    const dns = scripted(['127.0.0.1'], ['10.0.0.1']);
    expect(await sender(dns).send(to(`http://hooks.test:${port}/`))).toMatchObject({ errorCode: null });
    expect(dns.asked).toHaveLength(1);
  });

  it('stop the use of an open connection when they change to private ones', async () => {
    const running = await servers.raw(respondOk);
    const post = sender(scripted(['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']));
    expect(await post.send(to(`http://hooks.test:${running.port}/`))).toMatchObject({ errorCode: null });
    expect(await post.send(to(`http://hooks.test:${running.port}/`))).toEqual(unsafe);
    expect(await post.send(to(`http://hooks.test:${running.port}/`))).toMatchObject({ errorCode: null });
    expect(running.connections).toBe(1);
  });

  it('stop the use of an open connection under a stricter policy', async () => {
    const running = await servers.raw(respondOk);
    const post = sender(scripted(['127.0.0.1'], ['127.0.0.1']));
    await post.send(to(`http://hooks.test:${running.port}/`));
    expect(await post.send(to(`http://hooks.test:${running.port}/`, 'public'))).toEqual(unsafe);
  });

  // Only Linux can use all of 127.0.0.0/8 without configuration.
  describe.runIf(process.platform === 'linux')('that are several', () => {
    it('keep their connections apart', async () => {
      const first = await servers.raw(respondOk, '127.0.0.1');
      const second = await servers.raw(respondOk, '127.0.0.2', first.port);
      const post = sender(scripted(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2'], ['127.0.0.3', '127.0.0.1']));
      for (let count = 0; count < 4; count += 1) {
        expect(await post.send(to(`http://hooks.test:${first.port}/`))).toMatchObject({ errorCode: null });
      }
      expect([first.connections, second.connections]).toEqual([1, 1]);
    });

    it('are tried in turn until one takes the connection', async () => {
      const running = await servers.raw(respondOk, '127.0.0.2');
      const post = sender(scripted(['127.0.0.3', '127.0.0.2']));
      expect(await post.send(to(`http://hooks.test:${running.port}/`))).toMatchObject({ errorCode: null });
    });

    it('are not tried again once one has taken the connection', async () => {
      const first = await servers.raw((socket) => socket.destroy(), '127.0.0.1');
      const second = await servers.raw(respondOk, '127.0.0.2', first.port);
      const post = sender(scripted(['127.0.0.1', '127.0.0.2']));
      expect(await post.send(to(`http://hooks.test:${first.port}/`))).toMatchObject({
        errorCode: 'CONNECTION_FAILED',
      });
      expect(second.connections).toBe(0);
    });

    it('are tried one after the other when the first does not respond at all', async () => {
      const unresponsive = await unresponsiveServer('127.0.0.1');
      const running = await servers.raw(respondOk, '127.0.0.2', unresponsive.port);
      const post = sender(scripted(['127.0.0.1', '127.0.0.2']));
      // Only the test lets time pass, so that the second address has as long as it takes.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const tried = nextClientSocket();
      const sent = post.send(to(`http://hooks.test:${unresponsive.port}/`));
      await tried;
      vi.advanceTimersByTime(PATIENT.connectMs / 2);
      expect(await sent).toMatchObject({ errorCode: null });
      expect(running.connections).toBe(1);
      await unresponsive.close();
    });
  });
});

describe('a name that', () => {
  it('does not resolve is DNS_FAILED', async () => {
    const dns = scripted(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    expect(await sender(dns).send(to('https://hooks.test/', 'public'))).toEqual({
      errorCode: 'DNS_FAILED',
      responseStatus: null,
      responseBody: null,
    });
  });

  it('has no address is DNS_FAILED', async () => {
    expect(await sender(scripted([])).send(to('https://hooks.test/', 'public'))).toMatchObject({
      errorCode: 'DNS_FAILED',
    });
  });

  it('takes too long to resolve is TIMEOUT, and the signal of the resolver aborts', async () => {
    let given: AbortSignal | undefined;
    const dns: DnsResolver = {
      resolve(_hostname, signal) {
        given = signal;
        return new Promise(() => {});
      },
    };
    const post = sender(dns, { timeouts: { totalMs: elapsing(50) } });
    expect(await post.send(to('https://hooks.test/', 'public'))).toMatchObject({ errorCode: 'TIMEOUT' });
    expect(given?.aborted).toBe(true);
  });
});

it('the webhook sender has its own time to connect', async () => {
  const unresponsive = await unresponsiveServer('127.0.0.1');
  const post = sender(scripted(['127.0.0.1'], ['127.0.0.1']), {
    timeouts: { connectMs: elapsing(100), totalMs: HANG_MS },
  });
  expect(await post.send(to(`http://hooks.test:${unresponsive.port}/`))).toMatchObject({
    errorCode: 'TIMEOUT',
  });

  const hasty = sender(scripted(['127.0.0.1']), { timeouts: { connectMs: HANG_MS, totalMs: elapsing(100) } });
  expect(await hasty.send(to(`http://hooks.test:${unresponsive.port}/`))).toMatchObject({
    errorCode: 'TIMEOUT',
  });
  await unresponsive.close();
});

/** Resolves when the process has begun a connection. */
function nextClientSocket(): Promise<void> {
  return new Promise((resolve) => {
    const begun = (): void => {
      unsubscribe('net.client.socket', begun);
      // The timer of the connection is set after its socket has been made.
      queueMicrotask(resolve);
    };
    subscribe('net.client.socket', begun);
  });
}

/**
 * Starts a server that listens but accepts nothing, and fills its queue, so that the system does not respond to
 * further connections.
 */
async function unresponsiveServer(address: string): Promise<{ port: number; close(): Promise<void> }> {
  const program = `
    const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer();
    server.listen({ port: 0, host: '${address}', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(program, { eval: true });
  const [port] = await once(worker, 'message');
  const queue = Array.from({ length: 8 }, () => connect(port, address).on('error', () => {}));
  await once(queue[0] ?? worker, 'connect');
  return {
    port,
    async close() {
      for (const socket of queue) socket.destroy();
      await worker.terminate();
    },
  };
}
