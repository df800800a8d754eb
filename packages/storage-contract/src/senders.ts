import { describe, expect } from 'vitest';
import { SENDER_KEPT_MS } from '@trunkline/core/spi/storage';
import type { Instance, Message, Sender, Storage, Workspace } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { named } from './durability.ts';
import { aMessage, anIdempotencyRecord, anInstance, NOW } from './examples.ts';
import { QUEUE_FAILURE, storeInstance, storeWorkspace, takeLease } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function senderContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  async function openConnected() {
    const storage = await open();
    const workspace = await storeWorkspace(storage);
    return { storage, workspace, instance: await storeInstance(storage, workspace) };
  }

  describe('the sender of a message', () => {
    it('is an instance of its workspace, and no other workspace’s', async () => {
      const { storage, workspace, instance } = await openConnected();
      const other = await storeWorkspace(storage, {
        suspendedAt: NOW,
        plan: { subscription: 'trial', instanceLimit: 1, trialMessageLimit: 7, webhookLimit: 2 },
      });
      const { phoneNumber } = instance;
      // Reads again without `fresh`, since the storage may keep senders.
      for (const fresh of [true, false, false]) {
        const how = { now: NOW, fresh };
        const find = (workspaceId: string, instanceId: string) =>
          storage.messages.findSender(workspaceId, instanceId, how);
        const own = must(await find(workspace.id, instance.id));
        expect(own.workspace).toMatchObject({ plan: workspace.plan, suspendedAt: null });
        expect(own.instance).toMatchObject({ id: instance.id, workspaceId: workspace.id, phoneNumber });
        const foreign = must(await find(other.id, instance.id));
        expect(foreign.instance).toBeNull();
        expect(foreign.workspace).toMatchObject({ plan: other.plan, suspendedAt: NOW });
        expect(await find(workspace.id, anInstance(workspace).id)).toHaveProperty('instance', null);
        expect(await find(workspace.id, 'no id')).toHaveProperty('instance', null);
        expect(await find('ten_unknown', instance.id)).toBeNull();
      }
    });

    it('is seen immediately when it appears, and as this storage has changed it', async () => {
      const { storage, workspace, instance } = await openConnected();
      const late = anInstance(workspace);
      const find = (id: string) => findKept(storage, workspace, id);
      expect((await find(late.id)).instance).toBeNull();
      await storage.instances.insert(late, null);
      expect((await find(late.id)).instance).toMatchObject({ phoneNumber: late.phoneNumber });

      await find(instance.id);
      await storage.workspaces.update(workspace.id, { suspendedAt: NOW });
      expect((await find(instance.id)).workspace).toHaveProperty('suspendedAt', NOW);
      await storage.workspaces.update(workspace.id, { plan: { subscription: 'none' } });
      expect((await find(instance.id)).workspace.plan).toHaveProperty('subscription', 'none');
      await storage.instances.write(relinking(instance));
      expect((await find(instance.id)).instance).toHaveProperty('phoneNumber', '15550199');
      expect((await find(late.id)).instance).toHaveProperty('capabilities', null);
      await storage.instances.write(narrowing(late));
      expect((await find(late.id)).instance).toHaveProperty('capabilities', ['text']);
      const lease = await takeLease(storage, late);
      const deletion = { instance: { ...late, version: late.version + 1 }, lease, failQueued: QUEUE_FAILURE };
      expect(await storage.instances.delete(deletion)).toBe('deleted');
      expect((await find(late.id)).instance).toBeNull();
    });

    it('is compared when a message is accepted: its suspension, its plan, its number and its capabilities', async () => {
      const { storage, workspace, instance } = await openConnected();
      const changes = [
        () => storage.workspaces.update(workspace.id, { suspendedAt: NOW }),
        () => storage.workspaces.update(workspace.id, { suspendedAt: null }),
        () => storage.workspaces.update(workspace.id, { plan: { subscription: 'past_due' } }),
        () => storage.workspaces.update(workspace.id, { plan: { trialMessageLimit: 3 } }),
        () => storage.instances.write(relinking(instance)),
        () => storage.instances.write(narrowing({ ...instance, version: instance.version + 1 })),
      ];
      for (const change of changes) {
        const before = await findKept(storage, workspace, instance.id);
        await acceptFrom(storage, instance, before, 'accepted');
        await change();
        const refused = await acceptFrom(storage, instance, before, 'stale');
        expect(await storage.messages.find(workspace.id, refused.id)).toBeNull();
        await acceptFrom(storage, instance, await findKept(storage, workspace, instance.id), 'accepted');
      }
    });

    it('is compared before a key is looked up, and does not change with what messages do not depend on', async () => {
      const { storage, workspace, instance } = await openConnected();
      const before = await findKept(storage, workspace, instance.id);
      const first = await acceptFrom(storage, instance, before, 'accepted', { trialLimit: 5 });
      await storage.workspaces.update(workspace.id, { name: 'Renamed' });
      await storage.instances.write({ instance: { ...instance, name: 'New' }, event: null, lease: null });
      await acceptFrom(storage, instance, before, 'accepted');
      await storage.workspaces.update(workspace.id, { suspendedAt: NOW });
      const idempotency = anIdempotencyRecord(first);
      const acceptance = { message: aMessage(instance), backlogLimit: 9, trialLimit: null, idempotency };
      await storage.messages.accept(acceptance);
      const again = { ...acceptance, message: aMessage(instance) };
      expect(await storage.messages.accept({ ...again, revision: before.revision })).toEqual({
        kind: 'stale',
      });
      expect(await storage.messages.accept(again)).toMatchObject({ kind: 'remembered' });
    });

    it('does not match a message that was checked against it if it is gone', async () => {
      const { storage, workspace, instance } = await openConnected();
      const { revision } = await findKept(storage, workspace, instance.id);
      const ghost = aMessage(anInstance(workspace));
      const acceptance = { message: ghost, idempotency: null, backlogLimit: 9, trialLimit: null, revision };
      expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'stale' });
    });

    it('makes no other message stale that is accepted at the same time', async () => {
      const { storage, workspace, instance } = await openConnected();
      const [neighbour, elsewhere] = [
        await storeInstance(storage, workspace),
        await storeInstance(storage, await storeWorkspace(storage)),
      ];
      const old = await findKept(storage, workspace, instance.id);
      await storage.workspaces.update(workspace.id, { plan: { webhookLimit: 9 } });
      const senders = [instance, neighbour, elsewhere, instance].map((one) => ({ id: one.workspaceId, one }));
      const kinds = await Promise.all(
        senders.map(async ({ id, one }, index) => {
          const { revision } = index === 0 ? old : await findKept(storage, { id }, one.id);
          const message = aMessage(one);
          const acceptance = { message, idempotency: null, backlogLimit: 9, trialLimit: null, revision };
          return (await storage.messages.accept(acceptance)).kind;
        }),
      );
      expect(kinds).toEqual(['stale', 'accepted', 'accepted', 'accepted']);
    });
  });

  const { shared } = subject.capabilities;
  describe.skipIf(shared !== true)(named('a sender that another process changes', shared), () => {
    it('is read again once the cached one is too old, without any signal', async () => {
      const { storage, workspace, instance } = await openConnected();
      const other = await open();
      const find = async (now: number) =>
        must(await storage.messages.findSender(workspace.id, instance.id, { now, fresh: false }));
      await find(NOW);
      await other.workspaces.update(workspace.id, { suspendedAt: NOW });
      await other.instances.write(relinking(instance));
      expect(await find(NOW + SENDER_KEPT_MS)).toMatchObject({
        workspace: { suspendedAt: NOW },
        instance: { phoneNumber: '15550199' },
      });
    });

    it('makes messages that were checked against its cached state stale', async () => {
      const { storage, workspace, instance } = await openConnected();
      const other = await open();
      const before = await findKept(storage, workspace, instance.id);
      await other.workspaces.update(workspace.id, { suspendedAt: NOW });
      await acceptFrom(storage, instance, before, 'stale');
      const fresh = await storage.messages.findSender(workspace.id, instance.id, { now: NOW, fresh: true });
      expect(must(fresh).workspace).toHaveProperty('suspendedAt', NOW);
      await acceptFrom(storage, instance, must(fresh), 'accepted');
    });
  });
}

/** Finds a sender as requests do, possibly one that the storage has kept. */
async function findKept(
  storage: Storage,
  workspace: Pick<Workspace, 'id'>,
  instanceId: string,
): Promise<Sender> {
  return must(await storage.messages.findSender(workspace.id, instanceId, { now: NOW, fresh: false }));
}

async function acceptFrom(
  storage: Storage,
  instance: Instance,
  { revision }: Sender,
  kind: 'accepted' | 'stale',
  { trialLimit = null }: { readonly trialLimit?: number | null } = {},
): Promise<Message> {
  const message = aMessage(instance);
  const acceptance = { message, idempotency: null, backlogLimit: 1000, trialLimit, revision };
  expect(await storage.messages.accept(acceptance)).toEqual({ kind });
  return message;
}

function relinking(instance: Instance): Parameters<Storage['instances']['write']>[0] {
  return { instance: { ...instance, phoneNumber: '15550199' }, event: null, lease: null };
}

function narrowing(instance: Instance): Parameters<Storage['instances']['write']>[0] {
  return { instance: { ...instance, capabilities: ['text'] }, event: null, lease: null };
}
