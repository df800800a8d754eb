import { TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { NAMEABLE_EVENT_TYPES } from '@trunkline/core/spi/http';
import { memoryMediaStore } from '@trunkline/core/testing';
import type { RecordedRequest } from '@trunkline/core/testing';
import type { Call } from './client.ts';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';

const PERSON = '15550123';
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);

export interface Happened {
  readonly service: Service;
  readonly call: Call;
  readonly webhook: string;
  /** The requests that the endpoint got. */
  readonly requests: readonly RecordedRequest[];
}

/** Makes every kind of event happen, in a chat and in a group. */
export async function everyEvent(
  options: Parameters<typeof startService>[0] = {},
  fields: object = {},
): Promise<Happened> {
  const service = await startService({
    media: memoryMediaStore(),
    logger: silentLogger,
    tracerProvider: new TracerProvider(),
    ...options,
  });
  const { call } = await service.newWorkspace();
  const endpoint = {
    url: 'https://hooks.example.com/',
    events: NAMEABLE_EVENT_TYPES,
    description: null,
    ...fields,
  };
  const webhook = idOf((await call('POST', '/webhooks', { json: endpoint })).json);
  expect((await call('POST', `/webhooks/${webhook}/test`)).status).toBe(202);

  const instance = await service.connected(call);
  for (const to of ['15550100', '15550003'])
    await call('POST', '/messages', { json: { instance, to, type: 'text', text: 'Hello' } });
  await service.clock.advance(5_000);
  // The network refuses what is sent to this person.
  await service.sandbox.phone(instance).receive({ from: '15550003', text: 'React to this' });
  await service.clock.advance(1_000);
  const [received] = JSON.parse((await call('GET', '/messages?direction=inbound')).text).data;
  await call('PUT', `/messages/${received.id}/reaction`, { json: { emoji: '👍' } });
  await doOnThePhone(service, instance);
  await service.sandbox.phone(instance).unlink();
  await service.sandbox.phone(await service.connected(call)).fail();
  const asked = idOf((await call('POST', '/instances')).json);
  await service.during(call('POST', `/instances/${asked}/connect`));
  await service.sandbox.phone(asked).scan({ passkey: true });
  await service.clock.advance(60_000);
  return { service, call, webhook, requests: service.receivers.requests };
}

async function doOnThePhone({ sandbox, clock }: Service, instance: string): Promise<void> {
  const phone = sandbox.phone(instance);
  const groupNetworkId = await phone.addGroup({ name: 'Choir', participantsCount: 9 });
  const place = {
    kind: 'location',
    payload: { latitude: 40.41, longitude: -3.7, name: null, address: null },
  } as const;
  await phone.receive({ from: null, sender: { networkId: 'lid-1', name: 'Ada' }, detail: place });
  const poll = {
    kind: 'poll',
    payload: { question: 'When?', options: ['Monday', 'Tuesday'], multiple: false },
  } as const;
  const asked = await phone.receive({ from: PERSON, detail: poll });
  const file = { type: 'image', content: PNG, delayMs: 90_000 } as const;
  await phone.receive({ from: PERSON, file });
  const picture = await phone.receive({ from: PERSON, file: { type: 'image', content: PNG } });
  await clock.advance(1_000);
  const inHd = { type: 'image', content: Uint8Array.from([...PNG, 1]) } as const;
  await phone.vote({ about: asked, from: PERSON, options: ['Monday'] });
  await phone.vote({ about: asked, options: [] });
  await phone.updateMedia({ about: picture, from: PERSON, file: inHd });
  await phone.write({ to: PERSON, text: 'Written with the phone' });
  for (const group of [{}, { groupNetworkId }]) {
    const about = await phone.receive({ from: PERSON, text: 'Hi', ...group });
    await clock.advance(1_000);
    await phone.react({ about, from: PERSON, emoji: '👍' });
    await phone.react({ about, emoji: null });
    await phone.edit({ about, from: PERSON, text: 'Good evening' });
    await phone.delete({ about, from: PERSON });
    await phone.call({ from: PERSON, video: true, ...group });
    await phone.receiveUndecryptable({ from: PERSON, reason: 'no_key', ...group });
  }
  // The service requests the file again, and the file arrives late.
  await clock.advance(5 * 60_000);
}
