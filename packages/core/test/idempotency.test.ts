import { describe, expect, it } from 'vitest';
import { DAY, HOUR, STEP, connectInstance, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

async function ready() {
  const world = await startWorld();
  const instance = await connectInstance(world);
  const send = (changes: Partial<{ to: string; text: string }> = {}, idempotencyKey = 'order-1') =>
    world.api.messages.send(
      { instance, to: '34600000009', type: 'text', text: 'Hello', ...changes },
      { idempotencyKey },
    );
  return { world, instance, send };
}

const count = async ({ api }: World): Promise<number> =>
  (await api.messages.list({ limit: 100 })).data.length;

describe('a send with an idempotency key', () => {
  it('answers the same request with the message as it is now, and queues nothing', async () => {
    const { world, send } = await ready();
    const { message } = await send();
    await world.clock.advance(3 * STEP);
    const second = await send({ to: '+34 600 000 009' });
    expect(second).toMatchObject({ replayed: true, message: { id: message.id, status: 'read' } });
    expect(await count(world)).toBe(1);
  });

  it.each([{ text: 'Hello!' }, { to: '34600000008' }])('refuses another request: %j', async (changes) => {
    const { world, send } = await ready();
    await send();
    await expect(send(changes)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
    expect(await count(world)).toBe(1);
  });

  it('refuses the same message on another instance', async () => {
    const { world, send } = await ready();
    await send();
    const instance = await connectInstance(world);
    const other = { instance, to: '34600000009', type: 'text', text: 'Hello' } as const;
    await expect(world.api.messages.send(other, { idempotencyKey: 'order-1' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('replays even when the instance is offline or gone', async () => {
    const { world, instance, send } = await ready();
    const { message } = await send();
    await world.clock.advance(3 * STEP);
    await world.api.instances.disconnect(instance);
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
    await world.api.instances.delete(instance);
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
    await expect(send({}, 'order-2')).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
  });

  it('replays even when the plan would refuse a new one', async () => {
    const { world, send } = await ready();
    const { message } = await send();
    await world.trunkline.admin.workspaces.setPlan(world.workspaceId, { subscription: 'none' });
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
  });

  it('is remembered for exactly 24 hours', async () => {
    const { world, instance, send } = await ready();
    const { message } = await send();
    await world.clock.advance(STEP);
    await world.api.instances.disconnect(instance);
    world.clock.jump(DAY - STEP - 1);
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
    world.clock.jump(1);
    await world.api.instances.connect(instance);
    await world.clock.advance(STEP);
    const fresh = await send({ text: 'Hello again' });
    expect(fresh.replayed).toBe(false);
    expect(fresh.message.id).not.toBe(message.id);
  });

  it('is remembered for those that were accepted only', async () => {
    const { world, instance, send } = await ready();
    await world.api.instances.disconnect(instance);
    await expect(send()).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
    await world.api.instances.connect(instance);
    await world.clock.advance(STEP);
    expect(await send({ text: 'Something else' })).toMatchObject({ replayed: false });
  });

  it('made fifty times at once is accepted once', async () => {
    const { world, send } = await ready();
    const results = await Promise.all(Array.from({ length: 50 }, () => send()));
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(results.map(({ message }) => message.id)).size).toBe(1);
    await world.clock.advance(HOUR);
    expect(await count(world)).toBe(1);
    expect(world.sandbox.phone(results[0]?.message.instance_id ?? '').accepted()).toHaveLength(1);
  });

  it('belongs to its workspace', async () => {
    const { world, send } = await ready();
    await send();
    const { id } = await world.trunkline.admin.workspaces.create({ name: 'Other' });
    const other = { ...world, api: world.trunkline.workspace(id) };
    const instance = await connectInstance(other);
    const sent = other.api.messages.send(
      { instance, to: '34600000001', type: 'text', text: 'Hi' },
      { idempotencyKey: 'order-1' },
    );
    expect(await sent).toMatchObject({ replayed: false });
  });

  it.each(['', 'a b', 'a'.repeat(256), 'schlüssel'])('refuses the key %j', async (key) => {
    const { send } = await ready();
    await expect(send({}, key)).rejects.toMatchObject({ code: 'INVALID_IDEMPOTENCY_KEY', status: 422 });
  });
});
