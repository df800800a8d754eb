import { describe, expect, it } from 'vitest';
import type { Plan } from '../src/index.ts';
import { SECOND, connectInstance, listen, sendText, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const setPlan = ({ trunkline, workspaceId }: Harness, plan: Partial<Plan>) =>
  trunkline.admin.workspaces.setPlan(workspaceId, plan);

async function refusals(calls: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const results = await Promise.allSettled(calls);
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

describe('a plan', () => {
  it('creates and sends nothing without a subscription', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await setPlan(harness, { subscription: 'none' });
    await expect(harness.api.instances.create()).rejects.toMatchObject({
      code: 'SUBSCRIPTION_REQUIRED',
      status: 402,
    });
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_REQUIRED', status: 402 });
  });

  it('past due creates and does not send', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await setPlan(harness, { subscription: 'past_due' });
    await harness.api.instances.create();
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_PAST_DUE', status: 402 });
  });

  it('is checked after the instance and before its state', async () => {
    const harness = await startHarness();
    const { id } = await harness.api.instances.create();
    await setPlan(harness, { subscription: 'none' });
    await expect(sendText(harness, 'ins_unknown')).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'SUBSCRIPTION_REQUIRED' });
    await setPlan(harness, { subscription: 'active' });
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
  });

  it('takes no webhooks away when it allows fewer, and enables no more of them', async () => {
    const harness = await startHarness();
    const { webhooks } = harness.api;
    const [first, second, third] = [await listen(harness), await listen(harness), await listen(harness)];
    await webhooks.update(first.id, { status: 'disabled' });
    await setPlan(harness, { webhookLimit: 2 });
    const statuses = async () => (await webhooks.list()).data.map(({ status }) => status);
    expect(await statuses()).toEqual(['enabled', 'enabled', 'disabled']);
    const refused = { code: 'WEBHOOK_LIMIT_REACHED', status: 403 };
    await expect(webhooks.update(first.id, { status: 'enabled' })).rejects.toMatchObject(refused);
    await expect(listen(harness)).rejects.toMatchObject(refused);
    await webhooks.update(second.id, { status: 'enabled', description: 'Kept' });
    await webhooks.update(third.id, { status: 'disabled' });
    await webhooks.update(first.id, { status: 'enabled' });
    expect(await statuses()).toEqual(['disabled', 'enabled', 'enabled']);
  });

  it('takes no instances away when it allows fewer: they connect, and no other is created', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await connectInstance(harness);
    await setPlan(harness, { instanceLimit: 1 });
    await harness.api.instances.disconnect(id);
    expect(await harness.api.instances.connect(id)).toMatchObject({ status: 'connecting' });
    await expect(harness.api.instances.create()).rejects.toMatchObject({ code: 'INSTANCE_LIMIT_REACHED' });
  });

  it('keeps both changes when two are made concurrently', async () => {
    const harness = await startHarness();
    await Promise.all([setPlan(harness, { subscription: 'none' }), setPlan(harness, { webhookLimit: 0 })]);
    const workspace = await harness.trunkline.admin.workspaces.find(harness.workspaceId);
    expect(workspace?.plan).toMatchObject({ subscription: 'none', webhookLimit: 0 });
  });

  it('takes effect immediately when it changes, and keeps fields that are not named', async () => {
    const harness = await startHarness();
    await setPlan(harness, { instanceLimit: 1 });
    await setPlan(harness, { webhookLimit: 2 });
    const workspace = await harness.trunkline.admin.workspaces.find(harness.workspaceId);
    expect(workspace?.plan).toEqual({
      subscription: 'active',
      instanceLimit: 1,
      trialMessageLimit: null,
      webhookLimit: 2,
    });
    await setPlan(harness, { instanceLimit: null });
    await Promise.all(Array.from({ length: 20 }, () => harness.api.instances.create()));
  });
});

describe('the limit of instances', () => {
  it('is kept by concurrent requests', async () => {
    const harness = await startHarness();
    await setPlan(harness, { instanceLimit: 3 });
    const refused = await refusals(Array.from({ length: 10 }, () => harness.api.instances.create()));
    expect(refused).toHaveLength(7);
    expect(refused).toMatchObject(
      Array.from({ length: 7 }, () => ({ code: 'INSTANCE_LIMIT_REACHED', status: 403 })),
    );
    expect((await harness.api.instances.list()).data).toHaveLength(3);
  });

  it('has room again once one is deleted', async () => {
    const harness = await startHarness();
    await setPlan(harness, { instanceLimit: 1 });
    const { id } = await harness.api.instances.create();
    await expect(harness.api.instances.create()).rejects.toMatchObject({ code: 'INSTANCE_LIMIT_REACHED' });
    await harness.api.instances.delete(id);
    const second = await harness.api.instances.create();
    expect((await harness.api.instances.list()).data).toEqual([second]);
  });
});

describe('a trial', () => {
  it('sends as many messages as it has, also when they are asked for concurrently', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await setPlan(harness, { subscription: 'trial', trialMessageLimit: 3 });
    const refused = await refusals(Array.from({ length: 10 }, () => sendText(harness, id)));
    expect(refused).toHaveLength(7);
    expect(refused[0]).toMatchObject({ code: 'TRIAL_LIMIT_REACHED', status: 402 });
    await harness.clock.advance(SECOND);
    expect((await harness.api.messages.list()).data.map(({ status }) => status)).toEqual([
      'read',
      'read',
      'read',
    ]);
  });

  it('does not count refused, replayed or received messages', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await setPlan(harness, { subscription: 'trial', trialMessageLimit: 2 });
    await expect(sendText(harness, id, '12')).rejects.toMatchObject({ code: 'INVALID_RECIPIENT' });
    const input = { instance: id, to: '34600000009', type: 'text', text: 'Hello' } as const;
    await harness.api.messages.send(input, { idempotencyKey: 'one' });
    await harness.api.messages.send(input, { idempotencyKey: 'one' });
    await harness.sandbox.phone(id).receive({ from: '34600000009', text: 'Hi' });
    await harness.clock.advance(SECOND);
    await sendText(harness, id);
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'TRIAL_LIMIT_REACHED' });
  });

  it('continues to send when it becomes a subscription', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await setPlan(harness, { subscription: 'trial', trialMessageLimit: 0 });
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'TRIAL_LIMIT_REACHED' });
    await setPlan(harness, { subscription: 'active' });
    await sendText(harness, id);
  });
});

describe('the limit of webhooks', () => {
  it('is 5 unless the plan says otherwise, also for concurrent requests', async () => {
    const harness = await startHarness();
    const refused = await refusals(Array.from({ length: 8 }, () => listen(harness)));
    expect(refused).toMatchObject(
      Array.from({ length: 3 }, () => ({ code: 'WEBHOOK_LIMIT_REACHED', status: 403 })),
    );
    await setPlan(harness, { webhookLimit: 6 });
    await listen(harness);
    await expect(listen(harness)).rejects.toMatchObject({ code: 'WEBHOOK_LIMIT_REACHED' });
  });
});
