import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import {
  claim,
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
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function lostClaimContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

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

    it('comes back behind deliveries that were due before', async () => {
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

    it('completes late unless it was taken back', async () => {
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
      // The lost claim was taken back, but the delivery was not claimed again.
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

    it('has no effect when its process continues after a minute, if another one has claimed the delivery', async () => {
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
      // Only the claim at `untouched` was not taken back.
      expect(await storage.deliveries.complete(late, later)).toBe(1);
      expect(await readDelivery(storage, must(first))).toEqual(first);
      expect(await readDelivery(storage, alone)).toMatchObject({ status: 'exhausted', attempts: 1 });
      expect((await readEndpoint(storage, endpoint)).health).toEqual(endpoint.health);
      // Both slots are held by the later claims.
      expect(await claim(storage, later)).toEqual([]);

      expect(await storage.deliveries.complete([succeeded(must(held[0]), later)], later)).toBe(1);
      expect(await storage.deliveries.complete(late, later)).toBe(0);
      expect(await readDelivery(storage, must(first))).toMatchObject({ status: 'success', attempts: 1 });
      expect(idsOf(await claim(storage, later))).toEqual([must(third).id]);
    });
  });
}
