import { describe, expect } from 'vitest';
import type { Storage } from '@trunkline/core';
import type { Instance, OwedInstanceNotification } from '@trunkline/core/spi/storage';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anInstance, anInstanceNotification, NOW } from './examples.ts';
import { renaming, storeInstance, storeWorkspace } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function outageContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  async function openWithDown(...downs: readonly Partial<Instance>[]) {
    const storage = await open();
    const workspace = await storeWorkspace(storage);
    const instances: Instance[] = [];
    for (const down of downs) {
      const instance = anInstance(workspace, { status: 'disconnected', ...down });
      await storage.instances.insert(instance, null);
      instances.push(instance);
    }
    const list = (query: {
      readonly before: number;
      readonly latest?: number;
      readonly after?: string;
      readonly limit?: number;
    }) => storage.instances.listDown({ latest: NOW + 1_000_000, after: null, limit: 10, ...query });
    return { storage, workspace, instances, list };
  }

  describe('instances that are down', () => {
    it('are those since a time, in id order, up to a limit, after an id', async () => {
      const { instances, list } = await openWithDown(
        { downSince: NOW },
        { downSince: NOW + 2 },
        { downSince: NOW + 1 },
        { downSince: null },
      );
      const [first, second, third] = instances.slice(0, 3).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const all = [first, second, third];
      expect(await list({ before: NOW + 2 })).toEqual(all);
      expect(await list({ before: NOW + 2, limit: 2 })).toEqual(all.slice(0, 2));
      expect(await list({ before: NOW + 2, after: second?.id ?? '' })).toEqual(all.slice(2));
      expect(await list({ before: NOW + 1 })).toEqual(all.filter((one) => one?.downSince !== NOW + 2));
      expect(await list({ before: NOW - 1 })).toEqual([]);
    });

    it('also include those whose time is too far ahead', async () => {
      const { instances, list } = await openWithDown({ downSince: NOW + 5_001 });
      expect(await list({ before: NOW - 1, latest: NOW + 5_000 })).toEqual(instances);
      expect(await list({ before: NOW - 1, latest: NOW + 5_001 })).toEqual([]);
    });

    it('do not include reported or connected ones', async () => {
      const { list } = await openWithDown(
        { downSince: NOW, downNotifiedAt: NOW + 1 },
        { downSince: NOW, status: 'connected' },
      );
      expect(await list({ before: NOW + 10 })).toEqual([]);
    });
  });

  describe('notifications about instances', () => {
    it('are stored with the write that decides on them, once, and never without it', async () => {
      const { storage, instances } = await openWithDown({ downSince: NOW });
      const [instance] = instances;
      if (!instance) throw new Error('one was stored');
      const [notification, another] = [anInstanceNotification(instance), anInstanceNotification(instance)];
      const write = { ...renaming(instance, 'Down'), notification };
      const results = await Promise.all([
        storage.instances.write(write),
        storage.instances.write({ ...write, notification: another }),
      ]);
      expect(results.map(({ kind }) => kind).toSorted()).toEqual(['stale', 'written']);
      const owed = await claim(storage, NOW);
      expect(owed).toHaveLength(1);
      expect([notification, another]).toContainEqual(owed[0]);
    });

    it('are claimed oldest first, come again when their claim is over, and are gone when completed', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const owed: OwedInstanceNotification[] = [];
      for (let i = 0; i < 3; i++) {
        const instance = await storeInstance(storage, workspace);
        const notification = anInstanceNotification(instance, { createdAt: NOW + i });
        await storage.instances.write({ ...renaming(instance, 'Down'), notification });
        owed.push(notification);
      }
      expect(await claim(storage, NOW, 2)).toEqual(owed.slice(0, 2));
      expect(await claim(storage, NOW, 2)).toEqual(owed.slice(2));
      expect(await claim(storage, NOW + 999)).toEqual([]);
      // The clock was set back after the claims, which now end too far ahead.
      expect(await claim(storage, NOW - 3_600_000)).toEqual(owed);
      await storage.instances.completeNotification(owed[0]?.id ?? '');
      await storage.instances.completeNotification('ntc_unknown');
      expect(await claim(storage, NOW + 1000)).toEqual(owed.slice(1));
    });

    it('go to one of those that claim concurrently, and none to those about endpoints', async () => {
      const { storage, instances } = await openWithDown({ downSince: NOW });
      for (const instance of instances) {
        await storage.instances.write({
          ...renaming(instance, 'Down'),
          notification: anInstanceNotification(instance),
        });
      }
      expect(await storage.endpoints.claimNotifications({ now: NOW, leaseMs: 1000, limit: 10 })).toEqual([]);
      const claims = await Promise.all([1, 2, 3].map(() => claim(storage, NOW)));
      expect(claims.flat()).toHaveLength(1);
    });
  });
}

function claim(storage: Storage, now: number, limit = 10) {
  return storage.instances.claimNotifications({ now, leaseMs: 1000, limit });
}
