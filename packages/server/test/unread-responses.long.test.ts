import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

const CLIENTS = 400;
/** Far below the total of all responses (640 MB and more), but above the garbage that is not collected yet. */
const MAX_MB = 150;

it.each([
  ['the script of the reference', '/api/v1/docs/scalar.js', false],
  ['the page of the reference', '/api/v1/docs', false],
  ['the OpenAPI document', '/api/v1/openapi.json', false],
  ['the page of the dashboard', '/dashboard/', false],
  ['the largest file of the dashboard', 'asset', false],
  ['a list of messages', '/api/v1/messages?limit=100', true],
  ['a file', 'file', true],
  ['a stream of events', '/api/v1/events/stream?last_event_id=0', true],
])(`${CLIENTS} clients that read nothing of %s cost less than ${MAX_MB} MB`, async (_, target, hasKey) => {
  const server = await startServer({
    env: { API_KEY, RATE_LIMIT: '0', DATA_DIR: temporaryDirectory() },
  });
  const client = testClient(server.url);
  const { id: instance } = await client.createInstance();
  await client.connect(instance);
  for (let sent = 0; sent < 100; sent += 1)
    await client.send({ instance, to: '15550001', text: '\u{1F600}'.repeat(4_096) });
  const file = await client.sendFile({ instance, content: 'x'.repeat(15 * 1_048_576) });
  const path =
    target === 'asset'
      ? await largestAsset(server.url)
      : target === 'file'
        ? `/api/v1/messages/${file.id}/media`
        : target;
  const authorization = hasKey ? `Authorization: Bearer ${API_KEY}\r\n` : '';
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`;
  const { port } = new URL(server.url);
  const open = async (): Promise<void> => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(request);
    await once(socket, 'readable'); // the response has begun, and is not read
  };
  // Warms the server up, so that one-time allocations are done and the heap has grown as it does for clients that read.
  const headers = hasKey ? { Authorization: `Bearer ${API_KEY}` } : {};
  for (let at = 0; at < CLIENTS / 4; at += 1) {
    const { body } = await fetch(server.url + path, { headers });
    if (target.includes('stream')) await body?.cancel();
    else for await (const _chunk of body ?? []);
  }
  const before = residentMb(server.pid);
  for (let at = 0; at < CLIENTS; at += 1) await open();
  const cost = residentMb(server.pid) - before;
  console.log(`${path}: ${Math.round(cost)} MB`);
  expect(cost).toBeLessThan(MAX_MB);
  await server.kill();
});

async function largestAsset(url: string): Promise<string> {
  const page = await (await fetch(`${url}/dashboard/sign-in`)).text();
  const names = [...page.matchAll(/assets\/[\w.-]+\.js/g)].map(([name]) => name);
  const sizes = await Promise.all(
    names.map(async (name) => (await (await fetch(`${url}/dashboard/${name}`)).arrayBuffer()).byteLength),
  );
  return `/dashboard/${names[sizes.indexOf(Math.max(...sizes))]}`;
}

function residentMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
