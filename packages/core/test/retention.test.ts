import { describe, expect, it } from 'vitest';
import { REFUSED } from '../src/testing/index.ts';
import { DAY, HOUR, MINUTE, connectInstance, listen, only, sendText, startWorld } from './support/world.ts';

/** A delivery that was exhausted long ago, in a process that deletes nothing. */
async function old() {
  const world = await startWorld({ roles: only('api', 'webhooks') });
  const { id: webhookId } = await listen(world);
  const { id } = await world.api.webhooks.test(webhookId);
  await world.clock.settle();
  return { world, webhookId, id };
}

describe('a delivery', () => {
  it('is there for 30 days to the millisecond, deleted yet or not', async () => {
    const { world, webhookId, id } = await old();
    world.clock.jump(30 * DAY);
    expect(await world.api.deliveries.get(id)).toMatchObject({ id });
    expect((await world.api.webhooks.deliveries(webhookId)).data).toHaveLength(1);
    world.clock.jump(1);
    await expect(world.api.deliveries.get(id)).rejects.toMatchObject({
      code: 'WEBHOOK_DELIVERY_NOT_FOUND',
      status: 404,
    });
    await expect(world.api.deliveries.retry(id)).rejects.toMatchObject({
      code: 'WEBHOOK_DELIVERY_NOT_FOUND',
    });
    expect((await world.api.webhooks.deliveries(webhookId)).data).toEqual([]);
  });

  it('that is too old is not retried with the others', async () => {
    const world = await startWorld({ roles: only('api', 'webhooks') });
    const { id } = await listen(world);
    world.sender.answer(() => ({ ...REFUSED, errorCode: 'UNSAFE_URL' }));
    await world.api.webhooks.test(id);
    await world.clock.settle();
    world.clock.jump(30 * DAY + 1);
    await world.api.webhooks.test(id);
    await world.clock.advance(MINUTE);
    expect(await world.api.webhooks.retryFailed(id)).toEqual({ requeued: 1, remaining: 0 });
  });

  it('is deleted with its event an hour later, however many there are', async () => {
    const { world, webhookId, id } = await old();
    for (let i = 0; i < 1_200; i++) await world.api.webhooks.test(webhookId);
    await world.another({ roles: only('maintenance') });
    world.clock.jump(30 * DAY + HOUR - MINUTE);
    await world.clock.advance(1);
    expect(await world.storage.deliveries.findDetail(world.workspaceId, id, 0)).not.toBeNull();
    await world.clock.advance(2 * MINUTE);
    expect(await world.storage.deliveries.findDetail(world.workspaceId, id, 0)).toBeNull();
    const left = await world.storage.deliveries.list(
      world.workspaceId,
      webhookId,
      {},
      { from: null, limit: 1 },
      0,
    );
    expect(left.rows).toEqual([]);
    expect(world.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a message', () => {
  it('is kept after a year', async () => {
    const world = await startWorld();
    const { message } = await sendText(world, await connectInstance(world));
    world.clock.jump(365 * DAY);
    await world.clock.advance(MINUTE);
    expect(await world.api.messages.get(message.id)).toMatchObject({ id: message.id });
  });
});

describe('an idempotency record', () => {
  it('is deleted once it is forgotten', async () => {
    const world = await startWorld();
    const instance = await connectInstance(world);
    await world.api.messages.send(
      { instance, to: '34600000009', type: 'text', text: 'Hello' },
      { idempotencyKey: 'order-1' },
    );
    expect(await world.storage.messages.findIdempotencyRecord(world.workspaceId, 'order-1')).not.toBeNull();
    world.clock.jump(DAY + 2 * HOUR);
    await world.clock.advance(MINUTE);
    expect(await world.storage.messages.findIdempotencyRecord(world.workspaceId, 'order-1')).toBeNull();
  });
});

describe('what an endpoint that is closed has ended', () => {
  it('is written down by and by, and reads the same before and after', async () => {
    const world = await startWorld({ roles: only('api', 'webhooks', 'maintenance') });
    const { id } = await listen(world);
    world.sender.answer(() => REFUSED);
    const { id: deliveryId } = await world.api.webhooks.test(id);
    await world.clock.settle();
    await world.api.webhooks.delete(id);
    const before = await world.api.deliveries.get(deliveryId);
    await world.clock.advance(2 * MINUTE);
    expect(await world.api.deliveries.get(deliveryId)).toEqual(before);
    expect(await world.storage.deliveries.sweepClosed(10)).toBe(0);
  });
});
