import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import {
  claim,
  claimAt,
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

export function completionContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a completion', () => {
    it('writes the next state of the delivery, and its attempt', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const { id } = await enqueueOne(storage, endpoint);
      const first = failed(only(await claim(storage, NOW)), NOW);
      expect(await storage.deliveries.complete([first], NOW)).toBe(1);
      expect(await readDelivery(storage, first.delivery)).toEqual(first.delivery);
      const second = succeeded(only(await claim(storage, NOW + 60_000)), NOW + 60_000);
      expect(await storage.deliveries.complete([second], NOW + 60_000)).toBe(1);
      expect(await storage.deliveries.findDetail(workspace.id, id, 0)).toEqual({
        delivery: second.delivery,
        attempts: [first.attempt, second.attempt],
        payload: expect.stringContaining('Grüße'),
        endpointUrl: endpoint.url,
        lane: null,
      });
    });

    it('keeps an attempt exactly, with nothing in it too', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const { id } = await enqueueOne(storage, endpoint);
      const claimed = only(await claim(storage, NOW));
      const attempt = {
        number: 1,
        manual: true,
        url: 'https://example.com/ünïcode',
        responseStatus: null,
        responseBody: null,
        durationMs: 10_000,
        errorCode: 'TIMEOUT',
        at: NOW - 10_000,
      } as const;
      await storage.deliveries.complete([{ ...failed(claimed, NOW), attempt }], NOW);
      const detail = must(await storage.deliveries.findDetail(workspace.id, id, 0));
      expect(detail.attempts).toEqual([attempt]);
    });

    it('keeps the response of a receiver exactly, whatever it looks like to a database', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const bodies = [
        '',
        'NULL',
        '{}',
        '{"a":"b\\\\c\\n"}',
        '"',
        '\\',
        ',',
        " ' ",
        '\n\t\r',
        '\0',
        '$1',
        'ü💡',
      ];
      const queued = await enqueueAt(storage, endpoint, ...bodies.map(() => NOW));
      const claimed = await claim(storage, NOW, { slots: bodies.length });
      expect(claimed).toHaveLength(bodies.length);
      const outcomes = claimed.map((one, index) => {
        const outcome = failed(one, NOW);
        const responseBody = must(bodies[index]);
        return {
          ...outcome,
          attempt: { ...outcome.attempt, responseBody, url: `https://h/${responseBody}` },
        };
      });
      expect(await storage.deliveries.complete(outcomes, NOW)).toBe(bodies.length);
      for (const [index, { id }] of queued.entries()) {
        const detail = must(await storage.deliveries.findDetail(workspace.id, id, 0));
        expect(detail.attempts).toEqual([must(outcomes[index]).attempt]);
      }
    });

    it('changes nothing with another token', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [delivery, neighbour] = await enqueueAt(storage, endpoint, NOW, NOW);
      const [claimed, other] = await claim(storage, NOW);
      const forged = { ...succeeded(must(claimed), NOW), token: must(claimed).token + 1_000_000 };
      const swapped = { ...succeeded(must(claimed), NOW), token: must(other).token };
      expect(await storage.deliveries.complete([forged, swapped], NOW)).toBe(0);
      expect(await readDelivery(storage, must(delivery))).toEqual(delivery);
      expect(await readDelivery(storage, must(neighbour))).toEqual(neighbour);
      expect((await readEndpoint(storage, endpoint)).health).toEqual(endpoint.health);
      // Both slots are still held.
      await enqueueOne(storage, endpoint);
      expect(await claim(storage, NOW)).toEqual([]);
    });

    it('counts once, however often it is reported', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const { id } = await enqueueOne(storage, endpoint);
      const completion = failed(only(await claim(storage, NOW)), NOW);
      const twice = storage.deliveries.complete([completion, completion], NOW);
      const thrice = storage.deliveries.complete([completion], NOW);
      expect((await twice) + (await thrice)).toBe(1);
      expect(await storage.deliveries.complete([completion], NOW)).toBe(0);
      expect(must(await storage.deliveries.findDetail(workspace.id, id, 0)).attempts).toHaveLength(1);
      expect(await claim(storage, NOW + 60_000)).toHaveLength(1);
    });

    it('is written although others of the call were lost', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const deliveries = await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW);
      const claimed = await claim(storage, NOW, { slots: 4 });
      const completions = claimed.map((one, index) => {
        const completion = succeeded(one, NOW);
        return index % 2 === 0 ? completion : { ...completion, token: -1 };
      });
      const [first, ...rest] = completions;
      const written = await Promise.all([
        storage.deliveries.complete([must(first)], NOW),
        storage.deliveries.complete(rest, NOW),
        storage.deliveries.complete([], NOW),
      ]);
      expect(written).toEqual([1, 1, 0]);
      const statuses = await Promise.all(
        deliveries.map(async (one) => (await readDelivery(storage, one)).status),
      );
      expect(statuses).toEqual(['success', 'pending', 'success', 'pending']);
    });

    it('leaves one that stays open due at its time, or immediately', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [later, atOnce, never] = await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const claimed = await claim(storage, NOW, { slots: 3 });
      const outcomes = [
        failed(must(claimed[0]), NOW, { nextRetryAt: NOW + 300_000 }),
        failed(must(claimed[1]), NOW, { status: 'pending', nextRetryAt: null }),
        failed(must(claimed[2]), NOW, { status: 'failed', nextRetryAt: null }),
      ];
      await storage.deliveries.complete(outcomes, NOW + 7);
      expect(await claim(storage, NOW + 6, { slots: 3 })).toEqual([]);
      expect(idsOf(await claim(storage, NOW + 7, { slots: 3, leaseMs: 10_000_000 }))).toEqual([
        must(atOnce).id,
      ]);
      expect(await claim(storage, NOW + 299_999, { slots: 3 })).toEqual([]);
      expect(idsOf(await claim(storage, NOW + 300_000, { slots: 3 }))).toEqual([must(later).id]);
      expect(await readDelivery(storage, must(never))).toMatchObject({ status: 'failed' });
    });

    it('frees its slot for the next', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [claimed] = await claim(storage, NOW);
      await storage.deliveries.complete([exhausted(must(claimed), NOW)], NOW);
      expect(await claim(storage, NOW)).toHaveLength(1);
    });
  });

  describe('completions with the next claim', () => {
    itAlways('are written, and the slots that they release are claimed', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [first, second, third, fourth] = await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW);
      const [one, other] = await claim(storage, NOW);
      const outcome = succeeded(must(one), NOW + 1);
      const { completed, claimed, nextAt } = await storage.deliveries.completeAndClaim(
        [outcome],
        claimAt(NOW + 1),
      );
      expect(completed).toEqual(['written']);
      expect(idsOf(claimed)).toEqual([must(third).id]);
      // The end of the first claim.
      expect(nextAt).toBe(NOW + 30_000);
      expect(await storage.deliveries.findDetail(workspace.id, must(first).id, 0)).toMatchObject({
        delivery: outcome.delivery,
        attempts: [outcome.attempt],
      });
      expect(await readDelivery(storage, must(second))).toEqual(second);
      expect((await readEndpoint(storage, endpoint)).health).toMatchObject({
        lastDelivery: { id: must(first).id, status: 'success' },
      });
      const rest = [failed(must(other), NOW + 2), succeeded(only(claimed), NOW + 2)];
      const last = await storage.deliveries.completeAndClaim(rest, claimAt(NOW + 2));
      expect(last.completed).toEqual(['written', 'written']);
      expect(idsOf(last.claimed)).toEqual([must(fourth).id]);
      expect(await readDelivery(storage, must(second))).toMatchObject({ status: 'retrying', attempts: 1 });
    });

    itAlways('are written if nothing is due, and say when something is', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueOne(storage, endpoint);
      const outcome = failed(only(await claim(storage, NOW)), NOW + 5, { nextRetryAt: NOW + 60_000 });
      const result = await storage.deliveries.completeAndClaim([outcome], claimAt(NOW + 5));
      expect(result).toEqual({ completed: ['written'], claimed: [], nextAt: NOW + 60_000 });
      const again = only(await claim(storage, NOW + 60_000));
      expect(again).toMatchObject({ delivery: outcome.delivery, lostClaims: 0 });
      const done = succeeded(again, NOW + 60_000);
      expect(await storage.deliveries.completeAndClaim([done], claimAt(NOW + 60_000))).toEqual({
        completed: ['written'],
        claimed: [],
        nextAt: null,
      });
    });

    itAlways('that come twice, or without a valid claim, change nothing, and the claim is made', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [, neighbour, third] = await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [one, other] = await claim(storage, NOW);
      const outcome = succeeded(must(one), NOW);
      const swapped = { ...succeeded(must(other), NOW), token: must(one).token };
      const { completed, claimed } = await storage.deliveries.completeAndClaim(
        [swapped, outcome, outcome],
        claimAt(NOW),
      );
      expect(completed).toEqual(['claim_lost', 'written', 'claim_lost']);
      expect(idsOf(claimed)).toEqual([must(third).id]);
      expect(await readDelivery(storage, must(neighbour))).toEqual(neighbour);
    });

    itAlways('leave a delivery that is due immediately to the same claim', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueOne(storage, endpoint);
      const held = only(await claim(storage, NOW));
      const outcome = failed(held, NOW, { status: 'pending', nextRetryAt: null });
      const { claimed } = await storage.deliveries.completeAndClaim([outcome], claimAt(NOW));
      expect(claimed).toMatchObject([{ delivery: outcome.delivery, lostClaims: 0 }]);
      expect(only(claimed).token).not.toBe(held.token);
      expect(await storage.deliveries.complete([outcome], NOW)).toBe(0);
    });

    itAlways('count for the throttle, the limit and new limits of the claim', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW, NOW);
      const [one, other] = await claim(storage, NOW, { startsPerWindow: 3 });
      await enqueueAt(storage, neighbour, NOW, NOW);
      const outcomes = [succeeded(must(one), NOW), succeeded(must(other), NOW)];
      const limited = claimAt(NOW, { startsPerWindow: 3, limit: 2 });
      const first = await storage.deliveries.completeAndClaim(outcomes, limited);
      expect(first.claimed).toHaveLength(2);
      expect(first.nextAt).toBe(NOW);
      const third = await claim(storage, NOW, { startsPerWindow: 3 });
      expect(third).toHaveLength(1);
      const rest = [...first.claimed, ...third].map((one) => succeeded(one, NOW));
      // All three starts of the window are used up.
      const throttled = await storage.deliveries.completeAndClaim(rest, claimAt(NOW, { startsPerWindow: 3 }));
      expect(throttled).toMatchObject({ claimed: [], nextAt: NOW + 60_000 });
      expect(new Set(throttled.completed)).toEqual(new Set(['written']));
      expect(await storage.deliveries.completeAndClaim([], claimAt(NOW))).toMatchObject({
        completed: [],
        claimed: [{ delivery: { endpointId: endpoint.id } }, { delivery: { endpointId: endpoint.id } }],
      });
    });

    itAlways('free their slots before a first claim takes back those of a clock that was ahead', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [one] = await claim(storage, NOW + 3_600_000, { limit: 1 });
      const outcome = succeeded(must(one), NOW);
      const first = claimAt(NOW, { mayBeSetBack: true });
      const { completed, claimed } = await storage.deliveries.completeAndClaim([outcome], first);
      expect(completed).toEqual(['written']);
      expect(claimed).toHaveLength(2);
    });

    itAlways('of a deleted endpoint are written as cancelled, with their attempts', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const outcome = succeeded(only(await claim(storage, NOW)), NOW);
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      // The claim has expired, but is valid until it is released.
      const { completed } = await storage.deliveries.completeAndClaim([outcome], claimAt(NOW + 60_000));
      expect(completed).toEqual(['written']);
      expect(await storage.deliveries.findDetail(workspace.id, delivery.id, 0)).toMatchObject({
        delivery: { status: 'failed', errorCode: 'ENDPOINT_DELETED', attempts: 1 },
        attempts: [outcome.attempt],
      });
    });

    itAlways('that come together are each written once, and claim each delivery once', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const slots = 20;
      const queued = await enqueueAt(storage, endpoint, ...Array.from({ length: 2 * slots }, () => NOW));
      const held = await claim(storage, NOW, { slots });
      const results = await Promise.all(
        held.map(async (one) => {
          const outcome = succeeded(one, NOW);
          const result = await storage.deliveries.completeAndClaim([outcome], claimAt(NOW, { slots }));
          const isBusy = only(result.completed) === 'busy';
          const written = isBusy ? await storage.deliveries.complete([outcome], NOW) : 1;
          return { ...result, written };
        }),
      );
      expect(results.map(({ written }) => written)).toEqual(held.map(() => 1));
      const more = [...results.flatMap(({ claimed }) => claimed), ...(await claim(storage, NOW, { slots }))];
      expect(idsOf(more).toSorted()).toEqual(queued.slice(slots).map(({ id }) => id));
    });
  });

  describe('the health of an endpoint', () => {
    it('notes a success', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await finish(storage, delivery, succeeded, NOW + 3);
      expect((await readEndpoint(storage, endpoint)).health).toEqual({
        lastDelivery: { id: delivery.id, status: 'success', responseStatus: 200, at: NOW + 3 },
        lastSuccessAt: NOW + 3,
        failingSince: null,
        exhausted: false,
        warnedAt: null,
      });
    });

    it('notes since when it fails, and whether a delivery was exhausted', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [first, second, third] = await enqueueAt(storage, endpoint, NOW, NOW + 10, NOW + 20);
      await finish(storage, must(first), failed, NOW);
      expect((await readEndpoint(storage, endpoint)).health).toEqual({
        lastDelivery: { id: must(first).id, status: 'retrying', responseStatus: 500, at: NOW },
        lastSuccessAt: null,
        failingSince: NOW,
        exhausted: false,
        warnedAt: null,
      });
      await finish(storage, must(second), exhausted, NOW + 10);
      expect((await readEndpoint(storage, endpoint)).health).toMatchObject({
        failingSince: NOW,
        exhausted: true,
      });
      await finish(storage, must(third), failed, NOW + 20);
      expect((await readEndpoint(storage, endpoint)).health).toEqual({
        lastDelivery: { id: must(third).id, status: 'retrying', responseStatus: 500, at: NOW + 20 },
        lastSuccessAt: null,
        failingSince: NOW,
        exhausted: true,
        warnedAt: null,
      });
    });

    it('is forgiven by one success', async () => {
      const storage = await open();
      const { workspace } = await storeLane(storage);
      const endpoint = await storeEndpoint(storage, workspace, {
        health: {
          lastDelivery: null,
          lastSuccessAt: 1,
          failingSince: NOW - 9,
          exhausted: true,
          warnedAt: NOW - 1,
        },
      });
      const [one, two] = await enqueueAt(storage, endpoint, NOW, NOW);
      await finish(storage, must(one), failed);
      expect((await readEndpoint(storage, endpoint)).health).toMatchObject({
        lastSuccessAt: 1,
        failingSince: NOW - 9,
        exhausted: true,
        warnedAt: NOW - 1,
      });
      await finish(storage, must(two), succeeded);
      expect((await readEndpoint(storage, endpoint)).health).toMatchObject({
        lastSuccessAt: NOW,
        failingSince: null,
        exhausted: false,
        warnedAt: null,
      });
    });

    it('follows each of several that come together', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [a, b, c] = await claim(storage, NOW, { slots: 3 });
      const completions = [
        exhausted(must(a), NOW + 1),
        succeeded(must(b), NOW + 2),
        failed(must(c), NOW + 3),
      ];
      await storage.deliveries.complete(completions, NOW + 3);
      expect((await readEndpoint(storage, endpoint)).health).toEqual({
        lastDelivery: { id: must(c).delivery.id, status: 'retrying', responseStatus: 500, at: NOW + 3 },
        lastSuccessAt: NOW + 2,
        failingSince: NOW + 3,
        exhausted: false,
        warnedAt: null,
      });
    });

    it('has no endpoint to update if that was deleted', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const claimed = only(await claim(storage, NOW));
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      const completion = succeeded(claimed, NOW);
      expect(await storage.deliveries.complete([completion], NOW)).toBe(1);
      expect(await storage.endpoints.find(workspace.id, endpoint.id)).toBeNull();
      expect(await storage.deliveries.findDetail(workspace.id, delivery.id, 0)).toMatchObject({
        delivery: { status: 'failed', errorCode: 'ENDPOINT_DELETED', attempts: 1, responseStatus: 200 },
        attempts: [completion.attempt],
        endpointUrl: endpoint.url,
      });
    });
  });
}
