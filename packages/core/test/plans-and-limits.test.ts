import { describe, expect, it } from 'vitest';
import type { Plan } from '../src/index.ts';
import { SECOND, connectInstance, listen, sendText, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

const setPlan = ({ trunkline, workspaceId }: World, plan: Partial<Plan>) =>
  trunkline.admin.workspaces.setPlan(workspaceId, plan);

/** The codes of those that were refused. */
async function refusals(calls: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const results = await Promise.allSettled(calls);
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

describe('a plan', () => {
  it('without a subscription creates and sends nothing', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    await setPlan(world, { subscription: 'none' });
    await expect(world.api.instances.create()).rejects.toMatchObject({
      code: 'SUBSCRIPTION_REQUIRED',
      status: 402,
    });
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_REQUIRED', status: 402 });
  });

  it('past due creates and does not send', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    await setPlan(world, { subscription: 'past_due' });
    await world.api.instances.create();
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_PAST_DUE', status: 402 });
  });

  it('is judged after the instance and before its state', async () => {
    const world = await startWorld();
    const { id } = await world.api.instances.create();
    await setPlan(world, { subscription: 'none' });
    await expect(sendText(world, 'ins_unknown')).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_REQUIRED' });
    await setPlan(world, { subscription: 'active' });
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
  });

  it('that allows fewer webhooks takes none away, and enables no more of them', async () => {
    const world = await startWorld();
    const { webhooks } = world.api;
    const [first, second, third] = [await listen(world), await listen(world), await listen(world)];
    await webhooks.update(first.id, { status: 'disabled' });
    await setPlan(world, { webhookLimit: 2 });
    const statuses = async () => (await webhooks.list()).data.map(({ status }) => status);
    expect(await statuses()).toEqual(['enabled', 'enabled', 'disabled']);
    const refused = { code: 'WEBHOOK_LIMIT_REACHED', status: 403 };
    await expect(webhooks.update(first.id, { status: 'enabled' })).rejects.toMatchObject(refused);
    await expect(listen(world)).rejects.toMatchObject(refused);
    // What is enabled may be changed, and one may stand in for another.
    await webhooks.update(second.id, { status: 'enabled', description: 'Kept' });
    await webhooks.update(third.id, { status: 'disabled' });
    await webhooks.update(first.id, { status: 'enabled' });
    expect(await statuses()).toEqual(['disabled', 'enabled', 'enabled']);
  });

  it('that allows fewer instances takes none away: they connect, and no other is created', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    await connectInstance(world);
    await setPlan(world, { instanceLimit: 1 });
    await world.api.instances.disconnect(id);
    expect(await world.api.instances.connect(id)).toMatchObject({ status: 'connecting' });
    await expect(world.api.instances.create()).rejects.toMatchObject({ code: 'INSTANCE_LIMIT_REACHED' });
  });

  it('keeps both changes when two are made at once', async () => {
    const world = await startWorld();
    await Promise.all([setPlan(world, { subscription: 'none' }), setPlan(world, { webhookLimit: 0 })]);
    const workspace = await world.trunkline.admin.workspaces.find(world.workspaceId);
    expect(workspace?.plan).toMatchObject({ subscription: 'none', webhookLimit: 0 });
  });

  it('acts at once when it changes, and keeps what is not named', async () => {
    const world = await startWorld();
    await setPlan(world, { instanceLimit: 1 });
    await setPlan(world, { webhookLimit: 2 });
    const workspace = await world.trunkline.admin.workspaces.find(world.workspaceId);
    expect(workspace?.plan).toEqual({
      subscription: 'active',
      instanceLimit: 1,
      trialMessageLimit: null,
      webhookLimit: 2,
    });
    await setPlan(world, { instanceLimit: null });
    await Promise.all(Array.from({ length: 20 }, () => world.api.instances.create()));
  });
});

describe('the limit of instances', () => {
  it('is kept by requests at once', async () => {
    const world = await startWorld();
    await setPlan(world, { instanceLimit: 3 });
    const refused = await refusals(Array.from({ length: 10 }, () => world.api.instances.create()));
    expect(refused).toHaveLength(7);
    expect(refused).toMatchObject(
      Array.from({ length: 7 }, () => ({ code: 'INSTANCE_LIMIT_REACHED', status: 403 })),
    );
    expect(await world.api.instances.list()).toHaveLength(3);
  });

  it('has room again once one is deleted', async () => {
    const world = await startWorld();
    await setPlan(world, { instanceLimit: 1 });
    const { id } = await world.api.instances.create();
    await expect(world.api.instances.create()).rejects.toMatchObject({ code: 'INSTANCE_LIMIT_REACHED' });
    await world.api.instances.delete(id);
    const second = await world.api.instances.create();
    expect(await world.api.instances.list()).toEqual([second]);
  });
});

describe('a trial', () => {
  it('sends as many messages as it has, also when they are asked for at once', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    await setPlan(world, { subscription: 'trial', trialMessageLimit: 3 });
    const refused = await refusals(Array.from({ length: 10 }, () => sendText(world, id)));
    expect(refused).toHaveLength(7);
    expect(refused[0]).toMatchObject({ code: 'TRIAL_LIMIT_REACHED', status: 402 });
    await world.clock.advance(SECOND);
    expect((await world.api.messages.list()).data.map(({ status }) => status)).toEqual([
      'read',
      'read',
      'read',
    ]);
  });

  it('does not count what was refused, replayed or received', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    await setPlan(world, { subscription: 'trial', trialMessageLimit: 2 });
    await expect(sendText(world, id, '12')).rejects.toMatchObject({ code: 'INVALID_RECIPIENT' });
    const input = { instance: id, to: '34600000009', type: 'text', text: 'Hello' } as const;
    await world.api.messages.send(input, { idempotencyKey: 'one' });
    await world.api.messages.send(input, { idempotencyKey: 'one' });
    await world.sandbox.phone(id).receive({ from: '34600000009', text: 'Hi' });
    await world.clock.advance(SECOND);
    await sendText(world, id);
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'TRIAL_LIMIT_REACHED' });
  });

  it('that becomes a subscription sends on', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    await setPlan(world, { subscription: 'trial', trialMessageLimit: 0 });
    await expect(sendText(world, id)).rejects.toMatchObject({ code: 'TRIAL_LIMIT_REACHED' });
    await setPlan(world, { subscription: 'active' });
    await sendText(world, id);
  });
});

describe('the limit of webhooks', () => {
  it('is 5 unless the plan says otherwise, also for requests at once', async () => {
    const world = await startWorld();
    const refused = await refusals(Array.from({ length: 8 }, () => listen(world)));
    expect(refused).toMatchObject(
      Array.from({ length: 3 }, () => ({ code: 'WEBHOOK_LIMIT_REACHED', status: 403 })),
    );
    await setPlan(world, { webhookLimit: 6 });
    await listen(world);
    await expect(listen(world)).rejects.toMatchObject({ code: 'WEBHOOK_LIMIT_REACHED' });
  });
});
