import { describe, expect, it } from 'vitest';
import type { Storage } from '@trunkline/core';
import type { ContractSubject } from './contract-subject.ts';
import { aNotice, NOW } from './examples.ts';
import { readEndpoint, storeLane } from './scenes.ts';
import { testDatabases } from './test-database.ts';

export function noticeContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  async function openWithNotices(...ages: readonly number[]) {
    const storage = await open();
    const { workspace, endpoint } = await storeLane(storage);
    const notices = ages.map((age) => aNotice(endpoint, { createdAt: NOW + age, kind: 'webhook_disabled' }));
    for (const notice of notices) {
      expect(await storage.webhooks.write({ endpoint: await readEndpoint(storage, endpoint), notice })).toBe(
        'written',
      );
    }
    return { storage, workspace, endpoint, notices };
  }

  describe('notices', () => {
    it('are claimed oldest first, up to the limit', async () => {
      const { storage, notices } = await openWithNotices(3, 1, 2);
      const [third, first, second] = notices;
      expect(await claimNotices(storage, NOW, 2)).toEqual([first, second]);
      expect(await claimNotices(storage, NOW, 2)).toEqual([third]);
      expect(await claimNotices(storage, NOW, 2)).toEqual([]);
    });

    it('come again when their lease is over', async () => {
      const { storage, notices } = await openWithNotices(0);
      expect(await claimNotices(storage, NOW)).toEqual(notices);
      expect(await claimNotices(storage, NOW + 999)).toEqual([]);
      expect(await claimNotices(storage, NOW + 1000)).toEqual(notices);
      expect(await claimNotices(storage, NOW + 1999)).toEqual([]);
    });

    it('come again when they were claimed before the clock was set back', async () => {
      const { storage, notices } = await openWithNotices(0);
      expect(await claimNotices(storage, NOW + 3_600_000)).toEqual(notices);
      expect(await claimNotices(storage, NOW)).toEqual(notices);
      expect(await claimNotices(storage, NOW + 999)).toEqual([]);
    });

    it('are gone when they are completed', async () => {
      const { storage, notices } = await openWithNotices(0, 1);
      const [done, owed] = notices;
      await claimNotices(storage, NOW);
      if (done) await storage.webhooks.completeNotice(done.id);
      await storage.webhooks.completeNotice('ntc_unknown');
      expect(await claimNotices(storage, NOW + 1000)).toEqual([owed]);
    });

    it('go to one of those that claim at once', async () => {
      const { storage, notices } = await openWithNotices(0, 1, 2, 3);
      const claims = await Promise.all([1, 2, 3].map(() => claimNotices(storage, NOW, 2)));
      expect(
        claims
          .flat()
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(notices.map(({ id }) => id));
    });

    it('outlive their endpoint', async () => {
      const { storage, workspace, endpoint, notices } = await openWithNotices(0);
      await storage.webhooks.delete(workspace.id, endpoint.id);
      expect(await claimNotices(storage, NOW)).toEqual(notices);
    });
  });
}

function claimNotices(storage: Storage, now: number, limit = 10) {
  return storage.webhooks.claimNotices({ now, leaseMs: 1000, limit });
}
