import { expect, it, vi } from 'vitest';
import {
  connectInstance,
  connectScripted,
  HOUR,
  MINUTE,
  only,
  SECOND,
  sendText,
  startHarness,
} from './support/harness.ts';
import { measuredHarness } from './support/measured-harness.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';

it('the open work of the whole service is exported, with its age', async () => {
  const gateway = scriptedGateway({ send: async () => ({ kind: 'not_sent', reason: 'no route' }) });
  const { harness, reader } = await measuredHarness({ gateway });
  const instance = await connectScripted(harness);
  await harness.api.instances.create();
  expect(await reader.values()).toMatchObject({
    'trunkline.instances sandbox connected': 1,
    'trunkline.instances sandbox created': 1,
    'trunkline.instances sandbox logged_out': 0,
    'trunkline.messages.queued': 0,
    'trunkline.messages.queued.oldest.age': 0,
    'trunkline.webhooks.overdue': 0,
  });
  await sendText(harness, instance);
  await sendText(harness, instance);
  await harness.clock.advance(3 * MINUTE);
  expect(await reader.values()).toMatchObject({
    'trunkline.messages.queued': 2,
    'trunkline.messages.queued.oldest.age': expect.closeTo(180, 0),
    'trunkline.instances.unheld': 0,
  });
});

it('a number that no process holds is exported by a process that holds none', async () => {
  const { harness, reader } = await measuredHarness({ roles: only('api') });
  const second = await harness.another({ roles: only('gateway') });
  const { id } = await harness.api.instances.create();
  await harness.api.instances.connect(id);
  await harness.clock.advance(SECOND);
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.unheld': 0 });
  await second.trunkline.stop();
  await harness.clock.advance(6 * SECOND);
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.unheld': 1 });
});

it('deliveries that no process handles are exported as overdue, with their age', async () => {
  const { harness, reader } = await measuredHarness({ roles: only('api') });
  const { id } = await harness.api.webhooks.create({ url: 'https://a.example/', events: ['message.sent'] });
  await harness.api.webhooks.test(id);
  await harness.clock.advance(HOUR);
  expect(await reader.values()).toMatchObject({
    'trunkline.webhooks.open': 1,
    'trunkline.webhooks.open.oldest.age': 3600,
    'trunkline.webhooks.overdue': 3600,
    'trunkline.webhooks.endpoints.failing': 0,
  });
});

it('the database is read only when an exporter asks, and once for all who ask within 5 seconds', async () => {
  const { harness, reader } = await measuredHarness();
  const read = vi.spyOn(harness.storage.workload, 'read');
  await connectInstance(harness);
  await harness.clock.advance(MINUTE);
  expect(read).not.toHaveBeenCalled();
  await Promise.all([reader.values(), reader.values(), harness.trunkline.admin.workload()]);
  await harness.clock.advance(4 * SECOND);
  await reader.values();
  expect(read).toHaveBeenCalledTimes(1);
  await harness.clock.advance(2 * SECOND);
  await reader.values();
  expect(read).toHaveBeenCalledTimes(2);
  await harness.trunkline.stop();
  await harness.clock.advance(MINUTE);
  expect(await reader.values()).toMatchObject({ 'trunkline.messages.queued': NaN });
  expect(read).toHaveBeenCalledTimes(2);
});

it('while the database fails or hangs, these metrics are NaN, the log says so, and all others are exported', async () => {
  const { harness, reader } = await measuredHarness();
  const read = vi.spyOn(harness.storage.workload, 'read');
  read.mockRejectedValueOnce(new Error('The database is out of reach.'));
  await connectInstance(harness);
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.held sandbox': 1 });
  expect(await reader.values()).toMatchObject({ 'trunkline.messages.queued': NaN });

  await harness.clock.advance(6 * SECOND);
  read.mockReturnValueOnce(new Promise(() => {}));
  const hanging = reader.values();
  await harness.clock.advance(6 * SECOND);
  expect(await hanging).toMatchObject({ 'trunkline.instances.held sandbox': 1 });
  expect(await hanging).toMatchObject({ 'trunkline.messages.queued': NaN });
  expect(read).toHaveBeenCalledTimes(2);

  await harness.clock.advance(6 * SECOND);
  expect(await reader.values()).toMatchObject({ 'trunkline.messages.queued': 0 });
  await harness.clock.advance(MINUTE);
  const warnings = harness.logs.filter(({ message }) => message.includes('its metrics are NaN'));
  expect(warnings.map(({ facts: { err } }) => String(err))).toEqual([
    'Error: The database is out of reach.',
    'DeadlineError: Reading the workload took longer than 5000 ms.',
  ]);
});

it('the embedder learns which message has waited longest, and of which workspace', async () => {
  const gateway = scriptedGateway({ send: async () => ({ kind: 'not_sent', reason: 'no route' }) });
  const harness = await startHarness({ gateway });
  const instance = await connectScripted(harness);
  const since = harness.clock.now();
  const { message } = await sendText(harness, instance);
  await harness.clock.advance(MINUTE);
  await sendText(harness, instance);
  expect(await harness.trunkline.admin.workload()).toMatchObject({
    queuedMessages: 2,
    oldestQueuedMessage: {
      workspaceId: harness.workspaceId,
      instanceId: instance,
      messageId: message.id,
      since,
    },
  });
});
