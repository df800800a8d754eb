import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTrunkline } from '@trunkline/core';
import type { MessageResource, WorkspaceApi } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Person, RemoteFakeWhatsApp, SentMessage } from '@trunkline/fake-whatsapp';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually } from '@trunkline/test-support';
import { onTestFinished } from 'vitest';
import { acceleratingClock } from './linked.ts';
import { SECRET_KEY } from './service.ts';

export interface LinkedNumber {
  readonly account: Account;
  readonly instance: string;
  readonly people: readonly Person[];
}

export interface ManyNumbers {
  readonly wa: RemoteFakeWhatsApp;
  readonly api: WorkspaceApi;
  readonly numbers: readonly LinkedNumber[];
  /** All messages sent to the network, including refused ones. */
  readonly sent: readonly SentMessage[];
  /** The messages that arrived, and when, by `Date.now()`. */
  readonly received: readonly { readonly message: MessageResource; readonly at: number }[];
}

interface Size {
  readonly numbers: number;
  /** The speed of the service's clock once all numbers are linked, as a multiple of real time. */
  readonly speed: number;
}

/**
 * Starts the service in this process, on a loopback WhatsApp that names some people by LID only or by number only. The
 * network has its own process, so that its work does not count as the service's.
 */
export async function startManyNumbers({ numbers: count, speed }: Size): Promise<ManyNumbers> {
  const wa = await spawnFakeWhatsApp();
  const untrust = wa.trust();
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-many-'));
  const { clock, accelerate } = acceleratingClock();
  const trunkline = createTrunkline({
    ...nodeRuntime({ mediaDirectory: join(directory, 'media') }),
    clock,
    storage: sqliteStorage({ path: join(directory, 'trunkline.db') }),
    gateways: [baileysGateway({ pace: 'off', socket: { waWebSocketUrl: wa.client.waWebSocketUrl } })],
    secretKey: SECRET_KEY,
  });
  const sent = sentMessages(wa);
  const received: { message: MessageResource; at: number }[] = [];
  const hear = async ({ data }: { readonly data: { readonly message: MessageResource } }): Promise<void> => {
    received.push({ message: data.message, at: Date.now() });
  };
  trunkline.on('message.received', hear, { name: 'soak', concurrency: 100 });
  await trunkline.start();
  onTestFinished(async () => {
    await trunkline.stop();
    untrust();
    await wa.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const api = trunkline.workspace(id);
  const numbers: LinkedNumber[] = [];
  for (let index = 0; index < count; index += 1) numbers.push(await link(wa, api, index));
  // Accelerate only after linking, which takes as long as the machine needs.
  accelerate(speed);
  return { wa, api, numbers, sent, received };
}

/** Grows until the network is stopped. */
function sentMessages(wa: RemoteFakeWhatsApp): readonly SentMessage[] {
  const sent: SentMessage[] = [];
  const follow = async (): Promise<void> => {
    for (;;) sent.push(await wa.nextMessage());
  };
  // Rejects at the end of the test, when the network is stopped.
  void follow().catch(() => undefined);
  return sent;
}

async function link(wa: RemoteFakeWhatsApp, api: WorkspaceApi, index: number): Promise<LinkedNumber> {
  const digits = String(index).padStart(5, '0');
  const account = await wa.account(`55119000${digits}`, { name: `Shop ${digits}` });
  const people = await Promise.all(
    (['either', 'lid', 'pn', 'either', 'lid', 'pn'] as const).map((writtenToBy, place) =>
      wa.person(`5511800${place}${digits}`, { name: `Customer ${digits}`, writtenToBy }),
    ),
  );
  const { id: instance } = await api.instances.create({ name: account.name });
  await api.instances.connect(instance);
  await untilStatus(api, instance, 'qr_required');
  await wa.scanQr(account, (await api.instances.qr(instance)).code);
  await untilStatus(api, instance, 'connected');
  return { account, instance, people };
}

function untilStatus(api: WorkspaceApi, instance: string, status: string): Promise<void> {
  return eventually(async () => {
    const now = await api.instances.get(instance);
    if (now.status !== status) throw new Error(`${instance} is ${now.status} (${now.last_error}).`);
  });
}
