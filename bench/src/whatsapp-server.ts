import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serve } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { trustFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { ClientSettings } from '@trunkline/fake-whatsapp';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { createApiKey } from './api-key.ts';

export interface ServerFacts {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  /** The highest resident memory since the last report. */
  readonly highestRss: number;
  /** The longest time that other work had to wait since the last report, in milliseconds. */
  readonly longestDelay: number;
  /**
   * The longest work without yielding since the last report, in milliseconds of CPU time, which other load does not
   * affect.
   */
  readonly longestWork: number;
}

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let longestWork = 0;
let highestRss = 0;
let worked = cpuMs();
setInterval(() => {
  const ms = cpuMs();
  longestWork = Math.max(longestWork, ms - worked);
  worked = ms;
  highestRss = Math.max(highestRss, process.memoryUsage.rss());
}, 5);

const directory = process.argv[2] ?? '';
const settings = JSON.parse(process.env['FAKE_WHATSAPP'] ?? '') as ClientSettings;
trustFakeWhatsApp(settings);

const runtime = nodeRuntime({ mediaDirectory: join(directory, 'media') });
const ahead = Number(process.env['CLOCK_AHEAD_MS'] ?? 0);
const { clock } = runtime;
const trunkline = createTrunkline({
  ...runtime,
  clock: { ...clock, now: () => clock.now() + ahead },
  storage: sqliteStorage({ path: join(directory, 'trunkline.db') }),
  gateways: [baileysGateway({ pace: 'off', socket: { waWebSocketUrl: settings.waWebSocketUrl } })],
  secretKey: 'a secret key for measuring with, long enough',
});
await trunkline.start();
const [workspace = await trunkline.admin.workspaces.create({ name: 'Bench' })] =
  await trunkline.admin.workspaces.list();
const apiKey = await createApiKey(trunkline, workspace.id);

const { fetch } = createHttpApp(trunkline, { rateLimit: false });
// On a busy machine, a connection that is closed after seconds may be closed while the next request is sent on it.
const serverOptions = { keepAliveTimeout: 75_000 };
const server = serve({ fetch, hostname: '127.0.0.1', port: 0, serverOptions }, ({ port }) => {
  process.send?.({ baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey } satisfies ServerFacts);
});
process.on('message', () => {
  const delays = { longestDelay: delay.max / 1e6, longestWork };
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed, highestRss, ...delays } satisfies Memory);
  // Do not count the garbage collection above as a delay.
  setTimeout(() => {
    delay.reset();
    longestWork = 0;
    highestRss = 0;
  }, 50);
});
process.on('disconnect', () => void stop());

async function stop(): Promise<void> {
  server.close();
  await trunkline.stop();
  // Baileys' timers would keep the process running for up to a minute.
  process.exit();
}
