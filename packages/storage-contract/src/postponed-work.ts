import { describe, expect } from 'vitest';
import type { Plan, Signal, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aWorkspace, DAY, NOW } from './examples.ts';
import {
  claim,
  claimAt,
  enqueueAt,
  enqueueOne,
  exhausted,
  failed,
  idsOf,
  readEndpoint,
  sending,
  storeEndpoint,
  storeInstance,
  storeLane,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
  succeeded,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const STOPS: Readonly<Record<string, { readonly suspendedAt?: number; readonly plan?: Partial<Plan> }>> = {
  suspended: { suspendedAt: NOW },
  'without a subscription': { plan: { subscription: 'none' } },
};

export function postponedWorkContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  const stop = (storage: Storage, { id }: { readonly id: string }) =>
    storage.workspaces.update(id, { suspendedAt: NOW });
  const goOn = (storage: Storage, { id }: { readonly id: string }) =>
    storage.workspaces.update(id, { suspendedAt: null, plan: { subscription: 'active' } });

  describe.each(Object.entries(STOPS))('a workspace that is %s', (_, changes) => {
    it('has no queue heads until it resumes, and accepts, completes and receives as before', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, await storeWorkspace(storage));
      const [first, second] = await storeQueuedMessages(storage, instance, 2);
      const [other] = await storeQueuedMessages(storage, neighbour, 1);
      const heads = async (): Promise<readonly string[]> =>
        (await storage.messages.queueHeads([instance.id, neighbour.id], NOW)).map(
          ({ message }) => message.id,
        );
      await storage.workspaces.update(workspace.id, changes);
      expect(await heads()).toEqual([other.id]);
      // The send of this message was in flight when the workspace's work was postponed.
      expect(await storage.messages.change(lease, sending(first))).toBe('changed');
      await goOn(storage, workspace);
      expect((await heads()).toSorted()).toEqual([must(second).id, other.id].toSorted());
    });

    it('has no deliveries claimed until it resumes, then all in their order', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, await storeWorkspace(storage));
      const before = await enqueueOne(storage, endpoint);
      await storage.workspaces.update(workspace.id, changes);
      const during = await enqueueOne(storage, endpoint, NOW + 1);
      const other = await enqueueOne(storage, neighbour, NOW + 1);
      expect(idsOf(await claim(storage, NOW + DAY))).toEqual([other.id]);
      await goOn(storage, workspace);
      expect(idsOf(await claim(storage, NOW + DAY))).toEqual([before.id, during.id]);
    });

    it('is nothing to wake up for', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      await storage.workspaces.update(workspace.id, changes);
      // This claim lets the storage notice the queued deliveries.
      await claim(storage, NOW + 1);
      expect(await storage.deliveries.claim(claimAt(NOW + 1))).toEqual({ claimed: [], nextAt: null });
    });

    it('has its new endpoints wait as the others do', async () => {
      const storage = await open();
      const workspace = aWorkspace();
      await storage.workspaces.insert(workspace);
      await storage.workspaces.update(workspace.id, changes);
      const endpoint = await storeEndpoint(storage, workspace);
      const delivery = await enqueueOne(storage, endpoint);
      expect(await claim(storage, NOW)).toEqual([]);
      await goOn(storage, workspace);
      expect(idsOf(await claim(storage, NOW))).toEqual([delivery.id]);
    });
  });

  describe('a workspace whose work is postponed', () => {
    it('may be so from the beginning', async () => {
      const storage = await open();
      const workspace = aWorkspace({ suspendedAt: NOW });
      await storage.workspaces.insert(workspace);
      const instance = await storeInstance(storage, workspace);
      await storeQueuedMessages(storage, instance, 1);
      await enqueueOne(storage, await storeEndpoint(storage, workspace));
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
      expect(await claim(storage, NOW)).toEqual([]);
    });

    it('resumes only when neither reason is left', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await storage.workspaces.update(workspace.id, { suspendedAt: NOW, plan: { subscription: 'none' } });
      await storage.workspaces.update(workspace.id, { suspendedAt: null });
      expect(await claim(storage, NOW)).toEqual([]);
      await storage.workspaces.update(workspace.id, { plan: { subscription: 'past_due' } });
      expect(idsOf(await claim(storage, NOW))).toEqual([delivery.id]);
    });

    it('takes the outcomes of attempts that were in flight, and postpones their retries', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [first, second] = await claim(storage, NOW);
      await stop(storage, workspace);
      const outcomes = [succeeded(must(first), NOW), failed(must(second), NOW)];
      expect(await storage.deliveries.complete(outcomes, NOW)).toBe(2);
      expect(await claim(storage, NOW + DAY)).toEqual([]);
      await goOn(storage, workspace);
      expect(await claim(storage, NOW + DAY)).toHaveLength(2);
    });

    it('has the claims of a dead process claimed again once it resumes', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await claim(storage, NOW);
      await stop(storage, workspace);
      expect(await storage.deliveries.claim(claimAt(NOW + DAY))).toEqual({ claimed: [], nextAt: null });
      await goOn(storage, workspace);
      expect(await claim(storage, NOW + DAY)).toMatchObject([
        { delivery: { id: delivery.id }, lostClaims: 1 },
      ]);
    });

    it('has the claims of a dead process at a deleted endpoint taken back before it resumes', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueOne(storage, endpoint);
      await claim(storage, NOW);
      await stop(storage, workspace);
      expect(await storage.endpoints.delete(workspace.id, endpoint.id, NOW)).toBe(true);
      const { nextAt } = await storage.deliveries.claim(claimAt(NOW));
      const endsAt = must(nextAt);
      expect(endsAt).toBeGreaterThan(NOW);
      expect(await storage.deliveries.claim(claimAt(endsAt))).toEqual({ claimed: [], nextAt: null });
      await goOn(storage, workspace);
      expect(await storage.deliveries.claim(claimAt(NOW + DAY))).toEqual({ claimed: [], nextAt: null });
    });

    it('signals its queues and its deliveries when it resumes', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const busy = await storeInstance(storage, workspace);
      await storeInstance(storage, workspace);
      await storeQueuedMessages(storage, busy, 1);
      await enqueueOne(storage, endpoint);
      await stop(storage, workspace);
      const signals: Signal[] = [];
      storage.subscribe((signal) => void signals.push(signal));
      await goOn(storage, workspace);
      expect(signals).toHaveLength(3);
      expect(signals).toEqual(
        expect.arrayContaining([
          { topic: 'queue', instanceId: busy.id },
          { topic: 'deliveries' },
          { topic: 'workspace', workspaceId: workspace.id },
        ]),
      );
    });

    it('has no failing endpoint, and restarts its failure records when it resumes', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueOne(storage, endpoint);
      const [claimed] = await claim(storage, NOW);
      await storage.deliveries.complete([exhausted(must(claimed), NOW)], NOW);
      const failing = (): ReturnType<Storage['endpoints']['listFailing']> =>
        storage.endpoints.listFailing({ before: NOW + DAY, after: null, limit: 10 });
      expect(await failing()).toHaveLength(1);
      await stop(storage, workspace);
      expect(await failing()).toEqual([]);
      await goOn(storage, workspace);
      expect(await failing()).toEqual([]);
      expect((await readEndpoint(storage, endpoint)).health).toMatchObject({
        failingSince: null,
        exhausted: false,
        warnedAt: null,
        lastDelivery: { status: 'exhausted' },
      });
    });

    it('keeps its leases', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      await stop(storage, workspace);
      const renewed = await storage.leases.renew({
        owner: 'process-1',
        now: NOW + 1,
        ttlMs: 30_000,
      });
      expect(renewed.map(({ lease }) => lease.instanceId)).toEqual([instance.id]);
      const added = await storeInstance(storage, workspace);
      expect((await takeLease(storage, added)).instanceId).toBe(added.id);
    });
  });
}
