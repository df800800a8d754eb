import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { addHealth } from '../src/http/health.ts';
import { fromEnvironment } from '../src/settings/setting-sources.ts';
import { readSettings } from '../src/settings/settings.ts';
import { startServer } from '../src/start-server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

interface Look {
  readonly status: number;
  readonly body: unknown;
}

async function look(replaceSetting: () => Promise<void>, draining = false): Promise<readonly Look[]> {
  const app = new Hono();
  addHealth(app, { storage: { replaceSetting }, logger: silentLogger, isDraining: () => draining });
  const ask = async (path: string): Promise<Look> => {
    const response = await app.request(path);
    return { status: response.status, body: await response.json() };
  };
  return [await ask('/healthz'), await ask('/readyz')];
}

describe('A server', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });
  const up = { status: 200, body: { status: 'up' } };

  it('is up and ready while its storage responds', async () => {
    expect(await look(async () => {})).toEqual([up, { status: 200, body: { status: 'ready' } }]);
  });

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('disk I/O error'))],
    ['hangs', () => new Promise<never>(() => {})],
  ])('is up and not ready while its storage %s', async (_, replaceSetting) => {
    const looking = look(replaceSetting);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await looking).toEqual([up, { status: 503, body: { status: 'unavailable' } }]);
  });

  it('calls a storage that hangs only once, however many requests there are', async () => {
    const replaceSetting = vi.fn(() => new Promise<never>(() => {}));
    const app = new Hono();
    addHealth(app, { storage: { replaceSetting }, logger: silentLogger, isDraining: () => false });
    const looks = Array.from({ length: 100 }, async () => app.request('/readyz'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await Promise.all(looks)).map(({ status }) => status)).toEqual(Array(100).fill(503));
    expect(replaceSetting).toHaveBeenCalledOnce();
  });

  it('is up and not ready while it ends, whatever its storage does', async () => {
    expect(await look(async () => {}, true)).toEqual([up, { status: 503, body: { status: 'draining' } }]);
  });
});

it('A server is not ready while it cannot write, and reports that to clients while it ends', async () => {
  const directory = `${temporaryDirectory()}/data`;
  const settings = readSettings(
    fromEnvironment({ PORT: '0', DATA_DIR: directory, API_KEY: 'a-key-for-the-tests' }),
  );
  const terminal = { isTTY: false, say() {}, warn() {} };
  const server = await startServer(settings, silentLogger, { terminal });
  const { url } = server;
  // A connection that stays open, like those of a load balancer.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ready = async (): Promise<[number | undefined, string]> => {
    const [response] = (await once(get(`${url}/readyz`, { agent }), 'response')) as [IncomingMessage]; // `response` has this argument
    return [response.statusCode, await text(response)];
  };
  expect(await ready()).toEqual([200, '{"status":"ready"}']);

  const other = new DatabaseSync(join(directory, 'trunkline.db'));
  other.exec('BEGIN IMMEDIATE');
  expect(await ready()).toEqual([503, '{"status":"unavailable"}']);
  other.close();
  expect(await ready()).toEqual([200, '{"status":"ready"}']);

  await setImmediate(); // so that the agent reuses the connection
  const ended = server.stop();
  expect(await ready()).toEqual([503, '{"status":"draining"}']);
  await ended;
});
