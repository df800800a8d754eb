import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage, Server, ServerOptions } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SCOPES } from '@trunkline/core';
import type { MediaStore } from '@trunkline/core';
import { fileMediaStore } from '@trunkline/core/node';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { client } from './client.ts';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';

const MB = 1_048_576;

interface Ready {
  readonly service: Service;
  readonly server: Server;
  readonly port: number;
  readonly token: string;
  readonly instance: string;
  /** The files in the media directory, complete or not. */
  files(): readonly string[];
}

/** Starts the service on a real socket, with a directory as the media store. */
async function ready(
  disturbed: (store: MediaStore) => MediaStore = (store) => store,
  serverOptions: ServerOptions = {},
): Promise<Ready> {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-socket-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const service = await startService({ media: disturbed(fileMediaStore({ directory })) });
  const { admin } = service.trunkline;
  const { id: workspaceId } = await admin.workspaces.create({ name: 'Acme' });
  const { token } = await admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES });
  const instance = await service.connected(client(service.app, token));
  const app = { fetch: service.app.fetch, hostname: '127.0.0.1', port: 0 };
  const server = serve({ ...app, serverOptions, overrideGlobalObjects: false }) as Server; // an HTTP/1 server
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // an AddressInfo, because it listens on TCP
  const files = (): readonly string[] =>
    readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [entry.name] : [],
    );
  return { service, server, port, token, instance, files };
}

const part = (name: string, value: string): string =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FOOT = '\r\n--XX--\r\n';

function head(instance: string, type = 'document'): string {
  const fields = part('instance', instance) + part('to', '15550100') + part('type', type);
  return `${fields}--XX\r\nContent-Disposition: form-data; name="file"; filename="文档.bin"\r\n\r\n`;
}

function begin(
  { port, token }: Ready,
  headers: Readonly<Record<string, string | number>> = {},
): ClientRequest {
  return request({
    port,
    method: 'POST',
    path: '/api/v1/messages',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'multipart/form-data; boundary=XX',
      ...headers,
    },
  });
}

/** Begins an upload that never ends, by writing to a socket. */
async function beginRaw({ port, token, instance }: Ready): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {}).resume();
  socket.write(
    `POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${90 * MB}\r\n\r\n${head(instance)}`,
  );
  socket.write(Buffer.alloc(2 * MB, 1));
  return socket;
}

interface Reply {
  readonly status: number | undefined;
  readonly json: {
    readonly data?: { readonly id: string; readonly media: unknown };
    readonly error?: { readonly code: string };
  };
}

async function responseOf(sending: ClientRequest): Promise<Reply> {
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, json: JSON.parse(text) };
}

async function write(sending: ClientRequest, size: number): Promise<void> {
  const chunk = Buffer.alloc(65_536, 7);
  const closed = new Promise((resolve) => sending.once('close', resolve));
  for (let left = size; left > 0 && !sending.destroyed; left -= chunk.length) {
    const isTaken = sending.write(chunk.subarray(0, Math.min(left, chunk.length)));
    if (!isTaken) await Promise.race([new Promise((resolve) => sending.once('drain', resolve)), closed]);
  }
}

describe('an upload over a socket', () => {
  test('arrives whole, with its name, whether its length is declared or not', async () => {
    const on = await ready();
    const size = 12 * MB + 17;
    const [first, last] = [head(on.instance), FOOT];
    const length = Buffer.byteLength(first) + size + last.length;
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const ways = isLongForm ? [chunked, { 'Content-Length': length }] : [chunked];
    for (const headers of ways) {
      const sending = begin(on, headers);
      const responded = responseOf(sending);
      sending.write(first);
      await write(sending, size);
      sending.end(last);
      expect(await responded).toMatchObject({
        status: 202,
        json: { data: { media: { size, filename: '文档.bin', available: true } } },
      });
    }
    expect(on.files()).toHaveLength(ways.length);
  });

  test('is read no faster than it is stored', async () => {
    const open = Promise.withResolvers<void>();
    let stored = 0;
    const on = await ready((store) => ({
      ...store,
      put: async (id, content) =>
        store.put(
          id,
          content.pipeThrough(
            new TransformStream({
              async transform(chunk, controller) {
                await open.promise;
                stored += chunk.byteLength;
                controller.enqueue(chunk);
              },
            }),
          ),
        ),
    }));
    const socket = await beginRaw(on);
    const body = Buffer.alloc(60 * MB, 1);
    socket.write(body);
    await wait(500);
    // The client could only fill the kernel's buffers.
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(40 * MB);
    expect(socket.writableLength).toBeGreaterThan(20 * MB);
    expect(stored).toBe(0);
    open.resolve();
    await eventually(() => expect(stored).toBeGreaterThan(61 * MB));
    socket.destroy();
    await eventually(() => expect(on.files()).toEqual([]));
  });

  test('leaves nothing behind when the client disconnects', async () => {
    const on = await ready();
    const socket = await beginRaw(on);
    await eventually(() => expect(on.files()).toEqual([expect.stringMatching(/\.part$/)]));
    socket.destroy();
    await eventually(() => expect(on.files()).toEqual([]));
    expect((await client(on.service.app, on.token)('GET', '/messages')).json.data).toEqual([]);
  });

  test.runIf(isLongForm)(
    "leaves nothing behind when the client stalls until the server's timeout",
    async () => {
      const on = await ready(undefined, { connectionsCheckingInterval: 100 });
      const socket = await beginRaw(on);
      await eventually(() => expect(on.files()).toHaveLength(1));
      // If the server has not read everything, it may reset the connection, and `once` of node:events would reject.
      const closed = new Promise((resolve) => socket.once('close', resolve));
      // Set both, because Node applies the longer timeout to the whole request.
      on.server.headersTimeout = 1;
      on.server.requestTimeout = 1;
      await closed;
      await eventually(() => expect(on.files()).toEqual([]));
    },
  );
});

describe('an upload that is refused while it arrives', () => {
  const REFUSALS = [
    ['is too large for its type', 'audio', Buffer.from('#!AMR\n'), 413, 'MEDIA_TOO_LARGE'],
    ['is of the wrong type', 'image', Buffer.from('%PDF-1.7\n'), 415, 'INVALID_MEDIA_TYPE'],
  ] as const;

  test.each(isLongForm ? REFUSALS : REFUSALS.slice(1))(
    '%s: the client gets the response while it still sends',
    async (_, type, beginning, status, code) => {
      const on = await ready();
      const sending = begin(on, { 'Content-Length': 90 * MB });
      sending.on('error', () => {});
      const responded = responseOf(sending);
      sending.write(Buffer.concat([Buffer.from(head(on.instance, type)), beginning]));
      let isSent = false;
      const writing = write(sending, 89 * MB).then(() => (isSent = true));
      expect(await responded).toMatchObject({ status, json: { error: { code } } });
      expect(isSent).toBe(false);
      sending.destroy();
      await writing;
      await eventually(() => expect(on.files()).toEqual([]));
    },
  );

  test.runIf(isLongForm)('is refused for its declared length before anything is sent', async () => {
    const on = await ready();
    const sending = begin(on, { 'Content-Length': 200 * MB });
    sending.on('error', () => {});
    const responded = responseOf(sending);
    sending.flushHeaders();
    expect(await responded).toMatchObject({ status: 413, json: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    sending.destroy();
  });

  test.runIf(isLongForm)('gets its response by fetch, too', async () => {
    const on = await ready();
    const form = new FormData();
    for (const [name, value] of Object.entries({ instance: on.instance, to: '15550100', type: 'image' }))
      form.append(name, value);
    form.append('file', new Blob([new Uint8Array(30 * MB)]), 'a.png');
    const response = await fetch(`http://127.0.0.1:${on.port}/api/v1/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${on.token}` },
      body: form,
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_MEDIA_TYPE' } });
  });

  test('does not affect the next request: on the same connection, or on a new one', async () => {
    const on = await ready();
    const authorization = `Authorization: Bearer ${on.token}\r\nHost: localhost\r\n`;
    const body = Buffer.concat([
      Buffer.from(head(on.instance, 'image')),
      Buffer.alloc(200_000, 'GET /evil HTTP/1.1\r\n\r\n'),
      Buffer.from(FOOT),
    ]);
    const socket = connect(on.port, '127.0.0.1');
    socket.on('error', () => {});
    let seen = '';
    socket.on('data', (chunk) => (seen += String(chunk)));
    socket.write(
      `POST /api/v1/messages HTTP/1.1\r\n${authorization}Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    await eventually(() => expect(seen).toContain('INVALID_MEDIA_TYPE'));
    socket.write(`GET /api/v1/api-key HTTP/1.1\r\n${authorization}\r\n`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const responded = eventually(() => expect(seen.match(/HTTP\/1\.1 200/g)).toHaveLength(1));
    await Promise.race([closed, responded]);
    expect(seen).not.toContain('evil');
    expect(seen.match(/HTTP\/1\.1 415/g)).toHaveLength(1);
    const next = await fetch(`http://127.0.0.1:${on.port}/api/v1/api-key`, {
      headers: { Authorization: `Bearer ${on.token}` },
    });
    expect(next.status).toBe(200);
    socket.destroy();
  });

  test.each([
    ['a form', 'multipart/form-data; boundary=XX', `${part('to', '1'.repeat(3 * MB))}--XX--\r\n`, 422],
    ['JSON without a length', 'application/json', `{"to":"${'1'.repeat(3 * MB)}"}`, 413],
  ])(
    'is a part of %s: the next request on the connection gets its response',
    async (_, type, body, status) => {
      const on = await ready();
      const authorization = `Authorization: Bearer ${on.token}\r\nHost: localhost\r\n`;
      const socket = connect(on.port, '127.0.0.1');
      socket.on('error', () => {});
      let seen = '';
      socket.on('data', (chunk) => (seen += String(chunk)));
      socket.write(
        `POST /api/v1/messages HTTP/1.1\r\n${authorization}Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
      socket.write(`GET /api/v1/api-key HTTP/1.1\r\n${authorization}\r\n`);
      await eventually(() => expect(seen).toContain('HTTP/1.1 200 OK'));
      expect(seen).toContain(`HTTP/1.1 ${status} `);
      socket.destroy();
    },
  );

  test.runIf(isLongForm)('is an INTERNAL_ERROR if the disk is full', async () => {
    const on = await ready((store) => ({
      ...store,
      put: async (_id, content) => {
        await content.getReader().read();
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      },
    }));
    const sending = begin(on, { 'Transfer-Encoding': 'chunked' });
    sending.on('error', () => {});
    const responded = responseOf(sending);
    sending.write(head(on.instance));
    void write(sending, 30 * MB);
    expect(await responded).toMatchObject({ status: 500, json: { error: { code: 'INTERNAL_ERROR' } } });
    sending.destroy();
    expect(on.files()).toEqual([]);
  });
});

describe('a download over a socket', () => {
  async function stored(on: Ready, size: number): Promise<string> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ instance: on.instance, to: '15550100', type: 'document' }))
      form.append(name, value);
    form.append('file', new Blob([new Uint8Array(size)]), 'a.bin');
    return idOf((await client(on.service.app, on.token)('POST', '/messages', { body: form })).json);
  }
  const download = (
    on: Ready,
    id: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`http://127.0.0.1:${on.port}/api/v1/messages/${id}/media`, {
      headers: { Authorization: `Bearer ${on.token}`, ...headers },
    });

  test('has its length, and continues where it broke off', async () => {
    const on = await ready();
    const id = await stored(on, 3 * MB);
    const whole = await download(on, id);
    expect(whole.headers.get('Content-Length')).toBe(String(3 * MB));
    expect((await whole.bytes()).length).toBe(3 * MB);
    const etag = whole.headers.get('ETag') ?? '';
    const rest = await download(on, id, { Range: `bytes=${2 * MB}-`, 'If-Range': etag });
    expect([rest.status, (await rest.bytes()).length]).toEqual([206, MB]);
    expect(rest.headers.get('Content-Length')).toBe(String(MB));
  });

  test('closes its file when the client goes away', async () => {
    const on = await ready();
    const id = await stored(on, 30 * MB);
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    for (let i = 0; i < 20; i++) {
      const abort = new AbortController();
      const response = await fetch(`http://127.0.0.1:${on.port}/api/v1/messages/${id}/media`, {
        headers: { Authorization: `Bearer ${on.token}` },
        signal: abort.signal,
      });
      await response.body?.getReader().read();
      abort.abort();
    }
    await eventually(() => expect(openFiles()).toBeLessThan(before + 10));
  });
});
