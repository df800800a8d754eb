import { describe, expect } from 'vitest';
import type { Storage } from '@trunkline/core';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aNotification, NOW } from './examples.ts';
import { readEndpoint, storeLane } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function notificationContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  async function openWithNotifications(...ages: readonly number[]) {
    const storage = await open();
    const { workspace, endpoint } = await storeLane(storage);
    const notifications = ages.map((age) =>
      aNotification(endpoint, { createdAt: NOW + age, kind: 'webhook_disabled' }),
    );
    for (const notification of notifications) {
      expect(
        await storage.endpoints.write({ endpoint: await readEndpoint(storage, endpoint), notification }),
      ).toBe('written');
    }
    return { storage, workspace, endpoint, notifications };
  }

  describe('notifications', () => {
    it('are claimed oldest first, up to the limit', async () => {
      const { storage, notifications } = await openWithNotifications(3, 1, 2);
      const [third, first, second] = notifications;
      expect(await claimNotifications(storage, NOW, 2)).toEqual([first, second]);
      expect(await claimNotifications(storage, NOW, 2)).toEqual([third]);
      expect(await claimNotifications(storage, NOW, 2)).toEqual([]);
    });

    it('come again when their lease is over', async () => {
      const { storage, notifications } = await openWithNotifications(0);
      expect(await claimNotifications(storage, NOW)).toEqual(notifications);
      expect(await claimNotifications(storage, NOW + 999)).toEqual([]);
      expect(await claimNotifications(storage, NOW + 1000)).toEqual(notifications);
      expect(await claimNotifications(storage, NOW + 1999)).toEqual([]);
    });

    it('come again when they were claimed before the clock was set back', async () => {
      const { storage, notifications } = await openWithNotifications(0);
      expect(await claimNotifications(storage, NOW + 3_600_000)).toEqual(notifications);
      expect(await claimNotifications(storage, NOW)).toEqual(notifications);
      expect(await claimNotifications(storage, NOW + 999)).toEqual([]);
    });

    itAlways('are gone when they are completed', async () => {
      const { storage, notifications } = await openWithNotifications(0, 1);
      const [done, owed] = notifications;
      await claimNotifications(storage, NOW);
      if (done) await storage.endpoints.completeNotification(done.id);
      await storage.endpoints.completeNotification('ntc_unknown');
      expect(await claimNotifications(storage, NOW + 1000)).toEqual([owed]);
    });

    it('go to one of those that claim concurrently', async () => {
      const { storage, notifications } = await openWithNotifications(0, 1, 2, 3);
      const claims = await Promise.all([1, 2, 3].map(() => claimNotifications(storage, NOW, 2)));
      expect(
        claims
          .flat()
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(notifications.map(({ id }) => id));
    });

    it('outlive their endpoint', async () => {
      const { storage, workspace, endpoint, notifications } = await openWithNotifications(0);
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      expect(await claimNotifications(storage, NOW)).toEqual(notifications);
    });
  });
}

function claimNotifications(storage: Storage, now: number, limit = 10) {
  return storage.endpoints.claimNotifications({ now, leaseMs: 1000, limit });
}
