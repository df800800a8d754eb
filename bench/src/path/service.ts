import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import type { Gateway, Storage } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { spawnFakeWhatsApp, trustFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Person, RemoteFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { createHttpApp } from '@trunkline/http';
import { startTextReceiver } from '../text-receiver.ts';
import { createRecorder } from './recorder.ts';
import type { Recorder } from './recorder.ts';

const POLL_MS = 5;

/** A service on a storage and a network that record their calls, with one number and one webhook. */
export interface Service {
  readonly recorder: Recorder;
  readonly wa: RemoteFakeWhatsApp;
  readonly account: Account;
  readonly person: Person;
  /** When the receiver got the webhook about each text. */
  readonly webhooks: ReadonlyMap<string, number>;
  post(text: string): Promise<void>;
}

/** Runs a service with a linked number, on the loopback WhatsApp. */
export async function withService(
  directory: string,
  storage: Storage,
  work: (service: Service) => Promise<void>,
): Promise<void> {
  const recorder = createRecorder();
  const wa = await spawnFakeWhatsApp();
  trustFakeWhatsApp(wa.client);
  const receiver = await startTextReceiver();
  const runtime = nodeRuntime({ mediaDirectory: join(directory, 'media') });
  const trunkline = createTrunkline({
    ...runtime,
    webhookSender: recorder.around(runtime.webhookSender, 'webhookSender.'),
    storage: recorder.around(storage),
    gateways: [
      recordedGateway(
        recorder,
        baileysGateway({ pace: 'off', socket: { waWebSocketUrl: wa.client.waWebSocketUrl } }),
      ),
    ],
    secretKey: 'a secret key for measuring with, long enough',
    urlPolicy: 'local',
  });
  await trunkline.start();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Bench' });
  const { token } = await trunkline.admin.apiKeys.create({
    workspaceId,
    name: 'bench',
    scopes: ['messages:send'],
  });
  const workspace = trunkline.workspace(workspaceId);
  // One endpoint gets at most 120 requests a minute.
  for (const event of ['message.sent', 'message.received'] as const)
    await workspace.webhooks.create({ url: `${receiver.url}${event}`, events: [event] });
  const { id: instance } = await workspace.instances.create();
  await workspace.instances.connect(instance);
  const hasStatus = async (status: string): Promise<boolean> =>
    (await workspace.instances.get(instance)).status === status;
  while (!(await hasStatus('qr_required'))) await wait(POLL_MS);
  const account = await wa.account('551190000001', { name: 'Shop' });
  await wa.scanQr(account, (await workspace.instances.qr(instance)).code);
  while (!(await hasStatus('connected'))) await wait(POLL_MS);
  const { fetch } = createHttpApp(trunkline, { rateLimit: false });
  const server = serve({ fetch, hostname: '127.0.0.1', port: 0 });
  const person = await wa.person('551180000001', { name: 'Ada' });
  try {
    await work({
      recorder,
      wa,
      account,
      person,
      webhooks: receiver.arrivals,
      async post(text) {
        const { port } = server.address() as AddressInfo; // of a server on a port
        const response = await globalThis.fetch(`http://127.0.0.1:${port}/api/v1/messages`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify({ instance, type: 'text', to: person.phoneNumber, text }),
        });
        if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
        await response.body?.cancel();
      },
    });
  } finally {
    server.close();
    await trunkline.stop();
    receiver.close();
    await wa.stop();
  }
}

/** Records the calls of the gateway's connections, too. */
function recordedGateway(recorder: Recorder, gateway: Gateway): Gateway {
  return {
    ...gateway,
    open: async (...args) => recorder.around(await gateway.open(...args), 'connection.'),
  };
}
