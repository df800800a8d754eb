import { describe, expect, it } from 'vitest';
import type { SendMediaInput } from '../src/index.ts';
import { DAY, HOUR, STEP, connectInstance, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { PNG, png, startMediaHarness } from './support/media.ts';

async function ready() {
  const harness = await startHarness();
  const instance = await connectInstance(harness);
  const send = (changes: Partial<{ to: string; text: string }> = {}, idempotencyKey = 'order-1') =>
    harness.api.messages.send(
      { instance, to: '34600000009', type: 'text', text: 'Hello', ...changes },
      { idempotencyKey },
    );
  return { harness, instance, send };
}

const count = async ({ api }: Harness): Promise<number> =>
  (await api.messages.list({ limit: 100 })).data.length;

describe('a send with an idempotency key', () => {
  it('responds to the same request with the message as it is now, and queues nothing', async () => {
    const { harness, send } = await ready();
    const { message } = await send();
    await harness.clock.advance(3 * STEP);
    const second = await send({ to: '+34 600 000 009' });
    expect(second).toMatchObject({ replayed: true, message: { id: message.id, status: 'read' } });
    expect(await count(harness)).toBe(1);
  });

  it.each([{ text: 'Hello!' }, { to: '34600000008' }])('refuses another request: %j', async (changes) => {
    const { harness, send } = await ready();
    await send();
    await expect(send(changes)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
    expect(await count(harness)).toBe(1);
  });

  it.each<[string, Partial<SendMediaInput>]>([
    ['another caption', { caption: 'A dog' }],
    ['no caption', { caption: undefined }],
    ['another name', { filename: 'dog.png' }],
    ['another type', { type: 'document' }],
    ['other bytes', { file: new Blob([PNG, 'x']) }],
  ])('refuses the same file with %s', async (_, changes) => {
    const { harness, instance } = await startMediaHarness();
    const picture = {
      instance,
      to: '34600000009',
      type: 'image',
      caption: 'A cat',
      filename: 'cat.png',
      file: png(),
    } as const;
    const key = { idempotencyKey: 'order-1' };
    const { message } = await harness.api.messages.send(picture, key);
    await expect(harness.api.messages.send({ ...picture, ...changes }, key)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    const again = await harness.api.messages.send({ ...picture, file: png() }, key);
    expect(again).toMatchObject({ replayed: true, message: { id: message.id } });
  });

  it('refuses the same message on another instance', async () => {
    const { harness, send } = await ready();
    await send();
    const instance = await connectInstance(harness);
    const other = { instance, to: '34600000009', type: 'text', text: 'Hello' } as const;
    await expect(harness.api.messages.send(other, { idempotencyKey: 'order-1' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('replays even when the instance is offline or gone', async () => {
    const { harness, instance, send } = await ready();
    const { message } = await send();
    await harness.clock.advance(3 * STEP);
    await harness.api.instances.disconnect(instance);
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
    await harness.api.instances.delete(instance);
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
    await expect(send({}, 'order-2')).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
  });

  it('replays even when the plan would refuse a new one', async () => {
    const { harness, send } = await ready();
    const { message } = await send();
    await harness.trunkline.admin.workspaces.setPlan(harness.workspaceId, { subscription: 'none' });
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
  });

  it('is remembered for exactly 24 hours', async () => {
    const { harness, instance, send } = await ready();
    const { message } = await send();
    await harness.clock.advance(STEP);
    await harness.api.instances.disconnect(instance);
    harness.clock.jump(DAY - STEP - 1);
    expect(await send()).toMatchObject({ replayed: true, message: { id: message.id } });
    harness.clock.jump(1);
    await harness.api.instances.connect(instance);
    await harness.clock.advance(STEP);
    const fresh = await send({ text: 'Hello again' });
    expect(fresh.replayed).toBe(false);
    expect(fresh.message.id).not.toBe(message.id);
  });

  it('is remembered for those that were accepted only', async () => {
    const { harness, instance, send } = await ready();
    await harness.api.instances.disconnect(instance);
    await expect(send()).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
    await harness.api.instances.connect(instance);
    await harness.clock.advance(STEP);
    expect(await send({ text: 'Something else' })).toMatchObject({ replayed: false });
  });

  it('made fifty times concurrently is accepted once', async () => {
    const { harness, send } = await ready();
    const results = await Promise.all(Array.from({ length: 50 }, () => send()));
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(results.map(({ message }) => message.id)).size).toBe(1);
    await harness.clock.advance(HOUR);
    expect(await count(harness)).toBe(1);
    expect(harness.sandbox.phone(results[0]?.message.instance_id ?? '').accepted()).toHaveLength(1);
  });

  it('belongs to its workspace', async () => {
    const { harness, send } = await ready();
    await send();
    const { id } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const other = { ...harness, api: harness.trunkline.workspace(id) };
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
