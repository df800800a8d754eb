import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { trustFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { createHttpApp } from '@trunkline/http';
import { serveParent } from '../child.ts';
import { STORAGES } from '../storages.ts';
import { useOf } from './plan.ts';
import type { FeelFacts, TrunklinePlan } from './plan.ts';

const plan = JSON.parse(process.argv[2] ?? '') as TrunklinePlan; // feel.ts made it
trustFakeWhatsApp(plan.network);
const trunkline = createTrunkline({
  ...nodeRuntime({ mediaDirectory: join(plan.directory, 'media') }),
  storage: STORAGES[plan.storage](plan.directory),
  gateways: [baileysGateway({ pace: 'off', socket: { waWebSocketUrl: plan.network.waWebSocketUrl } })],
  secretKey: 'a secret key for measuring with, long enough',
  urlPolicy: 'local',
});
await trunkline.start();
const [known] = await trunkline.admin.workspaces.list();
const { id: workspaceId } = known ?? (await trunkline.admin.workspaces.create({ name: 'Bench' }));
const { token } = await trunkline.admin.apiKeys.create({
  workspaceId,
  name: 'bench',
  scopes: ['messages:send'],
});
const workspace = trunkline.workspace(workspaceId);
const [linked] = (await workspace.instances.list()).data;
const instance = linked?.id ?? (await newInstance());
const qr = linked ? '' : (await workspace.instances.qr(instance)).code;

const { fetch } = createHttpApp(trunkline, { rateLimit: false });
const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const facts: FeelFacts = {
    qr,
    sendUrl: `http://127.0.0.1:${port}/api/v1/messages`,
    headers: { Authorization: `Bearer ${token}` },
    fields: { instance, type: 'text' },
  };
  serveParent(
    facts,
    async () => useOf((await workspace.instances.get(instance)).status === 'connected'),
    async () => {
      server.close();
      await trunkline.stop();
    },
  );
});

/** Creates an instance that waits for the scan of its QR. */
async function newInstance(): Promise<string> {
  await workspace.webhooks.create({ url: plan.webhookUrl, events: ['message.received'] });
  const { id } = await workspace.instances.create();
  await workspace.instances.connect(id);
  while ((await workspace.instances.get(id)).status !== 'qr_required') await wait(20);
  return id;
}
