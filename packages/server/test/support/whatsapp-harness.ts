import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { InstanceResource, QrResource } from '@trunkline/core';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Person, RemoteFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { until } from '@trunkline/test-support';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { API_KEY, testClient } from './test-client.ts';
import type { TestClient } from './test-client.ts';
import { startReceiver } from './test-receiver.ts';
import type { TestReceiver } from './test-receiver.ts';

/** A server with GATEWAYS=whatsapp, one of its instances, and a WhatsApp on loopback. */
export interface WhatsAppHarness {
  readonly wa: RemoteFakeWhatsApp;
  readonly account: Account;
  readonly bob: Person;
  readonly receiver: TestReceiver;
  readonly instance: string;
  readonly server: WhatsAppServer;
  start(): Promise<WhatsAppServer>;
}

export interface WhatsAppServer extends ServerProcess {
  readonly client: TestClient;
}

const PRELOAD = new URL('on-fake-whatsapp.ts', import.meta.url).href;

export async function startWhatsAppHarness(
  env: Readonly<Record<string, string>> = {},
): Promise<WhatsAppHarness> {
  const wa = await spawnFakeWhatsApp();
  onTestFinished(() => wa.stop());
  const DATA_DIR = join(temporaryDirectory(), 'data');
  const start = async (): Promise<WhatsAppServer> => {
    const server = await startServer({
      env: {
        DATA_DIR,
        API_KEY,
        GATEWAYS: 'whatsapp',
        PACE: 'off',
        WEBHOOK_URL_POLICY: 'local',
        // The tests poll for a status more often than the limit allows.
        RATE_LIMIT: '0',
        NODE_OPTIONS: `--import=${PRELOAD}`,
        FAKE_WHATSAPP: JSON.stringify(wa.client),
        ...env,
      },
    });
    return { ...server, client: testClient(server.url) };
  };
  const server = await start();
  const receiver = await startReceiver();
  const events = ['instance.connected', 'message.sent', 'message.received'];
  receiver.secret = (await server.client.registerWebhook(receiver.url, events)).secret;
  const { id: instance } = await server.client.createInstance();
  const account = await wa.account('5511900000001', { name: 'Shop' });
  const bob = await wa.person('5511988887777', { name: 'Bob' });
  return { wa, account, bob, receiver, instance, server, start };
}

export async function linkPhone(
  { wa, account, instance }: WhatsAppHarness,
  server: WhatsAppServer,
): Promise<void> {
  await server.client.request('POST', `/api/v1/instances/${instance}/connect`);
  await untilStatus(server, instance, 'qr_required');
  await wa.scanQr(account, (await qrOf(server, instance)).code);
  await untilStatus(server, instance, 'connected');
}

export function untilStatus(
  { client }: WhatsAppServer,
  instance: string,
  status: InstanceResource['status'],
): Promise<true> {
  return until(`the instance is ${status}`, async () => (await client.instance(instance)).status === status);
}

export async function qrOf({ client }: WhatsAppServer, instance: string): Promise<QrResource> {
  const { body } = await client.request('GET', `/api/v1/instances/${instance}/qr`);
  return (body as { data: QrResource }).data; // the specification defines this type
}
