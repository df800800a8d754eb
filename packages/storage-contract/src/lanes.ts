import { describe, expect, it } from 'vitest';
import type { Storage } from '@trunkline/core';
import { must, only } from '@trunkline/test-support';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import {
  claim,
  claimAt,
  disable,
  enable,
  enqueueAt,
  enqueueOne,
  exhausted,
  failed,
  idsOf,
  readDelivery,
  readEndpoint,
  storeEndpoint,
  storeLane,
  storeWorkspace,
  succeeded,
} from './scenes.ts';
import { testDatabases } from './test-database.ts';

const MINUTE = 60_000;
/** Many slots and a lease that outlives the window: what is left is the throttle. */
const THROTTLED = { slots: 1000, limit: 1000, leaseMs: 10 * MINUTE };

export function laneContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('claims', () => {
    it('carry the delivery, its bytes and where they go at this moment', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const moved = { ...endpoint, url: 'https://example.com/moved', sealedSecret: 'rotated' };
      await storage.webhooks.write({ endpoint: moved });
      const { payload } = must(await storage.deliveries.findDetail(delivery.workspaceId, delivery.id, 0));
      expect(await claim(storage, NOW)).toEqual([
        {
          delivery,
          token: expect.any(Number),
          lostClaims: 0,
          payload,
          endpoint: { url: 'https://example.com/moved', sealedSecret: 'rotated' },
        },
      ]);
    });

    it('do not change how a delivery reads', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await claim(storage, NOW);
      expect(await readDelivery(storage, delivery)).toEqual(delivery);
    });

    it('take no more than the slots of an endpoint at once', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [a, b, c, d, e] = await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW, NOW);
      const first = await claim(storage, NOW);
      expect(idsOf(first)).toEqual([must(a).id, must(b).id]);
      expect(await claim(storage, NOW)).toEqual([]);
      await storage.deliveries.complete([succeeded(must(first[1]), NOW)], NOW);
      expect(idsOf(await claim(storage, NOW))).toEqual([must(c).id]);
      expect(await claim(storage, NOW)).toEqual([]);
      await storage.deliveries.complete([failed(must(first[0]), NOW)], NOW);
      expect(idsOf(await claim(storage, NOW))).toEqual([must(d).id]);
      expect(await claim(storage, NOW, { slots: 3 })).toMatchObject([{ delivery: { id: must(e).id } }]);
    });

    it('hold the slots of their own endpoint only', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      await claim(storage, NOW);
      const delivery = await enqueueOne(storage, neighbour);
      expect(idsOf(await claim(storage, NOW))).toEqual([delivery.id]);
    });

    it('go by when deliveries are due, then by id', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [late, early, same] = await enqueueAt(storage, endpoint, NOW - 10, NOW - 20, NOW - 10);
      const due = [must(early).id, must(late).id, must(same).id];
      expect(idsOf(await claim(storage, NOW, { slots: 5 }))).toEqual(due);
    });

    it('take a retry when it is due, behind what was due before', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const retried = await enqueueOne(storage, endpoint, NOW);
      const first = only(await claim(storage, NOW));
      await storage.deliveries.complete([failed(first, NOW, { nextRetryAt: NOW + MINUTE })], NOW);
      expect(await claim(storage, NOW + MINUTE - 1)).toEqual([]);
      const before = await enqueueOne(storage, endpoint, NOW + MINUTE - 5);
      const after = await enqueueOne(storage, endpoint, NOW + MINUTE + 5);
      const claimed = await claim(storage, NOW + MINUTE + 5, { slots: 5 });
      expect(idsOf(claimed)).toEqual([before.id, retried.id, after.id]);
    });

    it('take at most what they ask for', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      await enqueueAt(storage, endpoint, NOW, NOW);
      await enqueueAt(storage, neighbour, NOW, NOW);
      expect(await claim(storage, NOW, { limit: 0 })).toEqual([]);
      expect(await claim(storage, NOW, { limit: 3 })).toHaveLength(3);
      expect(await claim(storage, NOW, { limit: 3 })).toHaveLength(1);
    });

    it('give each delivery to one of those that claim at once', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      for (let index = 0; index < 5; index += 1) {
        await enqueueAt(storage, await storeEndpoint(storage, workspace), NOW, NOW, NOW);
      }
      const fourMore = (): ReturnType<typeof claim> => claim(storage, NOW, { limit: 4 });
      const claimed = (await Promise.all(Array.from({ length: 10 }, fourMore))).flat();
      // What several wanted at the same moment, none of them may have got.
      for (let more = await fourMore(); more.length > 0; more = await fourMore()) claimed.push(...more);
      expect(claimed).toHaveLength(10);
      expect(new Set(idsOf(claimed)).size).toBe(10);
      expect(new Set(claimed.map(({ token }) => token)).size).toBe(10);
      const perEndpoint = Object.groupBy(claimed, ({ delivery }) => delivery.webhookId);
      expect(Object.values(perEndpoint).map((ofOne) => ofOne?.length)).toEqual([2, 2, 2, 2, 2]);
    });
  });

  describe('the time of the next claim', () => {
    it('is null while nothing is waiting or claimed', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      expect(await storage.deliveries.claim(claimAt(NOW))).toEqual({ claimed: [], nextAt: null });
      await enqueueOne(storage, endpoint);
      await storage.deliveries.complete([succeeded(only(await claim(storage, NOW)), NOW)], NOW);
      expect(await storage.deliveries.claim(claimAt(NOW))).toEqual({ claimed: [], nextAt: null });
    });

    it('is when the next delivery is due', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueOne(storage, endpoint, NOW + 30);
      await enqueueOne(storage, await storeEndpoint(storage, workspace), NOW + 20);
      expect(await storage.deliveries.claim(claimAt(NOW))).toEqual({ claimed: [], nextAt: NOW + 20 });
    });

    it('is now where the limit left some', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW - 5, NOW - 5);
      expect(await storage.deliveries.claim(claimAt(NOW, { limit: 1 }))).toMatchObject({ nextAt: NOW });
    });

    it('is the end of a claim where all slots are held', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      expect(await storage.deliveries.claim(claimAt(NOW))).toMatchObject({ nextAt: NOW + 30_000 });
      expect(await storage.deliveries.claim(claimAt(NOW + 1))).toEqual({ claimed: [], nextAt: NOW + 30_000 });
    });

    it('is when the oldest start leaves the window where the budget is used up', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const throttled = { ...THROTTLED, startsPerWindow: 2 };
      await claim(storage, NOW, { ...throttled, limit: 1 });
      expect(await storage.deliveries.claim(claimAt(NOW + 10, throttled))).toMatchObject({
        nextAt: NOW + MINUTE,
      });
    });
  });

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
        // As many as may: 4, or what the window leaves.
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

    it('counts starts whatever came of them', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW);
      const throttled = { startsPerWindow: 2, leaseMs: 1000 };
      const [done] = await claim(storage, NOW, throttled);
      await storage.deliveries.complete([succeeded(must(done), NOW)], NOW);
      // One was completed, and the claim of the other has expired.
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

  describe('a clock that is set back', () => {
    const HOUR = 60 * MINUTE;
    const setBack = { mayBeSetBack: true };

    it('holds up nobody who was served before', async () => {
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

    /** Walks along all that waits, in steps of this many. */
    const shorten = async (storage: Storage, now: number, limit = 2): Promise<void> => {
      let after: string | null = null;
      do after = await storage.deliveries.shortenWaits({ now, after, limit });
      while (after !== null);
    };

    it('lets what was queued before go now', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeEndpoint(storage, workspace);
      const ahead = [NOW + HOUR, NOW + HOUR + 1, NOW + HOUR + 2];
      const queued = [
        ...(await enqueueAt(storage, endpoint, NOW, ...ahead)),
        ...(await enqueueAt(storage, other, ...ahead)),
      ];
      expect(await claim(storage, NOW, { slots: 9 })).toHaveLength(1);
      await shorten(storage, NOW);
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
      await shorten(storage, NOW);
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

    it('leaves waits of the schedule as they are, and says so to nobody', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW);
      const [first, second] = await claim(storage, NOW);
      const waits = [failed(must(first), NOW, { nextRetryAt: NOW + MINUTE })];
      await storage.deliveries.complete(waits, NOW);
      const signals: unknown[] = [];
      storage.subscribe((signal) => signals.push(signal));
      await shorten(storage, NOW, 1);
      expect(signals).toEqual([]);
      expect(await storage.deliveries.claim(claimAt(NOW))).toEqual({ claimed: [], nextAt: NOW + 30_000 });
      await storage.deliveries.complete([succeeded(must(second), NOW)], NOW);
      expect(await claim(storage, NOW + MINUTE - 1)).toEqual([]);
      expect(await claim(storage, NOW + MINUTE)).toHaveLength(1);
    });

    it('changes nothing where it was not', async () => {
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

  describe('a backlog of 1,000', () => {
    it('does not keep quiet endpoints waiting', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, ...Array.from({ length: 1000 }, () => NOW - MINUTE));
      const quiet = [];
      for (let index = 0; index < 5; index += 1) {
        quiet.push(await enqueueOne(storage, await storeEndpoint(storage, workspace)));
      }
      const served = new Set<string>();
      // Six lanes and room for one at a time: with the backlog served every other time, ten passes are enough.
      for (let pass = 1; pass <= 12; pass += 1) {
        const claimed = await claim(storage, NOW + pass, { limit: 2 });
        await storage.deliveries.complete(
          claimed.map((one) => succeeded(one, NOW + pass)),
          NOW + pass,
        );
        for (const id of idsOf(claimed)) served.add(id);
      }
      expect(quiet.map(({ id }) => served.has(id))).toEqual([true, true, true, true, true]);
      // And it is served itself.
      expect(served.size).toBeGreaterThan(10);
    });

    it('is not kept waiting by endpoints that are always busy', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const busy = [await storeEndpoint(storage, workspace), await storeEndpoint(storage, workspace)];
      for (const one of busy)
        await enqueueAt(storage, one, ...Array.from({ length: 100 }, () => NOW - MINUTE));
      await enqueueAt(storage, endpoint, ...Array.from({ length: 100 }, () => NOW));
      const counts = new Map<string, number>();
      for (let pass = 1; pass <= 30; pass += 1) {
        const claimed = await claim(storage, NOW + pass, { limit: 2 });
        for (const { delivery } of claimed) {
          counts.set(delivery.webhookId, (counts.get(delivery.webhookId) ?? 0) + 1);
        }
        await storage.deliveries.complete(
          claimed.map((one) => succeeded(one, NOW + pass)),
          NOW + pass,
        );
      }
      for (const { id } of [endpoint, ...busy]) expect(counts.get(id)).toBeGreaterThanOrEqual(14);
    });
  });

  describe('a claim without a completion', () => {
    it('ends with its lease, at the very millisecond', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await claim(storage, NOW, { leaseMs: 1000 });
      expect(await claim(storage, NOW + 999)).toEqual([]);
      const again = only(await claim(storage, NOW + 1000));
      expect(again).toMatchObject({ delivery, lostClaims: 1 });
    });

    it('is counted until one completes', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueOne(storage, endpoint);
      let now = NOW;
      for (const lostClaims of [0, 1, 2, 3]) {
        expect(only(await claim(storage, now, { leaseMs: 1000 }))).toMatchObject({
          lostClaims,
          delivery: { attempts: 0 },
        });
        now += 1000;
      }
      const last = only(await claim(storage, now));
      expect(last.lostClaims).toBe(4);
      await storage.deliveries.complete([failed(last, now, { nextRetryAt: now + 5 })], now);
      expect(only(await claim(storage, now + 5))).toMatchObject({ lostClaims: 0, delivery: { attempts: 1 } });
    });

    it('comes back behind what was due before', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [lost, waiting] = await enqueueAt(storage, endpoint, NOW, NOW + 500);
      await claim(storage, NOW, { leaseMs: 1000, limit: 1 });
      expect(idsOf(await claim(storage, NOW + 1000, { slots: 5 }))).toEqual([
        must(waiting).id,
        must(lost).id,
      ]);
    });

    it('frees its slot when it is taken back, whether or not anything is claimed there', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const endpoints = [endpoint, await storeEndpoint(storage, workspace)];
      for (const one of endpoints) await enqueueAt(storage, one, NOW, NOW);
      expect(await claim(storage, NOW, { leaseMs: 1000 })).toHaveLength(4);
      expect(await claim(storage, NOW + 1000, { limit: 1 })).toHaveLength(1);
      const delivered = [];
      for (const one of endpoints) {
        await disable(storage, one);
        await enable(storage, one);
        delivered.push(await enqueueOne(storage, one, NOW + 1000));
      }
      expect(idsOf(await claim(storage, NOW + 1000))).toEqual(delivered.map(({ id }) => id));
    });

    it('completes late as long as nobody took it back', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const late = only(await claim(storage, NOW, { leaseMs: 1000 }));
      expect(await storage.deliveries.complete([succeeded(late, NOW + 5000)], NOW + 5000)).toBe(1);
      expect(await readDelivery(storage, delivery)).toMatchObject({ status: 'success' });
      expect(await claim(storage, NOW + 5000)).toEqual([]);
    });

    it('completes nothing once it was taken back', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const lost = only(await claim(storage, NOW, { leaseMs: 1000 }));
      // Taken back, but not claimed again.
      await claim(storage, NOW + 1000, { limit: 0 });
      expect(await storage.deliveries.complete([succeeded(lost, NOW)], NOW)).toBe(0);
      const held = only(await claim(storage, NOW + 1000));
      expect(held.token).not.toBe(lost.token);
      expect(await storage.deliveries.complete([succeeded(lost, NOW)], NOW)).toBe(0);
      expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(
        must(await storage.deliveries.findDetail(delivery.workspaceId, delivery.id, 0)).attempts,
      ).toEqual([]);
      expect(await storage.deliveries.complete([succeeded(held, NOW)], NOW)).toBe(1);
    });

    it('of a process that was frozen for a minute is another’s, wherever it was taken back, when it goes on', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const untouched = await storeEndpoint(storage, workspace);
      const later = NOW + 60_000;
      const [first, second, third] = await enqueueAt(storage, endpoint, NOW, NOW, later);
      const frozen = [...(await claim(storage, NOW))];
      expect(idsOf(frozen)).toEqual([must(first).id, must(second).id]);
      const alone = await enqueueOne(storage, untouched);
      frozen.push(only(await claim(storage, NOW, { leaseMs: 90_000 })));

      const held = await claim(storage, later);
      expect(idsOf(held)).toEqual([must(first).id, must(second).id]);
      expect(held.map(({ lostClaims }) => lostClaims)).toEqual([1, 1]);
      const late = frozen.map((one) => exhausted(one, later));
      // Its claim at the other endpoint was not taken back.
      expect(await storage.deliveries.complete(late, later)).toBe(1);
      expect(await readDelivery(storage, must(first))).toEqual(first);
      expect(await readDelivery(storage, alone)).toMatchObject({ status: 'exhausted', attempts: 1 });
      expect((await readEndpoint(storage, endpoint)).health).toEqual(endpoint.health);
      // Both slots are held by those who claimed since.
      expect(await claim(storage, later)).toEqual([]);

      expect(await storage.deliveries.complete([succeeded(must(held[0]), later)], later)).toBe(1);
      expect(await storage.deliveries.complete(late, later)).toBe(0);
      expect(await readDelivery(storage, must(first))).toMatchObject({ status: 'success', attempts: 1 });
      expect(idsOf(await claim(storage, later))).toEqual([must(third).id]);
    });
  });
}
