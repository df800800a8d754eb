import { describe, expect } from 'vitest';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import {
  THROTTLED,
  claim,
  claimAt,
  enqueueAt,
  enqueueOne,
  failed,
  idsOf,
  readDelivery,
  shortenWaits,
  storeEndpoint,
  storeLane,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const MINUTE = 60_000;

export function setBackClockContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a clock that is set back', () => {
    const HOUR = 60 * MINUTE;
    const setBack = { mayBeSetBack: true };

    it('does not hold up endpoints that were served before', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [first] = await claim(storage, NOW + HOUR, { limit: 1 });
      await storage.deliveries.complete([succeeded(must(first), NOW + HOUR)], NOW + HOUR);
      expect(await claim(storage, NOW, setBack)).toHaveLength(2);
    });

    it('allows no more starts in a window than it would have', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW);
      const throttled = { ...THROTTLED, startsPerWindow: 2 };
      expect(await claim(storage, NOW + HOUR, throttled)).toHaveLength(2);
      const result = await storage.deliveries.claim(claimAt(NOW, { ...throttled, ...setBack }));
      expect(result).toEqual({ claimed: [], nextAt: NOW + MINUTE });
      expect(await claim(storage, NOW + MINUTE - 1, throttled)).toEqual([]);
      expect(await claim(storage, NOW + MINUTE, throttled)).toHaveLength(2);
    });

    it('lets claims end with their lease, counted from then', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const short = { leaseMs: 1000 };
      await claim(storage, NOW + HOUR, short);
      const result = await storage.deliveries.claim(claimAt(NOW, { ...short, ...setBack }));
      expect(result).toEqual({ claimed: [], nextAt: NOW + 1000 });
      expect(await claim(storage, NOW + 999, short)).toEqual([]);
      expect(await claim(storage, NOW + 1000, short)).toMatchObject([{ delivery, lostClaims: 1 }]);
    });

    itAlways('lets what was queued before go now', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeEndpoint(storage, workspace);
      const ahead = [NOW + HOUR, NOW + HOUR + 1, NOW + HOUR + 2];
      const queued = [
        ...(await enqueueAt(storage, endpoint, NOW, ...ahead)),
        ...(await enqueueAt(storage, other, ...ahead)),
      ];
      expect(await claim(storage, NOW, { slots: 9 })).toHaveLength(1);
      await shortenWaits(storage, NOW);
      const rest = await claim(storage, NOW, { slots: 9 });
      expect(new Set(idsOf(rest))).toEqual(new Set(queued.slice(1).map(({ id }) => id)));
    });

    it('lets a retry wait as long as its schedule allows from now', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [delivery] = await enqueueAt(storage, endpoint, NOW);
      const [first] = await claim(storage, NOW);
      const nextRetryAt = NOW + HOUR + MINUTE;
      const completion = failed(must(first), NOW + HOUR, { nextRetryAt });
      await storage.deliveries.complete([completion], NOW + HOUR);
      await shortenWaits(storage, NOW);
      expect(await readDelivery(storage, must(delivery))).toEqual({
        ...completion.delivery,
        nextRetryAt: NOW + MINUTE,
      });
      const again = { mayBeSetBack: true, windowMs: 1000 };
      expect(await storage.deliveries.claim(claimAt(NOW, again))).toEqual({
        claimed: [],
        nextAt: NOW + MINUTE,
      });
      expect(await claim(storage, NOW + MINUTE)).toHaveLength(1);
    });

    it('does not change waits of the schedule, and signals nothing', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW);
      const [first, second] = await claim(storage, NOW);
      const waits = [failed(must(first), NOW, { nextRetryAt: NOW + MINUTE })];
      await storage.deliveries.complete(waits, NOW);
      const signals: unknown[] = [];
      storage.subscribe((signal) => signals.push(signal));
      await shortenWaits(storage, NOW, 1);
      expect(signals).toEqual([]);
      expect(await storage.deliveries.claim(claimAt(NOW))).toEqual({ claimed: [], nextAt: NOW + 30_000 });
      await storage.deliveries.complete([succeeded(must(second), NOW)], NOW);
      expect(await claim(storage, NOW + MINUTE - 1)).toEqual([]);
      expect(await claim(storage, NOW + MINUTE)).toHaveLength(1);
    });

    it('changes nothing if it was not set back', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const throttled = { startsPerWindow: 2, leaseMs: 1000 };
      const [first] = await claim(storage, NOW, throttled);
      await storage.deliveries.complete([succeeded(must(first), NOW)], NOW);
      const result = await storage.deliveries.claim(claimAt(NOW + 500, { ...throttled, ...setBack }));
      expect(result).toEqual({ claimed: [], nextAt: NOW + 1000 });
      expect(await claim(storage, NOW + MINUTE - 1, throttled)).toEqual([]);
      expect(await claim(storage, NOW + MINUTE, throttled)).toHaveLength(2);
    });
  });
}
