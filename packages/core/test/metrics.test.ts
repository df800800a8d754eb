import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { expect, it, vi } from 'vitest';
import { createSandbox } from '../src/sandbox/index.ts';
import { memoryMediaStore, REFUSED, TAKEN } from '../src/testing/index.ts';
import {
  HOUR,
  MINUTE,
  SECOND,
  STEP,
  connectInstance,
  connectScripted,
  jumpAhead,
  sendText,
  startHarness,
} from './support/harness.ts';
import { PNG } from './support/media.ts';
import { measuredHarness, Reader } from './support/measured-harness.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';

it('Messages are counted by type, and how long they were queued', async () => {
  const { harness, reader } = await measuredHarness();
  const instance = await connectInstance(harness);
  await sendText(harness, instance, '15550100');
  await sendText(harness, instance, '15550003'); // the sandbox refuses this recipient
  await sendText(harness, instance, '15550004'); // the sandbox never responds for this recipient
  await harness.sandbox.phone(instance).receive({ from: '15550199', text: 'Hello' });
  await harness.clock.advance(10 * MINUTE);
  expect(await reader.values()).toMatchObject({
    'trunkline.messages.accepted text': 3,
    'trunkline.messages.received text': 1,
    'trunkline.messages.sent text': 1,
    'trunkline.messages.failed text': 2,
    'trunkline.messages.queue.duration sent': [1, expect.any(Number)],
    'trunkline.messages.queue.duration failed': [2, expect.any(Number)],
    'trunkline.messages.acceptance.duration': [3, expect.any(Number)],
  });
});

it('What alerts count is there as 0 from the start, so that none is blind to the first fault', async () => {
  const { reader } = await measuredHarness();
  const types = ['text', 'image', 'document', 'audio', 'video'];
  const counted = ['accepted', 'received', 'sent', 'failed'].flatMap((what) =>
    types.map((type) => `trunkline.messages.${what} ${type}`),
  );
  const files = ['in_time', 'late', 'given_up'].map((outcome) => `trunkline.files.received ${outcome}`);
  const others = [
    'trunkline.instances.leases.lost',
    'trunkline.log.records warn',
    'trunkline.log.records error',
    'trunkline.messages.paced interval',
    'trunkline.messages.paced new_person',
  ];
  expect(await reader.values()).toMatchObject(
    Object.fromEntries([...counted, ...files, ...others].map((name) => [name, 0])),
  );
});

it('A message that is sent twice under one idempotency key is counted once', async () => {
  const { harness, reader } = await measuredHarness();
  const instance = await connectInstance(harness);
  const send = { instance, to: '15550100', type: 'text', text: 'Hello' } as const;
  await harness.api.messages.send(send, { idempotencyKey: 'order-1' });
  await harness.api.messages.send(send, { idempotencyKey: 'order-1' });
  expect(await reader.values()).toMatchObject({ 'trunkline.messages.accepted text': 1 });
});

it('Files are counted by whether they came with their messages, later, or never', async () => {
  const reader = new Reader();
  const sandbox = createSandbox();
  const harness = await startHarness({
    gateway: sandbox.gateway,
    media: memoryMediaStore(),
    meterProvider: new MeterProvider({ readers: [reader] }),
  });
  const instance = await connectInstance({ ...harness, sandbox });
  const receive = (delayMs?: number): Promise<string> =>
    sandbox
      .phone(instance)
      .receive({ from: '15550199', file: { type: 'image', content: PNG, ...(delayMs && { delayMs }) } });
  await receive();
  await harness.clock.advance(STEP);
  await receive(2 * MINUTE);
  await receive(Infinity);
  await harness.clock.advance(10 * MINUTE);
  expect(await reader.values()).toMatchObject({
    'trunkline.files.received in_time': 1,
    'trunkline.files.received late': 1,
  });
  await jumpAhead(harness, 25 * HOUR);
  expect(await reader.values()).toMatchObject({ 'trunkline.files.received given_up': 1 });
});

it('What a gateway skips is counted by kind, whose number is limited', async () => {
  const reader = new Reader();
  const gateway = scriptedGateway();
  const harness = await startHarness({ gateway, meterProvider: new MeterProvider({ readers: [reader] }) });
  await connectScripted(harness);
  const { listener } = gateway.last();
  listener.skipped?.('status');
  listener.skipped?.('status');
  listener.skipped?.('<a name that a stranger chose>');
  for (let kind = 0; kind < 1_000; kind += 1) listener.skipped?.(`kind_${kind}`);
  const counts = Object.entries(await reader.values()).filter(([name]) =>
    name.startsWith('trunkline.messages.skipped '),
  );
  expect(counts).toHaveLength(101);
  expect(Object.fromEntries(counts)).toMatchObject({
    'trunkline.messages.skipped status': 2,
    'trunkline.messages.skipped kind_0': 1,
    'trunkline.messages.skipped other': 1 + 901,
  });
});

it('What people may not do, or do to messages that are not stored, is counted', async () => {
  const { harness, reader } = await measuredHarness();
  const phone = harness.sandbox.phone(await connectInstance(harness));
  const about = await phone.receive({ from: '15550199', text: 'mine' });
  await phone.edit({ about, from: '15550666', text: 'forged' });
  await phone.edit({ about, from: '15550199', text: 'edited' });
  await phone.delete({ about, from: '15550199' });
  await phone.edit({ about, from: '15550199', text: 'too late' });
  const message = { author: '15550199', groupNetworkId: null, contact: '15550199' };
  await phone.react({ about: 'of another service', message, from: '15550199', emoji: '👍' });
  await harness.clock.advance(SECOND);
  expect(await reader.values()).toMatchObject({
    'trunkline.messages.skipped forbidden_edit': 1,
    'trunkline.messages.skipped stale_edit': 1,
    'trunkline.messages.skipped unknown_reaction': 1,
  });
});

it('Attempts of deliveries are measured by outcome, and how late they began', async () => {
  const { harness, reader } = await measuredHarness();
  const { id } = await harness.api.webhooks.create({ url: 'https://a.example/', events: ['message.sent'] });
  await harness.api.webhooks.test(id);
  await harness.clock.settle();
  harness.sender.respond(async () => {
    await new Promise<void>((resolve) => harness.clock.setTimer(2 * SECOND, resolve));
    return REFUSED;
  });
  await harness.api.webhooks.test(id);
  await harness.clock.advance(2 * SECOND);
  expect(await reader.values()).toMatchObject({
    'trunkline.webhooks.attempt.duration success': [1, 0],
    'trunkline.webhooks.attempt.duration http_error': [1, 2],
    'trunkline.webhooks.lag': [2, 0],
    'trunkline.webhooks.delivery.duration': [1, 0],
  });
});

it('A webhook that is accepted late says how long its event took', async () => {
  const { harness, reader } = await measuredHarness();
  const { id } = await harness.api.webhooks.create({ url: 'https://a.example/', events: ['message.sent'] });
  harness.sender.respond(() => REFUSED);
  await harness.api.webhooks.test(id);
  await harness.clock.settle();
  harness.sender.respond(() => TAKEN);
  await harness.clock.advance(2 * MINUTE);
  expect(await reader.values()).toMatchObject({
    'trunkline.webhooks.delivery.duration': [1, expect.closeTo(60, -1)],
  });
});

it('Connections that end by themselves are counted by reason, whose number is limited', async () => {
  const gateway = scriptedGateway();
  const { harness, reader } = await measuredHarness({ gateway });
  const id = await connectScripted(harness);
  await gateway.last().listener.closed({ kind: 'dropped', detail: 'stream_error' });
  await harness.clock.advance(MINUTE);
  await gateway.last().listener.closed({ kind: 'dropped', detail: 'a text that somebody chose' });
  await harness.clock.advance(MINUTE);
  await gateway.last().listener.closed({ kind: 'failed', code: 'banned' });
  // A disconnection that a user requests is not counted.
  await connectScripted(harness);
  await harness.api.instances.disconnect(id).catch(() => undefined);
  const values = await reader.values();
  const closed = Object.entries(values).filter(([name]) => name.includes('connections.closed'));
  expect(Object.fromEntries(closed)).toEqual({
    'trunkline.instances.connections.closed sandbox stream_error': 1,
    'trunkline.instances.connections.closed sandbox other': 1,
    'trunkline.instances.connections.closed sandbox banned': 1,
  });
});

it('Leases that cannot be renewed are counted as lost', async () => {
  const { harness, reader } = await measuredHarness();
  await connectInstance(harness);
  await connectInstance(harness);
  vi.spyOn(harness.storage.leases, 'renew').mockRejectedValue(new Error('The database is out of reach.'));
  await harness.clock.advance(25 * SECOND);
  expect(await reader.values()).toHaveProperty('trunkline.instances.leases.lost', 0);
  await harness.clock.advance(10 * SECOND);
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.leases.lost': 2 });
});

it('A lease that another process has taken is counted as lost', async () => {
  const { harness, reader } = await measuredHarness();
  const instanceId = await connectInstance(harness);
  const now = harness.clock.now() + HOUR;
  const taken = await harness.storage.leases.claim({
    owner: 'another',
    now,
    networks: ['sandbox'],
    ttlMs: HOUR,
    limit: 10,
  });
  expect(taken).toMatchObject([{ lease: { instanceId } }]);
  await harness.clock.advance(30 * SECOND);
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.leases.lost': 1 });
});

it('Warnings and errors are counted, also those that a flood leaves out', async () => {
  const { harness, reader } = await measuredHarness();
  const before = await reader.values();
  expect(before).toHaveProperty('trunkline.log.records error', 0);
  for (let count = 0; count < 100; count += 1) harness.trunkline.logger.error({}, 'the disk is full');
  expect(harness.logs.filter(({ message }) => message === 'the disk is full')).toHaveLength(1);
  expect(await reader.values()).toMatchObject({ 'trunkline.log.records error': 100 });
});

it('An attempt that begins late says by how much', async () => {
  const { harness, reader } = await measuredHarness();
  const { id } = await harness.api.webhooks.create({ url: 'https://a.example/', events: ['message.sent'] });
  harness.sender.respond(() => REFUSED);
  await harness.api.webhooks.test(id);
  await harness.clock.settle();
  // The retry is due in a minute, but this process sleeps for five minutes.
  harness.clock.jump(5 * MINUTE);
  await harness.clock.advance(MINUTE);
  expect(await reader.values()).toMatchObject({
    'trunkline.webhooks.lag': [2, expect.closeTo(4 * 60, -1)],
  });
});

it('The instances held are counted while they are held', async () => {
  const { harness, reader } = await measuredHarness();
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.held sandbox': 0 });
  await connectInstance(harness);
  await connectInstance(harness);
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.held sandbox': 2 });
  await harness.trunkline.stop();
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.held sandbox': 0 });
});
