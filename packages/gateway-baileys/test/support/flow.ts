import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger, MessageResource, OptInEventType } from '@trunkline/core';
import type { Clock } from '@trunkline/core/spi/gateway';
import { SUBSCRIBABLE_EVENT_TYPES } from '@trunkline/core';
import type { BaileysGatewayOptions } from '@trunkline/gateway-baileys';
import { startFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, FakeWhatsApp, Person } from '@trunkline/fake-whatsapp';
import type { CallResult } from '@trunkline/http/client';
import type { WebhookEvent } from '@trunkline/receiver';
import { onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { staticOptions } from './baileys-network.ts';
import { startReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

/** A service on a loopback WhatsApp, one of its instances, and a receiver of every event. */
export interface Harness {
  readonly wa: FakeWhatsApp;
  readonly account: Account;
  readonly bob: Person;
  readonly receiver: Receiver;
  readonly instance: string;
  service(): Service;
}

/** A harness with the service in this process. */
export interface Flow extends Harness {
  readonly directory: string;
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

interface FlowOptions {
  readonly gateway?: BaileysGatewayOptions;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Event types that the receiver subscribes to in addition to the nine of the specification. */
  readonly optInEvents?: readonly OptInEventType[];
}

export async function startFlow({
  gateway = {},
  clock,
  logger,
  optInEvents = [],
}: FlowOptions = {}): Promise<Flow> {
  const wa = await startFakeWhatsApp();
  const untrust = wa.trust();
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-baileys-'));
  const receiver = await startReceiver();
  const socket = { waWebSocketUrl: wa.client.waWebSocketUrl, ...staticOptions(gateway) };
  const options = { directory, gateway: { ...gateway, socket }, clock, logger };
  const first = await startService(options);
  let service: Service = first;
  onTestFinished(async () => {
    await service.stop();
    untrust();
    await wa.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const events = [...SUBSCRIBABLE_EVENT_TYPES, ...optInEvents];
  receiver.secret = must(await service.client.webhooks.create({ url: receiver.url, events })).secret;
  const { id: instance } = must(await service.client.instances.create({ name: 'Shop' }));
  return {
    wa,
    receiver,
    instance,
    directory,
    account: wa.account('5511900000001', { name: 'Shop', pictureUrl: 'https://pps.example/shop.jpg' }),
    bob: wa.person('5511988887777', { name: 'Bob' }),
    service: () => service,
    async restart(meanwhile = async () => {}) {
      await service.stop();
      await meanwhile();
      service = await startService({ ...options, apiKey: first.apiKey });
    },
  };
}

export async function startLinkedFlow(options?: FlowOptions): Promise<Flow> {
  const flow = await startFlow(options);
  await pairByQr(flow);
  return flow;
}

export async function pairByQr(flow: Harness): Promise<void> {
  const { client } = flow.service();
  must(await client.instances.connect(flow.instance));
  await untilStatus(flow, 'qr_required');
  flow.wa.scanQr(flow.account, must(await client.instances.qr(flow.instance)).code);
  await untilStatus(flow, 'connected');
}

export function must<Data>(result: CallResult<{ readonly data: Data }>): Data {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.data;
}

export function untilStatus({ service, instance }: Harness, status: string): Promise<void> {
  return eventually(async () => {
    const now = must(await service().client.instances.get(instance));
    if (now.status !== status) throw new Error(`The instance is ${now.status} (${now.last_error}).`);
  });
}

export function untilMessage(
  { service }: Harness,
  id: string,
  status: MessageResource['status'],
): Promise<MessageResource> {
  return eventually(async () => {
    const message = must(await service().client.messages.get(id));
    if (message.status !== status) throw new Error(`The message is ${message.status}.`);
    return message;
  });
}

/** Waits for an event of this type that `holds` accepts, unless one has already arrived. */
export function untilNotified(
  { receiver }: Harness,
  type: string,
  holds: (event: WebhookEvent) => boolean = () => true,
): Promise<WebhookEvent> {
  return eventually(() => {
    const event = receiver.events.find((candidate) => candidate.type === type && holds(candidate));
    if (!event)
      throw new Error(`Not notified of ${type} among ${receiver.events.map((e) => e.type).join(', ')}.`);
    return event;
  });
}

export function reportedAbout({ receiver }: Harness, messageId: string): readonly string[] {
  return receiver.events
    .filter(({ data }) => 'message' in data && data.message.id === messageId)
    .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .map(({ type }) => type);
}
