import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';

export interface ServerFacts {
  readonly url: string;
  readonly token: string;
  readonly instance: string;
}

const directory = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'trunkline-media-'));
const sandbox = createSandbox();
const trunkline = createTrunkline({
  ...nodeRuntime({ mediaDirectory: join(directory, 'media') }),
  storage: sqliteStorage({ path: join(directory, 'trunkline.db') }),
  gateways: [sandbox.gateway],
  secretKey: 'a secret key for measuring with, long enough',
});
await trunkline.start();
const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Bench' });
const { token } = await trunkline.admin.apiKeys.create({
  workspaceId,
  name: 'bench',
  scopes: ['messages:send', 'messages:read'],
});
const api = trunkline.workspace(workspaceId);
const { id: instance } = await api.instances.create();
await api.instances.connect(instance);
while ((await api.instances.get(instance)).status !== 'qr_required') await wait(20);
await sandbox.phone(instance).scan();

const server = serve(
  { fetch: createHttpApp(trunkline).fetch, hostname: '127.0.0.1', port: 0 },
  ({ port }) => {
    process.send?.({ url: `http://127.0.0.1:${port}`, token, instance } satisfies ServerFacts);
  },
);
process.on('message', () => process.send?.({ rss: process.memoryUsage.rss() }));
process.on('disconnect', () => void stop());

async function stop(): Promise<void> {
  server.close();
  await trunkline.stop();
  await rm(directory, { recursive: true, force: true });
}
