import { describe, expect } from 'vitest';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import {
  THROTTLED,
  claim,
  claimAt,
  enqueueAt,
  enqueueOne,
  idsOf,
  readDelivery,
  storeEndpoint,
  storeLane,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const MINUTE = 60_000;

export function throttleContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('the throttle of an endpoint', () => {
    it('lets 120 start in a window, and 120 more in the next', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, ...Array.from({ length: 300 }, () => NOW));
      const first = await storage.deliveries.claim(claimAt(NOW, THROTTLED));
      expect(first.claimed).toHaveLength(120);
      expect(first.nextAt).toBe(NOW + MINUTE);
      expect(await claim(storage, NOW + MINUTE - 1, THROTTLED)).toEqual([]);
      expect(await claim(storage, NOW + MINUTE, THROTTLED)).toHaveLength(120);
      expect(await claim(storage, NOW + 2 * MINUTE, THROTTLED)).toHaveLength(60);
    });

    it('slides exactly: no window of its length holds more', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, ...Array.from({ length: 60 }, () => NOW));
      const throttled = { ...THROTTLED, startsPerWindow: 10 };
      const starts: number[] = [];
      for (let now = NOW; starts.length < 60; now += 7_000) {
        const claimed = await claim(storage, now, { ...throttled, limit: 4 });
        starts.push(...claimed.map(() => now));
        const inWindow = starts.filter((start) => start > now - MINUTE);
        expect(inWindow.length).toBeLessThanOrEqual(10);
        // A claim takes as many as it may: 4, the starts left in the window, or the deliveries left, whichever is
        // least.
        expect(claimed.length).toBe(
          Math.min(4, 10 - (inWindow.length - claimed.length), 60 - starts.length + claimed.length),
        );
      }
    });

    it('postpones without counting anything against the delivery', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [, postponed] = await enqueueAt(storage, endpoint, NOW, NOW);
      const throttled = { startsPerWindow: 1 };
      await claim(storage, NOW, throttled);
      expect(await claim(storage, NOW, throttled)).toEqual([]);
      expect(await readDelivery(storage, must(postponed))).toEqual(postponed);
      const [claimed] = await claim(storage, NOW + MINUTE, { ...throttled, slots: 3 });
      expect(claimed).toMatchObject({ lostClaims: 0, delivery: postponed });
    });

    it('counts starts whatever their outcomes', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW);
      const throttled = { startsPerWindow: 2, leaseMs: 1000 };
      const [done] = await claim(storage, NOW, throttled);
      await storage.deliveries.complete([succeeded(must(done), NOW)], NOW);
      // The first delivery was completed, and the claim of the second has expired.
      expect(await claim(storage, NOW + 2000, throttled)).toEqual([]);
      expect(await claim(storage, NOW + MINUTE, throttled)).toHaveLength(2);
    });

    it('does not hold up other endpoints', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW);
      await claim(storage, NOW, { startsPerWindow: 1 });
      const other = await enqueueOne(storage, await storeEndpoint(storage, workspace));
      expect(idsOf(await claim(storage, NOW, { startsPerWindow: 1 }))).toEqual([other.id]);
    });
  });
}
