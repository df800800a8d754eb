import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const API_KEY = 'the-key-of-the-model';

async function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return startServer({ env: { DATA_DIR: join(temporaryDirectory(), 'data'), API_KEY, ...env } });
}

async function connect(server: ServerProcess): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { Authorization: `Bearer ${API_KEY}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

async function rest(server: ServerProcess, method: string, path: string, body?: object): Promise<Json> {
  const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
  const response = await fetch(server.url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json; // tests read any field
}

interface Json {
  readonly data: { readonly id: string; readonly status: string };
}

it('a model reads and sends within the settings, and a restart keeps the number of the day', async () => {
  const rules = {
    DATA_DIR: join(temporaryDirectory(), 'data'),
    LOG_LEVEL: 'info',
    MCP: 'on',
    MCP_SEND_TO: '+1555*',
    MCP_MESSAGES_PER_DAY: '1',
  };
  const first = await start(rules);
  const { id: instance } = (await rest(first, 'POST', '/api/v1/instances', {})).data;
  const path = `/api/v1/instances/${instance}`;
  await rest(first, 'POST', `${path}/connect`);
  const becomes = (status: string): Promise<true> =>
    until(`it is ${status}`, async () => (await rest(first, 'GET', path)).data.status === status);
  await becomes('qr_required');
  await rest(first, 'POST', `/sandbox/instances/${instance}/scan`, { phone_number: '+1 555 0100' });
  await becomes('connected');

  const model = await connect(first);
  const listed = await model.callTool({ name: 'list_instances', arguments: {} });
  expect(listed.structuredContent).toMatchObject({ data: [{ id: instance, status: 'connected' }] });
  const message = { instance, to: '+1 555 0123', text: 'Hello' };
  const sent = { name: 'send_text', arguments: { ...message, idempotency_key: 'the-first' } };
  expect((await model.callTool(sent)).structuredContent).toMatchObject({ messages_left_today: 0 });
  const outside = { ...message, to: '+49 30 901820', idempotency_key: 'to-others' };
  expect(await model.callTool({ name: 'send_text', arguments: outside })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('"counterparts"') }],
  });
  expect(first.stderr()).toMatch(/"tool":"send_text","outcome":"ok"/);

  // A start takes a second, so only the long form restarts in between.
  let second = first;
  if (isLongForm) {
    await first.stop();
    second = await start(rules);
  }
  const again = { name: 'send_text', arguments: { ...message, idempotency_key: 'the-second' } };
  expect(await (await connect(second)).callTool(again)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('"messages per day"') }],
  });
  // Imitates a page whose host name resolves to this machine (DNS rebinding).
  const rebound = await fetch(`${second.url}/mcp`, {
    method: 'POST',
    headers: { Origin: 'https://evil.example' },
  });
  expect(rebound.status).toBe(403);
  await second.stop();
});

it.runIf(isLongForm)('the MCP server is off by default', async () => {
  const server = await start();
  expect((await fetch(`${server.url}/mcp`, { method: 'POST' })).status).toBe(404);
  await server.stop();
});
