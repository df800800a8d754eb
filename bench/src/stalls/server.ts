// The service whose stalls are measured, on one storage and a sandbox network. Reports the longest on request.
import { serve } from '@hono/node-server';
import { createTrunkline, silentLogger } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { createApiKey } from '../api-key.ts';
import { serveParent } from '../child.ts';
import { STORAGES } from '../storages.ts';
import type { StorageName } from '../storages.ts';
import { watchTasks } from './tasks.ts';

export interface StallsPlan {
  readonly storage: StorageName;
  readonly directory: string;
  /** How far the clock is ahead, so that what was stored before is too old. */
  readonly aheadMs: number;
}

export interface StallsFacts {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const { storage, directory, aheadMs } = JSON.parse(process.argv[2] ?? '') as StallsPlan; // the parent wrote the plan
const runtime = nodeRuntime();
const { clock } = runtime;
const trunkline = createTrunkline({
  ...runtime,
  clock: { ...clock, now: () => clock.now() + aheadMs },
  storage: STORAGES[storage](directory),
  gateways: [createSandbox({ scansQrs: true, keptMessages: 100 }).gateway],
  secretKey: 'a secret key for measuring with, long enough',
  urlPolicy: 'local',
  logger: silentLogger,
  retention: { messagesDays: 30 },
});
const longestTasks = await watchTasks();
await trunkline.start();
const [workspace = await trunkline.admin.workspaces.create({ name: 'Stalls' })] =
  await trunkline.admin.workspaces.list();
const apiKey = await createApiKey(trunkline, workspace.id);
const { fetch } = createHttpApp(trunkline, { rateLimit: false });
// Idle connections stay open, or a request may find its connection closed.
const serverOptions = { keepAliveTimeout: 0 };
const server = serve({ fetch, hostname: '127.0.0.1', port: 0, serverOptions }, ({ port }) => {
  const facts: StallsFacts = { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey };
  serveParent(facts, longestTasks, async () => {
    server.close();
    await trunkline.stop();
  });
});
