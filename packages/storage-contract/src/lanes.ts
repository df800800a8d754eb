import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
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
  storeEndpoint,
  storeLane,
  storeWorkspace,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const MINUTE = 60_000;

export function laneContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('claims', () => {
    it('carry the delivery, its bytes and where they go at this moment', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const current = {
        url: 'https://example.com/moved',
        sealedSecret: 'rotated',
        sealedPreviousSecret: 'before',
        secretBeginsAt: NOW + 1,
        traceContext: true,
      };
      const moved = { ...endpoint, ...current };
      await storage.endpoints.write({ endpoint: moved });
      const { payload } = must(await storage.deliveries.findDetail(delivery.workspaceId, delivery.id, 0));
      expect(await claim(storage, NOW)).toEqual([
        {
          delivery,
          token: expect.any(Number),
          lostClaims: 0,
          payload,
          traceparent: null,
          endpoint: current,
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

    it('take no more than the slots of an endpoint at a time', async () => {
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

    it('take a retry when it is due, behind deliveries that were due before', async () => {
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

    it('take at most their limit', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      await enqueueAt(storage, endpoint, NOW, NOW);
      await enqueueAt(storage, neighbour, NOW, NOW);
      expect(await claim(storage, NOW, { limit: 0 })).toEqual([]);
      expect(await claim(storage, NOW, { limit: 3 })).toHaveLength(3);
      expect(await claim(storage, NOW, { limit: 3 })).toHaveLength(1);
    });

    it('give each delivery to one of those that claim concurrently', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      for (let index = 0; index < 5; index += 1) {
        await enqueueAt(storage, await storeEndpoint(storage, workspace), NOW, NOW, NOW);
      }
      const fourMore = (): ReturnType<typeof claim> => claim(storage, NOW, { limit: 4 });
      const claimed = (await Promise.all(Array.from({ length: 10 }, fourMore))).flat();
      // A delivery that several claims wanted at the same moment may still be unclaimed.
      for (let more = await fourMore(); more.length > 0; more = await fourMore()) claimed.push(...more);
      expect(claimed).toHaveLength(10);
      expect(new Set(idsOf(claimed)).size).toBe(10);
      expect(new Set(claimed.map(({ token }) => token)).size).toBe(10);
      const perEndpoint = Object.groupBy(claimed, ({ delivery }) => delivery.endpointId);
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

    it('is the end of a claim if all slots are held', async () => {
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
      // Twelve passes serve the five quiet endpoints even if every other pass claims only from the backlog.
      for (let pass = 1; pass <= 12; pass += 1) {
        const claimed = await claim(storage, NOW + pass, { limit: 2 });
        await storage.deliveries.complete(
          claimed.map((one) => succeeded(one, NOW + pass)),
          NOW + pass,
        );
        for (const id of idsOf(claimed)) served.add(id);
      }
      expect(quiet.map(({ id }) => served.has(id))).toEqual([true, true, true, true, true]);
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
          counts.set(delivery.endpointId, (counts.get(delivery.endpointId) ?? 0) + 1);
        }
        await storage.deliveries.complete(
          claimed.map((one) => succeeded(one, NOW + pass)),
          NOW + pass,
        );
      }
      for (const { id } of [endpoint, ...busy]) expect(counts.get(id)).toBeGreaterThanOrEqual(14);
    });
  });
}
