import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { expect, it } from 'vitest';
import { REFUSED } from '../src/testing/index.ts';
import { MINUTE, SECOND, connectInstance, sendText, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}

  /** Name and labels with the value; of a histogram, how many and their sum. */
  async values(): Promise<Readonly<Record<string, unknown>>> {
    const { resourceMetrics } = await this.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return Object.fromEntries(
      metrics.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => [
          [descriptor.name, ...Object.values(attributes)].join(' '),
          typeof value === 'object' && 'count' in value ? [value.count, value.sum] : value,
        ]),
      ),
    );
  }
}

async function measuredWorld(): Promise<{ readonly world: World; readonly reader: Reader }> {
  const reader = new Reader();
  const world = await startWorld({ meterProvider: new MeterProvider({ readers: [reader] }) });
  return { world, reader };
}

it('Messages are counted by type, and how long they were queued', async () => {
  const { world, reader } = await measuredWorld();
  const instance = await connectInstance(world);
  await sendText(world, instance, '15550100');
  await sendText(world, instance, '15550003'); // which the sandbox refuses
  await sendText(world, instance, '15550004'); // for which it has no answer
  await world.sandbox.phone(instance).receive({ from: '15550199', text: 'Hello' });
  await world.clock.advance(10 * MINUTE);
  expect(await reader.values()).toMatchObject({
    'trunkline.messages.accepted text': 3,
    'trunkline.messages.received text': 1,
    'trunkline.messages.sent text': 1,
    'trunkline.messages.failed text': 2,
    'trunkline.messages.queue.duration sent': [1, expect.any(Number)],
    'trunkline.messages.queue.duration failed': [2, expect.any(Number)],
  });
});

it('A message that is sent twice under one idempotency key is counted once', async () => {
  const { world, reader } = await measuredWorld();
  const instance = await connectInstance(world);
  const send = { instance, to: '15550100', type: 'text', text: 'Hello' } as const;
  await world.api.messages.send(send, { idempotencyKey: 'order-1' });
  await world.api.messages.send(send, { idempotencyKey: 'order-1' });
  expect(await reader.values()).toMatchObject({ 'trunkline.messages.accepted text': 1 });
});

it('Attempts of deliveries are measured by outcome, and how late they began', async () => {
  const { world, reader } = await measuredWorld();
  const { id } = await world.api.webhooks.create({ url: 'https://a.example/', events: ['message.sent'] });
  await world.api.webhooks.test(id);
  await world.clock.settle();
  world.sender.answer(async () => {
    await new Promise<void>((resolve) => world.clock.setTimer(2 * SECOND, resolve));
    return REFUSED;
  });
  await world.api.webhooks.test(id);
  await world.clock.advance(2 * SECOND);
  expect(await reader.values()).toMatchObject({
    'trunkline.webhooks.attempt.duration success': [1, 0],
    'trunkline.webhooks.attempt.duration http_error': [1, 2],
    'trunkline.webhooks.lag': [2, 0],
  });
});

it('An attempt that begins late says by how much', async () => {
  const { world, reader } = await measuredWorld();
  const { id } = await world.api.webhooks.create({ url: 'https://a.example/', events: ['message.sent'] });
  world.sender.answer(() => REFUSED);
  await world.api.webhooks.test(id);
  await world.clock.settle();
  // The retry is due in a minute, and this process was asleep for five.
  world.clock.jump(5 * MINUTE);
  await world.clock.advance(MINUTE);
  expect(await reader.values()).toMatchObject({
    'trunkline.webhooks.lag': [2, expect.closeTo(4 * 60, -1)],
  });
});

it('The instances held are told while they are held', async () => {
  const { world, reader } = await measuredWorld();
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.held': 0 });
  await connectInstance(world);
  await connectInstance(world);
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.held': 2 });
  await world.trunkline.stop();
  expect(await reader.values()).toMatchObject({ 'trunkline.instances.held': 0 });
});
