import { describe, expect } from 'vitest';
import type { CancellationReason, Endpoint, Storage } from '@trunkline/core/spi/storage';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
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
  finish,
  idsOf,
  readDelivery,
  readEndpoint,
  storeEndpoint,
  storeLane,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const FIRST_PAGE = { from: null, limit: 100 };

export function cancellationContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe.each<[string, CancellationReason, (storage: Storage, endpoint: Endpoint) => Promise<unknown>]>([
    ['disabling', 'ENDPOINT_DISABLED', disable],
    [
      'deleting',
      'ENDPOINT_DELETED',
      (storage, { workspaceId, id }) => storage.endpoints.delete(workspaceId, id, NOW),
    ],
  ])('%s an endpoint', (_, reason, close) => {
    it('ends its open deliveries immediately, wherever they are read', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [retrying, pending] = await enqueueAt(storage, endpoint, NOW, NOW + 1);
      const before = await finish(storage, must(retrying), failed);
      await close(storage, endpoint);

      const ended = [
        { ...must(pending), status: 'failed', errorCode: reason },
        { ...before, status: 'failed', errorCode: reason, nextRetryAt: null },
      ];
      expect([await readDelivery(storage, must(pending)), await readDelivery(storage, before)]).toEqual(
        ended,
      );
      const detail = await storage.deliveries.findDetail(workspace.id, before.id, 0);
      expect(must(detail).delivery).toEqual(ended[1]);
      expect(must(detail).attempts).toHaveLength(1);
      const list = (filter: object) =>
        storage.deliveries.list(workspace.id, endpoint.id, filter, FIRST_PAGE, 0);
      expect((await list({})).rows).toEqual(ended);
      expect((await list({ status: 'failed' })).rows).toEqual(ended);
      expect((await list({ status: 'failed', eventType: 'message.received' })).rows).toEqual(ended);
      expect(await list({ status: 'pending' })).toEqual({ rows: [], hasOlder: false, hasNewer: false });
      expect((await list({ status: 'retrying' })).rows).toEqual([]);
    });

    it('does not touch finished ones or other endpoints', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      const [done, spent] = await enqueueAt(storage, endpoint, NOW, NOW);
      const untouched = [
        await finish(storage, must(done), succeeded),
        await finish(storage, must(spent), exhausted, NOW + 30_000),
        await enqueueOne(storage, neighbour, NOW + 30_000),
      ];
      await close(storage, endpoint);
      for (const delivery of untouched) expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(await storage.deliveries.sweepClosed(10)).toBe(0);
      for (const delivery of untouched) expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(await claim(storage, NOW + 30_000)).toHaveLength(1);
    });

    it('lets no cancelled delivery be claimed', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW + 20);
      await close(storage, endpoint);
      expect(await storage.deliveries.claim(claimAt(NOW))).toEqual({ claimed: [], nextAt: null });
      expect(await claim(storage, NOW * 2)).toEqual([]);
    });

    it('is stored by sweeping, a batch at a time, and reads the same', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW, NOW);
      await close(storage, endpoint);
      const read = () => storage.deliveries.list(workspace.id, endpoint.id, {}, FIRST_PAGE, 0);
      const before = await read();
      const batches = [];
      for (let pass = 0; pass < 4; pass += 1) {
        batches.push(await storage.deliveries.sweepClosed(2));
        expect(await read()).toEqual(before);
      }
      expect(batches).toEqual([2, 2, 1, 0]);
    });

    it('keeps the attempt that was in flight, but not its outcome', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [first, second, third] = await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const claimed = await claim(storage, NOW, { slots: 3 });
      await close(storage, endpoint);
      expect(await readDelivery(storage, must(first))).toMatchObject({
        status: 'failed',
        errorCode: reason,
        attempts: 0,
      });

      const outcomes = [
        succeeded(must(claimed[0]), NOW + 1),
        failed(must(claimed[1]), NOW + 1),
        exhausted(must(claimed[2]), NOW + 1),
      ];
      expect(await storage.deliveries.complete(outcomes, NOW + 1)).toBe(3);
      for (const [index, delivery] of [first, second, third].entries()) {
        const outcome = must(outcomes[index]);
        const { delivery: written, attempts } = must(
          await storage.deliveries.findDetail(workspace.id, must(delivery).id, 0),
        );
        expect(attempts).toEqual([outcome.attempt]);
        expect(written).toEqual({
          ...outcome.delivery,
          status: 'failed',
          errorCode: reason,
          nextRetryAt: null,
          deliveredAt: null,
        });
      }
      expect(await storage.deliveries.sweepClosed(10)).toBe(0);
      expect(await claim(storage, NOW * 2)).toEqual([]);
    });

    it('ends deliveries that are claimed or completed concurrently, for good', async () => {
      const storage = await open();
      const { workspace } = await storeLane(storage);
      for (let round = 0; round < 10; round += 1) {
        const endpoint = await storeEndpoint(storage, workspace);
        const deliveries = await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW);
        const before = await claim(storage, NOW);
        const outcomes = before.map((one) => succeeded(one, NOW));
        const closing = round % 2 === 0 ? close(storage, endpoint) : null;
        const claiming = claim(storage, NOW);
        const completing = storage.deliveries.complete(outcomes, NOW);
        await (closing ?? close(storage, endpoint));
        const during = await claiming;
        expect(await completing).toBe(2);
        const found = await Promise.all(deliveries.map((one) => readDelivery(storage, one)));
        for (const [index, delivery] of found.entries()) {
          const isSuccess = index < 2 && delivery.status === 'success';
          const cancelled = { status: 'failed', errorCode: reason, deliveredAt: null };
          expect(delivery).toMatchObject(isSuccess ? { errorCode: null } : cancelled);
        }

        // Attempts of the concurrent claims are recorded, because their requests were made. No outcome is undone.
        const late = during.map((one) => failed(one, NOW + 1));
        expect(await storage.deliveries.complete(late, NOW + 1)).toBe(during.length);
        await storage.deliveries.sweepClosed(10);
        const attempted = new Set(idsOf([...before, ...during]));
        for (const [index, delivery] of found.entries()) {
          const attempts = attempted.has(delivery.id) ? 1 : 0;
          const { status } = delivery;
          expect(await readDelivery(storage, must(deliveries[index]))).toMatchObject({ status, attempts });
        }
        expect(await claim(storage, NOW * 2)).toEqual([]);
        expect(await storage.deliveries.sweepClosed(10)).toBe(0);
      }
    });

    it('sweeps claimed deliveries only after their claim', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [completed, lost] = await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const claimed = await claim(storage, NOW, { leaseMs: 1000 });
      await close(storage, endpoint);
      expect(await storage.deliveries.sweepClosed(10)).toBe(1);
      expect(await storage.deliveries.sweepClosed(10)).toBe(0);
      expect(await storage.deliveries.complete([failed(must(claimed[0]), NOW)], NOW)).toBe(1);
      expect(await storage.deliveries.sweepClosed(10)).toBe(0);

      expect(await claim(storage, NOW + 1000)).toEqual([]);
      expect(await storage.deliveries.complete([failed(must(claimed[1]), NOW)], NOW)).toBe(0);
      expect(await storage.deliveries.sweepClosed(10)).toBe(1);
      expect(await storage.deliveries.sweepClosed(10)).toBe(0);
      expect(await readDelivery(storage, must(completed))).toMatchObject({ status: 'failed', attempts: 1 });
      expect(await readDelivery(storage, must(lost))).toMatchObject({ status: 'failed', attempts: 0 });
    });
  });

  describe('an endpoint that is enabled again', () => {
    it('does not get deliveries that the cancellation has ended', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const old = await enqueueOne(storage, endpoint);
      await disable(storage, endpoint);
      await enable(storage, endpoint);
      expect(await readDelivery(storage, old)).toMatchObject({
        status: 'failed',
        errorCode: 'ENDPOINT_DISABLED',
      });
      const fresh = await enqueueOne(storage, endpoint);
      expect(idsOf(await claim(storage, NOW))).toEqual([fresh.id]);
      expect(await storage.deliveries.sweepClosed(10)).toBe(1);
      expect(await readDelivery(storage, fresh)).toEqual(fresh);
      expect(await readDelivery(storage, old)).toMatchObject({
        status: 'failed',
        errorCode: 'ENDPOINT_DISABLED',
      });
    });

    it.each([
      ['before sweeping', false],
      ['after sweeping', true],
    ])('gets what is retried by hand %s', async (_, swept) => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [old, left] = await enqueueAt(storage, endpoint, NOW, NOW);
      await disable(storage, endpoint);
      await enable(storage, endpoint);
      if (swept) expect(await storage.deliveries.sweepClosed(10)).toBe(2);
      const ended = await readDelivery(storage, must(old));

      const requeued = { ...ended, status: 'pending', manual: true } as const;
      const result = await storage.deliveries.retry(workspace.id, ended.id, NOW + 5, 0);
      expect(result).toEqual({ kind: 'requeued', delivery: requeued });
      expect(requeued.errorCode).toBe('ENDPOINT_DISABLED');
      expect(await storage.deliveries.sweepClosed(10)).toBe(swept ? 0 : 1);
      expect(await readDelivery(storage, ended)).toEqual(requeued);
      expect(await readDelivery(storage, must(left))).toMatchObject({ status: 'failed' });
      expect(only(await claim(storage, NOW + 5)).delivery).toEqual(requeued);
    });

    it('is closed again with all that came since', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [old, retried] = await enqueueAt(storage, endpoint, NOW, NOW);
      await disable(storage, endpoint);
      await enable(storage, endpoint);
      await storage.deliveries.retry(workspace.id, must(retried).id, NOW, 0);
      const fresh = await enqueueOne(storage, endpoint);
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      const codes = async () =>
        Promise.all(
          [old, retried, fresh].map(async (one) => (await readDelivery(storage, must(one))).errorCode),
        );
      const expected = ['ENDPOINT_DISABLED', 'ENDPOINT_DELETED', 'ENDPOINT_DELETED'];
      expect(await codes()).toEqual(expected);
      expect(await storage.deliveries.sweepClosed(10)).toBe(3);
      expect(await codes()).toEqual(expected);
      expect(await claim(storage, NOW * 2)).toEqual([]);
    });

    it('still has its slots held by earlier requests', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW);
      const [inFlight] = await claim(storage, NOW, { leaseMs: 1000 });
      await disable(storage, endpoint);
      await enable(storage, endpoint);
      const [first, second] = await enqueueAt(storage, endpoint, NOW, NOW);
      expect(await claim(storage, NOW)).toEqual([]);
      await storage.deliveries.complete([failed(must(inFlight), NOW)], NOW);
      expect(idsOf(await claim(storage, NOW))).toEqual([must(first).id]);
      expect(idsOf(await claim(storage, NOW + 1000))).toEqual([must(second).id]);
    });

    it('refuses a retry by hand of a request that is still in flight', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const inFlight = only(await claim(storage, NOW));
      await disable(storage, endpoint);
      await enable(storage, endpoint);
      expect(await readDelivery(storage, delivery)).toMatchObject({ status: 'failed' });
      const retry = () => storage.deliveries.retry(workspace.id, delivery.id, NOW, 0);
      expect(await retry()).toEqual({ kind: 'not_allowed' });
      const batch = { limit: 10, countUpTo: 10, now: NOW, since: 0 };
      const none = { requeued: 0, remaining: 0 };
      expect(await storage.deliveries.retryFailedDeliveries(workspace.id, endpoint.id, batch)).toEqual(none);
      await storage.deliveries.complete([failed(inFlight, NOW)], NOW);
      expect(await retry()).toMatchObject({ kind: 'requeued', delivery: { attempts: 1, status: 'pending' } });
    });

    it('shows the outcome of its last delivery, if that was open', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const health = async () => (await readEndpoint(storage, endpoint)).health;
      const [spent] = await enqueueAt(storage, endpoint, NOW);
      await finish(storage, must(spent), exhausted);
      await disable(storage, endpoint);
      expect(await health()).toMatchObject({ lastDelivery: { id: must(spent).id, status: 'exhausted' } });
      await enable(storage, endpoint);
      const [retried] = await enqueueAt(storage, endpoint, NOW + 60_000);
      await finish(storage, must(retried), failed, NOW + 60_000);
      const before = await health();
      expect(before.lastDelivery).toMatchObject({ id: must(retried).id, status: 'retrying' });
      await disable(storage, endpoint);
      const after = { ...before, lastDelivery: { ...before.lastDelivery, status: 'failed' } };
      expect(await health()).toEqual(after);
      await enable(storage, endpoint);
      expect(await health()).toEqual(after);
    });

    it('is healthy after an earlier request succeeds, which its delivery does not show', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [spent, inFlight] = await enqueueAt(storage, endpoint, NOW, NOW);
      const claimed = await claim(storage, NOW);
      await storage.deliveries.complete([exhausted(must(claimed[0]), NOW)], NOW);
      await disable(storage, endpoint);
      expect((await readEndpoint(storage, endpoint)).health).toMatchObject({
        failingSince: NOW,
        exhausted: true,
      });
      await storage.deliveries.complete([succeeded(must(claimed[1]), NOW + 2)], NOW + 2);
      expect((await readEndpoint(storage, endpoint)).health).toEqual({
        lastDelivery: { id: must(inFlight).id, status: 'failed', responseStatus: 200, at: NOW + 2 },
        lastSuccessAt: NOW + 2,
        failingSince: null,
        exhausted: false,
        warnedAt: null,
      });
      expect(await readDelivery(storage, must(spent))).toMatchObject({ status: 'exhausted' });
    });
  });
}
