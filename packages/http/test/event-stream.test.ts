import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SCOPES, TrunklineError } from '@trunkline/core';
import { eventually } from '@trunkline/test-support';
import { createClient, unwrap } from '../src/client/index.ts';
import type { RemoteEvent } from '../src/client/index.ts';
import { createGuard, createHttpApp } from '../src/index.ts';
import { client } from './client.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

const SECOND = 1_000;

async function startWorkspace() {
  const service = await startService({});
  const { id: workspaceId, call } = await service.newWorkspace();
  const instance = await service.connected(call);
  const { apiKey, token } = await service.trunkline.admin.apiKeys.create({
    workspaceId,
    name: 'stream',
    scopes: SCOPES,
  });
  const send = async (text = 'Hello'): Promise<string> => {
    const sent = await service.trunkline.workspace(workspaceId).messages.send({
      instance,
      to: '15550100',
      type: 'text',
      text,
    });
    await service.clock.advance(5 * SECOND);
    return sent.message.id;
  };
  return { service, workspaceId, instance, keyId: apiKey.id, token, send };
}

function serverOf({ app }: Service): Server {
  const listener = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false });
  return createServer((incoming, outgoing) => void listener(incoming, outgoing));
}

/** Opens the stream. `text` returns the text that has arrived so far. */
async function openText(
  { app }: Pick<Service, 'app'>,
  token: string,
  { query = '', headers = {} }: { query?: string; headers?: Readonly<Record<string, string>> } = {},
) {
  const response = await app.request(`/api/v1/events/stream${query}`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  let text = '';
  let isOver = false;
  const reader = response.body?.getReader();
  onTestFinished(() => reader?.cancel());
  const decoder = new TextDecoder();
  void (async () => {
    for (;;) {
      const read = await reader?.read();
      if (!read || read.done) break;
      text += decoder.decode(read.value, { stream: true });
    }
    isOver = true;
  })();
  return { response, text: () => text, isOver: () => isOver };
}

test('a stream has the events as server-sent events, with the bytes of webhooks', async () => {
  const { service, token, send } = await startWorkspace();
  const call = client(service.app, token);
  const endpoint = { url: 'https://hooks.example.com/', events: ['message.sent'] };
  await call('POST', '/webhooks', { json: endpoint });
  const { response, text } = await openText(service, token, { query: '?types=message.sent' });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  // Proxies must not compress, buffer or cache the stream.
  expect(response.headers.get('Cache-Control')).toBe('no-store, no-transform');
  expect(response.headers.get('X-Accel-Buffering')).toBe('no');
  await eventually(async () => expect(text()).toMatch(/^retry: 3000\n: \nid: evt_\w{26}\n\n$/));
  await send('two\nlines, and Grüße 👋');
  const body = String(service.receivers.requests[0]?.body);
  const id = JSON.parse(body).id;
  await eventually(async () =>
    expect(text()).toContain(`\n\nid: ${id}\nevent: message.sent\ndata: ${body}\n\n`),
  );
});

test.each([
  ['the header', (id: string) => ({ headers: { 'Last-Event-ID': id } })],
  ['the query', (id: string) => ({ query: `?last_event_id=${id}` })],
  // Browsers that reconnect send both the header and the query.
  [
    'the header rather than the query',
    (id: string) => ({
      query: '?last_event_id=evt_00000000000000000000000000',
      headers: { 'Last-Event-ID': id },
    }),
  ],
])('a stream continues after the event in %s', async (_, requestOf) => {
  const { service, token, send } = await startWorkspace();
  const first = await openText(service, token);
  await send();
  await eventually(async () => expect(first.text()).toContain('event: message.sent'));
  const last = /id: (\w+)\nevent: message.sent/.exec(first.text())?.[1] ?? '';
  await send();
  const second = await openText(service, token, requestOf(last));
  await eventually(async () => expect(second.text().match(/event: message.sent/g)).toHaveLength(2));
});

test.each([
  ['evt_00000000000000000000000000', 404, 'EVENT_NOT_FOUND'],
  ['evt_01kdvdna00ey2a7dty85195v2z', 404, 'EVENT_NOT_FOUND'],
  ['', 422, 'VALIDATION_FAILED'],
  ['evt_1\u0085data: forged', 422, 'VALIDATION_FAILED'],
  ['x'.repeat(10_000), 422, 'VALIDATION_FAILED'],
])('the Last-Event-ID %o is refused with %i %s', async (id, status, code) => {
  const { service, token } = await startWorkspace();
  const seen = await client(service.app, token)('GET', '/events/stream', {
    headers: { 'Last-Event-ID': id },
  });
  expect([seen.status, seen.code]).toEqual([status, code]);
});

test('a stream without events has a heartbeat every 15 s, with the position', async () => {
  const { service, token } = await startWorkspace();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { text } = await openText(service, token);
  await vi.advanceTimersByTimeAsync(100);
  const beginning = text();
  await vi.advanceTimersByTimeAsync(15 * SECOND);
  expect(text().slice(beginning.length)).toMatch(/^: \nid: evt_\w{26}\n\n$/);
});

test.each([
  [
    'its key is revoked',
    ({ service, workspaceId, keyId }: Awaited<ReturnType<typeof startWorkspace>>) =>
      service.trunkline.admin.apiKeys.revoke(workspaceId, keyId),
  ],
  [
    'its workspace is suspended',
    ({ service, workspaceId }: Awaited<ReturnType<typeof startWorkspace>>) =>
      service.trunkline.admin.workspaces.suspend(workspaceId),
  ],
])('a stream ends within 5 s after %s', async (_, revoke) => {
  const workspace = await startWorkspace();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { isOver } = await openText(workspace.service, workspace.token);
  await vi.advanceTimersByTimeAsync(20 * SECOND);
  expect(isOver()).toBe(false);
  await revoke(workspace);
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  expect(isOver()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test.each(['messages:read', 'instances:read'] as const)(
  'a stream ends within 5 s after its caller loses the scope %s',
  async (lost) => {
    const { service, token } = await startWorkspace();
    const guard = createGuard(service.trunkline);
    let isLost = false;
    const app = createHttpApp(service.trunkline, {
      guard: {
        ...guard,
        async readmit(request, scope) {
          if (isLost && scope === lost)
            throw new TrunklineError({ code: 'INSUFFICIENT_SCOPE', message: 'No longer.' });
          await guard.readmit(request, scope);
        },
      },
    });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { isOver } = await openText({ app }, token);
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect(isOver()).toBe(false);
    isLost = true;
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    expect(isOver()).toBe(true);
  },
);

test('a stream that its client stops reading ends after a minute and frees its place', async () => {
  const { service, workspaceId, token } = await startWorkspace();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const request = () =>
    service.app.request('/api/v1/events/stream', { headers: { Authorization: `Bearer ${token}` } });
  const { body } = await request();
  const { events } = service.trunkline.workspace(workspaceId);
  await Promise.all(Array.from({ length: 99 }, () => events.stream()));
  expect((await request()).status).toBe(429);
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect((await request()).status).toBe(200);
  await body?.cancel();
});

test('a stream whose client goes away leaves neither a timer nor a place behind', async () => {
  const { service, token } = await startWorkspace();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  for (let count = 1; count <= 150; count += 1) {
    const { status, body } = await service.app.request('/api/v1/events/stream', {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(status).toBe(200);
    await body?.cancel();
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('HEAD has the headers of a stream, no body, and takes no place', async () => {
  const { service, token } = await startWorkspace();
  for (let count = 1; count <= 101; count += 1) {
    const response = await service.app.request('/api/v1/events/stream', {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${token}` },
    });
    expect([response.status, response.headers.get('Content-Type'), response.body]).toEqual([
      200,
      'text/event-stream',
      null,
    ]);
  }
});

test('the client streams events over a connection, which a stop of the service ends cleanly', async () => {
  const { service, token, send } = await startWorkspace();
  const server = serverOf(service);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const api = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: token });
  const { data } = unwrap(await api.events.stream({ types: 'message.sent' }));
  const found: RemoteEvent[] = [];
  const read = (async () => {
    for await (const one of data) found.push(one);
  })();
  const message = await send('Grüße');
  await eventually(async () => expect(found.filter(({ event }) => event !== null)).toHaveLength(1));
  const sent = found.find(({ event }) => event !== null);
  expect(sent).toEqual({
    id: JSON.parse(sent?.event?.body ?? '').id,
    event: { type: 'message.sent', body: expect.any(String) },
  });
  expect(JSON.parse(sent?.event?.body ?? '').data.message).toMatchObject({ id: message, text: 'Grüße' });
  expect(found[0]?.event).toBeNull();

  const closed = new Promise((resolve) => server.close(resolve));
  await service.trunkline.endStreams();
  await read;
  await closed;
  expect(await api.events.stream({ last_event_id: 'evt_1' })).toMatchObject({ ok: false });
});

test('the client reports why it gets no stream', async () => {
  const { service, token } = await startWorkspace();
  const fetch = (url: string, init: RequestInit) => service.app.request(url, init);
  const api = createClient({ baseUrl: 'http://localhost/api/v1', apiKey: token, fetch });
  expect(await api.events.stream({ types: 'message.lost' })).toMatchObject({
    error: { code: 'VALIDATION_FAILED', details: { fields: { types: [expect.any(String)] } } },
  });
  const other = createClient({ baseUrl: 'http://localhost/api/v1', apiKey: 'trk_wrong', fetch });
  expect(await other.events.stream()).toMatchObject({ error: { code: 'INVALID_API_KEY' } });
});

test('a client that sends half a request and goes away leaves no place behind', async () => {
  const { service, token } = await startWorkspace();
  const server = serverOf(service);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  for (let count = 1; count <= 20; count += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
  }
  await eventually(async () => {
    const connections = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    expect(connections).toBe(0);
  });
});
