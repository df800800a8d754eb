import { describe, expect } from 'vitest';
import type {
  ClaimedDelivery,
  Completion,
  Delivery,
  Endpoint,
  RetryResult,
  Storage,
} from '@trunkline/core/spi/storage';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anEndpoint, NOW, testId } from './examples.ts';
import {
  claim,
  disable,
  enable,
  enqueueAt,
  enqueueOne,
  exhausted,
  failed,
  finish,
  idsOf,
  readDelivery,
  storeEndpoint,
  storeLane,
  storeWorkspace,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function retryContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a retry by hand', () => {
    it.each([
      ['failed', failedForGood],
      ['exhausted', exhausted],
    ] as const)('queues one more attempt of a delivery that is %s', async (status, outcome) => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const before = await finish(storage, await enqueueOne(storage, endpoint), outcome);
      expect(before.status).toBe(status);
      const requeued = { ...before, status: 'pending', manual: true, nextRetryAt: null };
      expect(requeued).toMatchObject({
        attempts: 1,
        errorCode: 'HTTP_ERROR',
        responseStatus: 500,
        lastAttemptAt: NOW,
      });

      const result = await storage.deliveries.retry(workspace.id, before.id, NOW + 50, 0);
      expect(result).toEqual({ kind: 'requeued', delivery: requeued });
      expect(await readDelivery(storage, before)).toEqual(requeued);
      expect(await claim(storage, NOW + 49)).toEqual([]);
      expect(only(await claim(storage, NOW + 50))).toMatchObject({ delivery: requeued, lostClaims: 0 });
    });

    it('is not allowed while an attempt is to come, nor after a success', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [done, retrying, pending] = await enqueueAt(storage, endpoint, NOW, NOW + 1, NOW + 90_000);
      await finish(storage, must(done), succeeded, NOW);
      await finish(storage, must(retrying), failed, NOW + 1);
      for (const delivery of [done, retrying, pending]) {
        const before = await readDelivery(storage, must(delivery));
        expect(await storage.deliveries.retry(workspace.id, before.id, NOW + 2, 0)).toEqual({
          kind: 'not_allowed',
        });
        expect(await readDelivery(storage, before)).toEqual(before);
      }
      expect(await claim(storage, NOW + 2)).toEqual([]);
    });

    it('is not allowed a second time before the first was made', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const { id } = await finish(storage, await enqueueOne(storage, endpoint), exhausted);
      const results = await Promise.all(
        [1, 2, 3].map(() => storage.deliveries.retry(workspace.id, id, NOW, 0)),
      );
      expect(results.map(({ kind }) => kind).toSorted()).toEqual(['not_allowed', 'not_allowed', 'requeued']);
      expect(await claim(storage, NOW)).toHaveLength(1);
      expect(await storage.deliveries.retry(workspace.id, id, NOW, 0)).toEqual({ kind: 'not_allowed' });
    });

    it('is not allowed when the endpoint is disabled or deleted', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const { id } = await finish(storage, await enqueueOne(storage, endpoint), exhausted);
      await disable(storage, endpoint);
      expect(await storage.deliveries.retry(workspace.id, id, NOW, 0)).toEqual({ kind: 'not_allowed' });
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      expect(await storage.deliveries.retry(workspace.id, id, NOW, 0)).toEqual({ kind: 'not_allowed' });
    });

    it('does not find a delivery that is another workspace’s, too old or unknown', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeWorkspace(storage);
      const { id } = await finish(storage, await enqueueOne(storage, endpoint), exhausted);
      expect(await storage.deliveries.retry(other.id, id, NOW, 0)).toEqual({ kind: 'not_found' });
      expect(await storage.deliveries.retry(workspace.id, id, NOW, NOW + 1)).toEqual({ kind: 'not_found' });
      expect(await storage.deliveries.retry(workspace.id, testId('whd', NOW), NOW, 0)).toEqual({
        kind: 'not_found',
      });
      expect(await storage.deliveries.retry(workspace.id, id, NOW, NOW)).toMatchObject({ kind: 'requeued' });
    });
  });

  describe('the next attempt of a delivery that waits for its retry', () => {
    async function retrying(storage: Storage) {
      const { workspace, endpoint } = await storeLane(storage);
      const before = await finish(storage, await enqueueOne(storage, endpoint), failed);
      expect(before).toMatchObject({ status: 'retrying', nextRetryAt: NOW + 60_000 });
      const tryNow = (now: number, workspaceId = workspace.id): Promise<RetryResult> =>
        storage.deliveries.retry(workspaceId, before.id, now, 0, 'next');
      return { endpoint, before, tryNow };
    }

    it('can be made now', async () => {
      const storage = await open();
      const { before, tryNow } = await retrying(storage);
      const early = { ...before, nextRetryAt: NOW + 50 };
      expect(await tryNow(NOW + 50)).toEqual({ kind: 'requeued', delivery: early });
      expect(await readDelivery(storage, before)).toEqual(early);
      // A second request does not postpone it.
      expect(await tryNow(NOW + 60)).toEqual({ kind: 'requeued', delivery: early });
      expect(await claim(storage, NOW + 49)).toEqual([]);
      expect(only(await claim(storage, NOW + 50)).delivery).toEqual(early);
      // While it is being made, there is no other.
      expect(await tryNow(NOW + 51)).toEqual({ kind: 'not_allowed' });
    });

    it('cannot be made now if the delivery has ended or was not tried, or its endpoint is disabled', async () => {
      const storage = await open();
      const { before, endpoint, tryNow } = await retrying(storage);
      expect(await tryNow(NOW, (await storeWorkspace(storage)).id)).toEqual({ kind: 'not_found' });
      const pending = await enqueueOne(storage, endpoint);
      const { deliveries } = storage;
      expect(await deliveries.retry(endpoint.workspaceId, pending.id, NOW, 0, 'next')).toEqual({
        kind: 'not_allowed',
      });
      const spent = await finish(storage, pending, exhausted);
      expect(await deliveries.retry(endpoint.workspaceId, spent.id, NOW, 0, 'next')).toEqual({
        kind: 'not_allowed',
      });
      await disable(storage, endpoint);
      expect(await tryNow(NOW)).toEqual({ kind: 'not_allowed' });
      expect(await readDelivery(storage, before)).toMatchObject({ status: 'failed' });
    });
  });

  describe('retrying all that failed at an endpoint', () => {
    it('takes those attempted longest ago first, up to the limit, and counts what remains', async () => {
      const storage = await open();
      const { endpoint, retryFailedDeliveries } = await storeRetryLane(storage);
      const [a, b, c, d, e] = await storeFinished(storage, endpoint, 5);
      // A new attempt moves the oldest delivery to the end.
      expect(await storage.deliveries.retry(endpoint.workspaceId, must(a).id, NOW + 50, 0)).toMatchObject({
        kind: 'requeued',
      });
      await finish(storage, must(a), failedForGood, NOW + 50);

      expect(await retryFailedDeliveries({ limit: 2, countUpTo: 2 })).toEqual({ requeued: 2, remaining: 2 });
      expect(idsOf(await claim(storage, NOW + 500))).toEqual([must(b).id, must(c).id]);
      expect(await readDelivery(storage, must(b))).toEqual({ ...must(b), status: 'pending', manual: true });
      expect(await readDelivery(storage, must(d))).toEqual(d);
      expect(await retryFailedDeliveries({ limit: 2 })).toEqual({ requeued: 2, remaining: 1 });
      expect(await retryFailedDeliveries({ limit: 2 })).toEqual({ requeued: 1, remaining: 0 });
      expect(await retryFailedDeliveries({ limit: 2 })).toEqual({ requeued: 0, remaining: 0 });
      const claimed = await claim(storage, NOW + 500, { slots: 10 });
      expect(idsOf(claimed)).toEqual([must(a).id, must(d).id, must(e).id]);
    });

    it('takes what a cancellation has ended before any attempt first, swept or not', async () => {
      const storage = await open();
      const { endpoint, retryFailedDeliveries } = await storeRetryLane(storage);
      const [tried] = await storeFinished(storage, endpoint, 1);
      const retrying = await finish(storage, await enqueueOne(storage, endpoint, NOW + 10), failed, NOW + 10);
      const [swept, left] = await enqueueAt(storage, endpoint, NOW + 20, NOW + 30);
      await disable(storage, endpoint);
      expect(await storage.deliveries.sweepClosed(1)).toBe(1);
      await enable(storage, endpoint);

      expect(await retryFailedDeliveries({ limit: 2 })).toEqual({ requeued: 2, remaining: 2 });
      expect(idsOf(await claim(storage, NOW + 500))).toEqual([must(swept).id, must(left).id]);
      expect(await retryFailedDeliveries({ limit: 1 })).toEqual({ requeued: 1, remaining: 1 });
      expect(await readDelivery(storage, must(tried))).toMatchObject({ status: 'pending' });
      expect(await retryFailedDeliveries({ limit: 1 })).toEqual({ requeued: 1, remaining: 0 });
      expect(await readDelivery(storage, retrying)).toMatchObject({ status: 'pending', manual: true });
      expect(await storage.deliveries.sweepClosed(10)).toBe(0);
    });

    it('gives each one attempt and then ends, however they fail and however slowly it is called', async () => {
      const storage = await open();
      const { endpoint, retryFailedDeliveries } = await storeRetryLane(storage);
      const finished = await storeFinished(storage, endpoint, 5);
      let now = NOW + 1_000;
      const callAndFail = async () => {
        const result = await retryFailedDeliveries({ limit: 2, now });
        const claimed = await claim(storage, now, { slots: 10 });
        const outcomes = claimed.map((one) => exhausted(one, now));
        expect(await storage.deliveries.complete(outcomes, now)).toBe(claimed.length);
        now += 60_000;
        return result;
      };
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 3 });
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 1 });
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 0 });
      const attempts = await Promise.all(finished.map((one) => readDelivery(storage, one)));
      // The last call had room for a second retry of one delivery.
      expect(attempts.map((one) => one.attempts).toSorted((x, y) => x - y)).toEqual([2, 2, 2, 2, 3]);
      // The next call begins another round, with all five deliveries.
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 3 });
      now += 2 * 60 * 60_000;
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 3 });
    });

    it('takes no delivery twice if it is called twice concurrently', async () => {
      const storage = await open();
      const { endpoint, retryFailedDeliveries } = await storeRetryLane(storage);
      await storeFinished(storage, endpoint, 5);
      const results = await Promise.all([
        retryFailedDeliveries({ limit: 2 }),
        retryFailedDeliveries({ limit: 2 }),
      ]);
      expect(results.toSorted((x, y) => must(y).remaining - must(x).remaining)).toEqual([
        { requeued: 2, remaining: 3 },
        { requeued: 2, remaining: 1 },
      ]);
      expect(await claim(storage, NOW + 500, { slots: 10 })).toHaveLength(4);
    });

    it('skips deliveries that are open, successful, too old or of another endpoint', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      const [old, young] = await storeFinished(storage, endpoint, 2);
      const [elsewhere] = await storeFinished(storage, neighbour, 1);
      const done = await finish(storage, await enqueueOne(storage, endpoint, NOW + 5), succeeded, NOW + 5);
      const pending = await enqueueOne(storage, endpoint, NOW + 400);
      const since = NOW + 1;
      const untouched = [must(old), must(elsewhere), done, pending];

      const batch = { limit: 100, countUpTo: 100, now: NOW + 500, since };
      const result = await storage.deliveries.retryFailedDeliveries(workspace.id, endpoint.id, batch);
      expect(result).toEqual({ requeued: 1, remaining: 0 });
      for (const delivery of untouched) expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(await readDelivery(storage, must(young))).toMatchObject({ status: 'pending' });
    });

    it('is null when the endpoint is gone, disabled or another workspace’s', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeWorkspace(storage);
      const [delivery] = await storeFinished(storage, endpoint, 1);
      const batch = { limit: 100, countUpTo: 100, now: NOW, since: 0 };
      const { deliveries } = storage;
      expect(await deliveries.retryFailedDeliveries(other.id, endpoint.id, batch)).toBeNull();
      expect(
        await deliveries.retryFailedDeliveries(workspace.id, anEndpoint(workspace).id, batch),
      ).toBeNull();
      await disable(storage, endpoint);
      expect(await deliveries.retryFailedDeliveries(workspace.id, endpoint.id, batch)).toBeNull();
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      expect(await deliveries.retryFailedDeliveries(workspace.id, endpoint.id, batch)).toBeNull();
      expect(await readDelivery(storage, must(delivery))).toEqual(delivery);
    });
  });
}

async function storeRetryLane(storage: Storage) {
  const { workspace, endpoint } = await storeLane(storage);
  const usual = { limit: 100, countUpTo: 100, now: NOW + 500, since: 0 };
  return {
    endpoint,
    retryFailedDeliveries: (batch: Partial<typeof usual>) =>
      storage.deliveries.retryFailedDeliveries(workspace.id, endpoint.id, { ...usual, ...batch }),
  };
}

function failedForGood(claimed: ClaimedDelivery, at: number): Completion {
  return failed(claimed, at, { status: 'failed', nextRetryAt: null });
}

/** Stores exhausted deliveries, oldest first, one for each millisecond beginning at NOW. */
async function storeFinished(
  storage: Storage,
  endpoint: Endpoint,
  count: number,
): Promise<readonly Delivery[]> {
  const finished: Delivery[] = [];
  for (let index = 0; index < count; index += 1) {
    const delivery = await enqueueOne(storage, endpoint, NOW + index);
    finished.push(await finish(storage, delivery, exhausted, NOW + index));
  }
  return finished;
}
