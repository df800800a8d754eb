import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { elapsing, until } from '@trunkline/test-support';
import { undiciWebhookSender, type UndiciWebhookSenderOptions } from '@trunkline/core/node';
import type { WebhookRequest, WebhookResponse, WebhookSender } from '../../src/ports/webhook-sender.ts';
import { OK, PATIENT, Servers, respondOk } from './servers.ts';

const servers = new Servers();
const senders: WebhookSender[] = [];

afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  await servers.close();
});

function sender(options: Partial<UndiciWebhookSenderOptions> = {}): WebhookSender {
  const made = undiciWebhookSender({
    dns: { resolve: async () => ['127.0.0.1'] },
    timeouts: PATIENT,
    ...options,
  });
  senders.push(made);
  return made;
}

function to(port: number, path = '/hook'): WebhookRequest {
  return {
    url: `http://hooks.test:${port}${path}`,
    headers: ['Content-Type', 'application/json'],
    body: '{"id":"evt_1"}',
    urlPolicy: 'local',
  };
}

const hasty = { timeouts: { totalMs: elapsing(150) } };
const forEver = new Promise<never>(() => {});

function responding(...bytes: (string | Uint8Array)[]): (socket: Socket) => void {
  return (socket) => socket.once('data', () => bytes.forEach((part) => socket.write(part)));
}

async function nextClosed(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.once('connection', (socket: Socket) => socket.once('close', resolve));
  });
}

async function respondTo(...bytes: (string | Uint8Array)[]): Promise<WebhookResponse> {
  const { port } = await servers.raw(responding(...bytes));
  return sender().send(to(port));
}

/** Sends a request, and lets its deadline pass as soon as part of the response body has arrived. */
async function sendUntilBodyBegins(port: number): Promise<WebhookResponse> {
  const begun = 'undici:request:bodyChunkReceived';
  const passDeadline = (): void => void setImmediate(() => vi.advanceTimersByTime(10_000));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  subscribe(begun, passDeadline);
  try {
    return await sender({ timeouts: {} }).send(to(port));
  } finally {
    unsubscribe(begun, passDeadline);
    vi.useRealTimers();
  }
}

const noResponse = { responseStatus: null, responseBody: null };

describe('the request of a webhook', () => {
  it('is what was asked for, in that order, byte for byte', async () => {
    let received = '';
    const { port } = await servers.raw((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.toString();
        if (received.includes('👋')) socket.write(OK);
      });
    });
    await sender().send({
      url: `http://Hooks.TEST:${port}/a/../b?c=d`,
      headers: Object.entries({
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhooks/1.0',
        'X-Service-Event': 'message.sent',
        'X-Service-Delivery': 'whd_1',
        'X-Service-Timestamp': '1763672400',
        'X-Service-Signature': `v1=${'0'.repeat(64)}`,
      }).flat(),
      body: '{"text":"Grüße 👋"}',
      urlPolicy: 'local',
    });
    expect(received.split('\r\n')).toEqual([
      'POST /b?c=d HTTP/1.1',
      `host: hooks.test:${port}`,
      'connection: keep-alive',
      'Content-Type: application/json',
      'User-Agent: Service-Webhooks/1.0',
      'X-Service-Event: message.sent',
      'X-Service-Delivery: whd_1',
      'X-Service-Timestamp: 1763672400',
      `X-Service-Signature: v1=${'0'.repeat(64)}`,
      'Accept-Encoding: identity',
      'content-length: 23',
      '',
      '{"text":"Grüße 👋"}',
    ]);
  });

  it('ends in a failure, not in a rejection, when its headers cannot be sent', async () => {
    const { port } = await servers.raw(respondOk);
    const headers = ['X-Bad', 'a\r\nb'];
    expect(await sender().send({ ...to(port), headers })).toEqual({
      errorCode: 'CONNECTION_FAILED',
      ...noResponse,
    });
  });
});

describe('the response to a webhook', () => {
  it.each([200, 201, 202, 204, 299])('is a success with status %i', async (status) => {
    const { port } = await servers.http((_request, response) => response.writeHead(status).end());
    expect(await sender().send(to(port))).toEqual({
      errorCode: null,
      responseStatus: status,
      responseBody: '',
    });
  });

  it.each([400, 401, 404, 410, 418, 429, 500, 502, 503, 599, 999])(
    'is HTTP_ERROR with status %i',
    async (status) => {
      const { port } = await servers.http((_request, response) => response.writeHead(status).end('no'));
      expect(await sender().send(to(port))).toEqual({
        errorCode: 'HTTP_ERROR',
        responseStatus: status,
        responseBody: 'no',
      });
    },
  );

  it.each([300, 301, 302, 303, 304, 307, 308])(
    'is REDIRECT with status %i, which is not followed',
    async (status) => {
      const paths: (string | undefined)[] = [];
      const { port } = await servers.http((request, response) => {
        paths.push(request.url);
        response.writeHead(status, { location: '/elsewhere' }).end();
      });
      expect(await sender().send(to(port))).toMatchObject({ errorCode: 'REDIRECT', responseStatus: status });
      expect(paths).toEqual(['/hook']);
    },
  );

  it('is the one after the 1xx', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    expect(await respondTo(hint, 'HTTP/1.1 102 Processing\r\n\r\n', OK)).toMatchObject({
      errorCode: null,
      responseStatus: 200,
      responseBody: 'ok',
    });
  });
});

describe('a receiver that', () => {
  const noTime = { errorCode: 'TIMEOUT', ...noResponse };

  it('does not respond is given up at the deadline', async () => {
    const { port } = await servers.raw((socket) => socket.resume());
    expect(await sender(hasty).send(to(port))).toEqual(noTime);
  });

  it('sends its headers drop by drop ends at the deadline', async () => {
    const { port } = await servers.raw((socket) => {
      socket.resume().write('HTTP/1.1 200 OK\r\nX-Slow: ');
      const drops = setInterval(() => socket.write('a'), 10);
      socket.once('close', () => clearInterval(drops));
    });
    expect(await sender(hasty).send(to(port))).toEqual(noTime);
  });

  it('floods with 1xx ends at the deadline', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100);
    const { port } = await servers.raw((socket) => {
      const flood = (): void => {
        if (!socket.destroyed) socket.write(hints, () => setImmediate(flood));
      };
      socket.once('data', flood);
    });
    expect(await sender(hasty).send(to(port))).toEqual(noTime);
  });

  it('takes no bytes in ends at the deadline', async () => {
    const { port } = await servers.raw((socket) => socket.pause());
    const body = 'x'.repeat(32 * 1024 * 1024);
    expect(await sender(hasty).send({ ...to(port), body })).toEqual(noTime);
  });

  it('succeeds, and then sends its body drop by drop, has succeeded', async () => {
    const { port } = await servers.raw((socket) => {
      socket.resume().write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
      const drops = setInterval(() => socket.write('a'), 10);
      socket.once('close', () => clearInterval(drops));
    });
    const response = await sendUntilBodyBegins(port);
    expect(response).toMatchObject({ errorCode: null, responseStatus: 200 });
    expect(response.responseBody).toMatch(/^a+$/);
  });

  it('fails, and then never ends its body, has failed with its status', async () => {
    const { port } = await servers.raw(
      responding('HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\n', 'broken'),
    );
    const response = await sendUntilBodyBegins(port);
    expect(response).toEqual({ errorCode: 'HTTP_ERROR', responseStatus: 500, responseBody: 'broken' });
  });

  it('sends a body without end is cut off at 16 KiB', async () => {
    let sent = 0;
    const { port, server } = await servers.raw((socket) => {
      const pour = (): void => {
        while (!socket.destroyed && socket.write('z'.repeat(1024))) sent += 1024;
      };
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        pour();
      });
      socket.on('drain', pour);
    });
    const closed = nextClosed(server);
    const response = await sender().send(to(port));
    expect(response).toEqual({ errorCode: null, responseStatus: 200, responseBody: 'z'.repeat(16 * 1024) });
    await closed;
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('sends exactly 16 KiB keeps its connection', async () => {
    const body = 'k'.repeat(16 * 1024);
    const running = await servers.http((_request, response) => response.end(body));
    const post = sender();
    expect((await post.send(to(running.port))).responseBody).toBe(body);
    await post.send(to(running.port));
    expect(running.connections).toBe(1);
  });

  it('sends a gzip bomb has it kept as it is, not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const { port } = await servers.http((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const response = await sender().send(to(port));
    expect(response.errorCode).toBeNull();
    expect(response.responseBody?.charCodeAt(0)).toBe(0x1f);
    expect(Buffer.byteLength(response.responseBody ?? '')).toBeLessThanOrEqual(16 * 1024);
  });

  const broken = { errorCode: 'CONNECTION_FAILED', ...noResponse };

  it('closes immediately has failed', async () => {
    const { port } = await servers.raw((socket) => socket.destroy());
    expect(await sender().send(to(port))).toEqual(broken);
  });

  it('resets the connection in the middle of its headers has failed', async () => {
    const { port } = await servers.raw((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.resetAndDestroy()));
    });
    expect(await sender().send(to(port))).toEqual(broken);
  });

  it('resets the connection after its status line has been understood', async () => {
    const { port } = await servers.raw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nhalf', () => socket.end());
      });
    });
    expect(await sender().send(to(port))).toEqual({
      errorCode: null,
      responseStatus: 202,
      responseBody: 'half',
    });
  });

  it.each([
    'SSH-2.0-OpenSSH_9.2\r\n',
    '220 mail.test ESMTP\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 2OO OK\r\n\r\n',
    '\0\0\0',
  ])('does not speak HTTP/1.1 (%j) has failed', async (bytes) => {
    expect(await respondTo(bytes)).toEqual(broken);
  });

  it('sends headers without end has failed', async () => {
    expect(await respondTo('HTTP/1.1 200 OK\r\n', `X-Long: ${'a'.repeat(64 * 1024)}\r\n`)).toEqual(broken);
  });

  it('wants to upgrade the connection has failed', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await respondTo(upgrade)).toEqual(broken);
  });

  it('is not there has failed', async () => {
    const { port } = await servers.raw(respondOk);
    await servers.close();
    expect(await sender().send(to(port))).toEqual(broken);
  });
});

describe('the kept body of a response to a webhook', () => {
  const reply = (...bytes: (string | Uint8Array)[]): Promise<WebhookResponse> =>
    respondTo(
      'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...bytes.flatMap(chunk),
      '0\r\n\r\n',
    );
  const chunk = (bytes: string | Uint8Array): (string | Uint8Array)[] => [
    `${Buffer.byteLength(bytes).toString(16)}\r\n`,
    bytes,
    '\r\n',
  ];

  it('has U+FFFD for NUL and for invalid UTF-8', async () => {
    const { responseBody } = await reply('a\0b', Uint8Array.of(0xff, 0xc3), 'c');
    expect(responseBody).toBe('a\uFFFDb\uFFFD\uFFFDc');
  });

  it('keeps characters that arrive in two pieces', async () => {
    const [first, ...rest] = Buffer.from('👋');
    expect((await reply(Uint8Array.of(first ?? 0), Uint8Array.from(rest))).responseBody).toBe('👋');
  });

  it('leaves out a character that the limit cuts in two', async () => {
    const { responseBody } = await reply(`${'a'.repeat(16 * 1024 - 1)}👋👋`);
    expect(responseBody).toBe('a'.repeat(16 * 1024 - 1));
  });

  it('has at most 16 KiB as text, too', async () => {
    const { responseBody } = await reply(Buffer.alloc(16 * 1024, 0xff));
    expect(responseBody).toBe('\uFFFD'.repeat(Math.floor((16 * 1024) / 3)));
  });
});

describe('connections', () => {
  it('are used again', async () => {
    const running = await servers.http((_request, response) => response.end('ok'));
    const post = sender();
    for (let count = 0; count < 5; count += 1) {
      expect(await post.send(to(running.port, `/${count}`))).toMatchObject({ responseBody: 'ok' });
    }
    expect(running.connections).toBe(1);
  });

  it('carry one request at a time, so that a slow endpoint holds up no other at its host', async () => {
    const running = await servers.http((request, response) => {
      if (request.url !== '/slow') response.end('ok');
    });
    const post = sender();
    const slow = post.send(to(running.port, '/slow'));
    expect(await post.send(to(running.port, '/fast'))).toMatchObject({ errorCode: null });
    expect(await post.send(to(running.port, '/fast'))).toMatchObject({ errorCode: null });
    expect(running.connections).toBe(2);
    await post.close();
    expect(await slow).toEqual({ errorCode: 'CONNECTION_FAILED', ...noResponse });
  });

  it('are not used again when the receiver asks for that', async () => {
    const running = await servers.http((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const post = sender();
    await post.send(to(running.port));
    expect(await post.send(to(running.port))).toMatchObject({ responseBody: 'ok' });
    expect(running.connections).toBe(2);
  });

  it('are not reused if the receiver has closed them', async () => {
    const running = await servers.raw((socket) => socket.once('data', () => socket.end(OK)));
    const post = sender();
    for (let count = 1; count <= 3; count += 1) {
      const closed = nextClosed(running.server);
      expect(await post.send(to(running.port))).toMatchObject({ errorCode: null });
      await closed;
      expect(running.connections).toBe(count);
    }
  });

  /**
   * Responds to the first request of each connection, and ends the connection at the second: with these bytes, or
   * with a reset if empty.
   */
  const endingSecond =
    (bytes: string, requests: string[] = []) =>
    (socket: Socket): void => {
      socket.once('data', (first) => {
        requests.push(first.toString());
        socket.write(OK);
        socket.once('data', (second) => {
          requests.push(second.toString());
          if (bytes === '') socket.resetAndDestroy();
          else socket.end(bytes);
        });
      });
    };

  it('have the same request sent once more on a new one if they end before the response begins', async () => {
    const requests: string[] = [];
    const running = await servers.raw(endingSecond('', requests));
    const post = sender();
    for (let count = 0; count < 2; count += 1)
      expect(await post.send(to(running.port))).toMatchObject({ errorCode: null, responseBody: 'ok' });
    expect(requests).toHaveLength(3);
    expect(requests[2]).toBe(requests[1]);
    expect(running.connections).toBe(2);
  });

  it('have the request sent once more if they end before the response, though others are idle', async () => {
    const held: (() => void)[] = [];
    const running = await servers.raw((socket) => {
      socket.once('data', () => {
        held.push(() => socket.write(OK));
        if (held.length === 2) for (const respond of held) respond();
        else if (held.length > 2) socket.resetAndDestroy();
        socket.once('data', () => socket.resetAndDestroy());
      });
    });
    const post = sender();
    await Promise.all([post.send(to(running.port)), post.send(to(running.port))]);
    expect(await post.send(to(running.port))).toEqual({ errorCode: 'CONNECTION_FAILED', ...noResponse });
    expect(running.connections).toBe(3);
  });

  it('make a failed attempt if they end within the response: the receiver has the request', async () => {
    const running = await servers.raw(endingSecond('HTTP/1.1 20'));
    const post = sender();
    expect(await post.send(to(running.port))).toMatchObject({ errorCode: null });
    expect(await post.send(to(running.port))).toEqual({ errorCode: 'CONNECTION_FAILED', ...noResponse });
    expect(running.connections).toBe(1);
  });

  it('make a failed attempt if they are new and end before the response', async () => {
    const running = await servers.raw((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await sender().send(to(running.port))).toEqual({ errorCode: 'CONNECTION_FAILED', ...noResponse });
    expect(running.connections).toBe(1);
  });

  it('are given up with the attempt if a second request gets no response: nothing is sent again', async () => {
    let requests = 0;
    const running = await servers.raw((socket) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write(OK);
      });
    });
    const post = sender();
    await post.send(to(running.port));
    // Only the test lets time pass, so that the first request has as long as it takes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const second = post.send(to(running.port));
    await until('the second request has come', () => requests === 2);
    vi.advanceTimersByTime(PATIENT.totalMs);
    expect(await second).toEqual({ errorCode: 'TIMEOUT', ...noResponse });
    expect(requests).toBe(2);
    expect(running.connections).toBe(1);
  });

  it('are not kept beyond the limit: the one idle longest goes first', async () => {
    const post = sender({ maxIdleConnections: 1 });
    const first = await servers.raw(respondOk);
    const closed = nextClosed(first.server);
    await post.send(to(first.port));
    const second = await servers.raw(respondOk);
    await post.send(to(second.port));
    await closed;
    await post.send(to(second.port));
    expect(second.connections).toBe(1);
  });

  it('are ended by close()', async () => {
    const running = await servers.raw(respondOk);
    const closed = nextClosed(running.server);
    const post = sender();
    await post.send(to(running.port));
    await post.close();
    await closed;
    expect(await post.send(to(running.port))).toEqual({ errorCode: 'CONNECTION_FAILED', ...noResponse });
    expect(running.connections).toBe(1);
  });

  it('are made again after open(), as by a Trunkline that is started again', async () => {
    const running = await servers.raw(respondOk);
    const post = sender();
    await post.send(to(running.port));
    await post.close();
    post.open?.();
    expect(await post.send(to(running.port))).toMatchObject({ errorCode: null });
    expect(running.connections).toBe(2);
  });

  it('are ended by close() while in flight, too', async () => {
    const running = await servers.raw((socket) => socket.resume());
    const opened = once(running.server, 'connection');
    const post = sender();
    const waiting = post.send(to(running.port));
    const resolving = sender({ dns: { resolve: () => forEver } });
    const lookingUp = resolving.send(to(running.port));
    await opened;
    await Promise.all([post.close(), resolving.close()]);
    expect(await waiting).toMatchObject({ errorCode: 'CONNECTION_FAILED' });
    expect(await lookingUp).toMatchObject({ errorCode: 'CONNECTION_FAILED' });
  });
});
