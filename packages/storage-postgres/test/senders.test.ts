import { describe, expect, it } from 'vitest';
import { SENDER_KEPT_MS } from '@trunkline/core/spi/storage';
import type { Instance, Storage, Workspace } from '@trunkline/core/spi/storage';
import { aMessage, NOW } from '@trunkline/storage-contract/examples';
import { QUEUE_FAILURE } from '@trunkline/storage-contract/fixtures';
import { eventually } from '@trunkline/test-support';
import { openStorage, storeInstance, temporarySchema } from './support/open-storage.ts';

async function openTwo({ isHeard }: { readonly isHeard: boolean }) {
  const schema = await temporarySchema();
  const own = await openStorage(schema);
  // Without notifications, the other storage sends no signals, as if they were lost.
  const other = await openStorage(schema, { notifications: isHeard });
  return { own, other, ...(await storeInstance(own)) };
}

async function find(storage: Storage<never>, workspace: Workspace, instance: Instance, now = NOW) {
  return storage.messages.findSender(workspace.id, instance.id, { now, fresh: false });
}

async function deleteInstance(storage: Storage<never>, instance: Instance): Promise<void> {
  const [taken] = await storage.leases.claim({
    owner: 'other',
    now: NOW,
    networks: ['sandbox'],
    ttlMs: 1000,
    limit: 1,
  });
  if (!taken) throw new Error('The instance has no lease, and could not be leased.');
  const deletion = { instance, lease: taken.lease, failQueued: QUEUE_FAILURE };
  expect(await storage.instances.delete(deletion)).toBe('deleted');
}

describe('a sender that another process changes', () => {
  it('is read again when the notification has come, however new the cached one is', async () => {
    const { own, other, workspace, instance } = await openTwo({ isHeard: true });
    await find(own, workspace, instance);
    await other.workspaces.update(workspace.id, { suspendedAt: NOW });
    await eventually(async () =>
      expect(await find(own, workspace, instance)).toHaveProperty('workspace.suspendedAt', NOW),
    );
    await other.instances.write({ instance: { ...instance, phoneNumber: '1' }, event: null, lease: null });
    await eventually(async () =>
      expect(await find(own, workspace, instance)).toHaveProperty('instance.phoneNumber', '1'),
    );
    await deleteInstance(other, { ...instance, version: 2 });
    await eventually(async () =>
      expect(await find(own, workspace, instance)).toHaveProperty('instance', null),
    );
  });

  it('is kept no longer than its time when the notification is lost', async () => {
    const { own, other, workspace, instance } = await openTwo({ isHeard: false });
    const before = await find(own, workspace, instance);
    await other.workspaces.update(workspace.id, { suspendedAt: NOW });
    await deleteInstance(other, instance);
    expect(await find(own, workspace, instance, NOW + SENDER_KEPT_MS - 1)).toEqual(before);
    expect(await find(own, workspace, instance, NOW + SENDER_KEPT_MS)).toMatchObject({
      workspace: { suspendedAt: NOW },
      instance: null,
    });
  });

  it('accepts nothing meanwhile, whatever is kept of it', async () => {
    const { own, other, workspace, instance } = await openTwo({ isHeard: false });
    const accept = async () => {
      const sender = await find(own, workspace, instance);
      const message = aMessage(instance);
      const limits = { idempotency: null, backlogLimit: 9, trialLimit: null };
      return own.messages.accept({ message, ...limits, revision: sender?.revision });
    };
    expect(await accept()).toEqual({ kind: 'accepted' });
    await other.workspaces.update(workspace.id, { suspendedAt: NOW });
    expect(await accept()).toEqual({ kind: 'stale' });
    await other.workspaces.update(workspace.id, { suspendedAt: null });
    expect(await accept()).toEqual({ kind: 'accepted' });
    const off = { ...instance, desired: 'stopped', status: 'disconnected' } as const;
    await other.instances.write({ instance: off, event: null, lease: null });
    expect(await accept()).toEqual({ kind: 'instance_not_connected' });
    await other.instances.write({
      instance: { ...off, version: 2, phoneNumber: null },
      event: null,
      lease: null,
    });
    expect(await accept()).toEqual({ kind: 'stale' });
  });

  it('is not read for each message, nor handed out to be changed', async () => {
    const { own, other, workspace, instance } = await openTwo({ isHeard: false });
    const kept = await find(own, workspace, instance);
    expect(Object.isFrozen(kept?.workspace)).toBe(true);
    expect(Object.isFrozen(kept?.workspace.plan)).toBe(true);
    expect(Object.isFrozen(kept?.instance)).toBe(true);
    await other.close();
    await own.close();
    expect(await find(own, workspace, instance)).toEqual(kept);
  });
});
