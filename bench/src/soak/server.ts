// The service of the soak, on one storage and a sandbox network. Reports its resources on request.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapSpaceStatistics } from 'node:v8';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { createApiKey } from '../api-key.ts';
import { serveParent } from '../child.ts';
import { STORAGES } from '../storages.ts';
import type { SoakFacts, SoakPlan, SoakResources } from './plan.ts';

const plan = JSON.parse(process.argv[2] ?? '') as SoakPlan; // the parent wrote the plan
const trunkline = createTrunkline({
  ...nodeRuntime({ mediaDirectory: join(plan.directory, 'media') }),
  storage: STORAGES[plan.storage](plan.directory),
  // The simulated network must not grow, because it shares the heap that is measured.
  gateways: [createSandbox({ scansQrs: true, keptMessages: 100 }).gateway],
  secretKey: 'a secret key for measuring with, long enough',
  urlPolicy: 'local',
});
await trunkline.start();

const apiKeys: string[] = [];
for (let number = 1; number <= plan.workspaces; number += 1) {
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: `Soak ${number}` });
  apiKeys.push(await createApiKey(trunkline, workspaceId));
}

const { fetch } = createHttpApp(trunkline, { rateLimit: false });
const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const facts: SoakFacts = { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKeys };
  serveParent(facts, resources, stop);
});

async function resources(): Promise<SoakResources> {
  globalThis.gc?.();
  // The second collection frees objects that the first one has only finalized.
  await pause(100);
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  return {
    heapUsed: getHeapSpaceStatistics()
      .filter(({ space_name: name }) => !/code|trusted/.test(name))
      .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0),
    rss: process.memoryUsage.rss(),
    descriptors: readdirSync('/proc/self/fd').length,
    handles: process.getActiveResourcesInfo().length,
    cpuSeconds: (user + system) / 1_000_000,
  };
}

async function stop(): Promise<void> {
  await trunkline.endStreams();
  server.close();
  await trunkline.stop();
}
