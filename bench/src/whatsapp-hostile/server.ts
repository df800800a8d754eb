// The service on a loopback WhatsApp, with a workspace for each number. It is killed and started again on its data.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import type { Logger } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { trustFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { ClientSettings } from '@trunkline/fake-whatsapp';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { createHttpApp } from '@trunkline/http';
import { createApiKey } from '../api-key.ts';
import { serveParent } from '../child.ts';
import { STORAGES } from '../storages.ts';
import type { StorageName } from '../storages.ts';

export interface HostilePlan {
  readonly directory: string;
  readonly storage: StorageName;
  readonly whatsapp: ClientSettings;
  /** How many workspaces to create. */
  readonly workspaces: number;
  /** How far this server's clock is ahead, as if it had been started that much later. */
  readonly aheadMs: number;
}

export interface HostileFacts {
  readonly baseUrl: string;
  /** The keys of the workspaces, one for each. */
  readonly apiKeys: readonly string[];
}

const plan = JSON.parse(process.argv[2] ?? '') as HostilePlan; // the parent wrote the plan
trustFakeWhatsApp(plan.whatsapp);
const runtime = nodeRuntime({ mediaDirectory: join(plan.directory, 'media') });
const { clock } = runtime;
const trunkline = createTrunkline({
  ...runtime,
  clock: { ...clock, now: () => clock.now() + plan.aheadMs },
  storage: STORAGES[plan.storage](plan.directory),
  gateways: [baileysGateway({ pace: 'off', socket: { waWebSocketUrl: plan.whatsapp.waWebSocketUrl } })],
  secretKey: 'a secret key for measuring with, long enough',
  urlPolicy: 'local',
  logger: fileLogger(join(plan.directory, 'log.txt')),
});
await trunkline.start();

const apiKeys: string[] = [];
for (let number = 1; number <= plan.workspaces; number += 1) {
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: `Number ${number}` });
  apiKeys.push(await createApiKey(trunkline, workspaceId));
}

const { fetch } = createHttpApp(trunkline, { rateLimit: false });
const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const facts: HostileFacts = { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKeys };
  serveParent(facts, () => null, stop);
});

async function stop(): Promise<void> {
  server.close();
  await trunkline.stop();
}

function fileLogger(file: string): Logger {
  const at =
    (level: string): Logger['info'] =>
    (facts, message) =>
      appendFileSync(file, `${new Date().toISOString()} ${level} ${message} ${JSON.stringify(facts)}\n`);
  return { debug() {}, info: at('info'), warn: at('warn'), error: at('error') };
}
