// Finds the files of packages/ that run code while one text is accepted, sent and read, and its webhook is refused once:
// the way of docs/one-message.md, on SQLite and the sandbox network. Used by scripts/figures.mjs.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { serve } from '../packages/server/src/index.ts';

const API_KEY = 'the-key-of-the-program-that-counts-files';
const packages = new URL('../packages/', import.meta.url).href;

/** Paths from the folder packages/, in alphabetical order. */
export async function filesThatOneMessageMeets() {
  const dataDir = mkdtempSync(join(tmpdir(), 'trunkline-figures-'));
  const receiver = await startReceiver();
  const server = await serve({
    port: 0,
    dataDir,
    apiKey: API_KEY,
    webhookUrlPolicy: 'local',
    dashboard: 'off',
    logLevel: 'silent',
  });
  try {
    const call = (method, path, body) => callServer(server.url, method, path, body);
    const instance = await connectInstance(call);
    await call('POST', '/api/v1/webhooks', { url: receiver.url, events: ['message.sent'] });
    return await filesThatAlwaysRunDuring(async () => {
      const isRefused = receiver.nextRequest();
      await call('POST', '/api/v1/messages', { instance, to: '+1 555 0100', type: 'text', text: 'Hello' });
      await isRefused;
      await setTimeout(2000); // until the receipts have arrived, the attempt is recorded, and the chat is updated
    });
  } finally {
    await server.stop();
    receiver.close();
    rmSync(dataDir, { recursive: true });
  }
}

async function callServer(url, method, path, body) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text).data;
}

async function connectInstance(call) {
  const { id } = await call('POST', '/api/v1/instances', {});
  const hasStatus = async (wanted) => {
    while ((await call('GET', `/api/v1/instances/${id}`)).status !== wanted) await setTimeout(20);
  };
  await call('POST', `/api/v1/instances/${id}/connect`);
  await hasStatus('qr_required');
  await call('POST', `/sandbox/instances/${id}/scan`);
  await hasStatus('connected');
  return id;
}

/** Refuses each webhook with 500. */
async function startReceiver() {
  let refused = () => {};
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(500).end();
    refused();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    nextRequest: () => new Promise((resolve) => (refused = resolve)),
    close: () => server.close(),
  };
}

/**
 * The files in which a function ran each of three times. The passes of workers that look for other work run at some of
 * these times, and code outside of functions runs when a file is loaded: neither counts.
 */
async function filesThatAlwaysRunDuring(work) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const times = [];
  while (times.length < 3) {
    await session.post('Profiler.takePreciseCoverage'); // sets all counts to zero
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    times.push(new Set(result.filter(hasRun).map(({ url }) => url.slice(packages.length))));
  }
  session.disconnect();
  return [...times[0]].filter((path) => times.every((paths) => paths.has(path))).toSorted();
}

function hasRun({ url, functions }) {
  const ran = ({ ranges: [{ count, startOffset }] }) => count > 0 && startOffset > 0;
  return url.startsWith(packages) && functions.some(ran);
}
