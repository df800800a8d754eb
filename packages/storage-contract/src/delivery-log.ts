import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { idsOfOrder, orderOfId } from '@trunkline/core/spi/storage';
import type { Delivery, DeliveryFilter, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anEvent, DAY, NOW, testId } from './examples.ts';
import { expectedPage, pageRequests, walk } from './paging.ts';
import {
  claim,
  deleteHistory,
  disable,
  enable,
  enqueueAt,
  enqueueOne,
  exhausted,
  failed,
  happen,
  readDelivery,
  storeEndpoint,
  storeLane,
  storeWorkspace,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function deliveryLogContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('the log of deliveries', () => {
    it('belongs to one workspace and one endpoint', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeWorkspace(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      const delivery = await enqueueOne(storage, endpoint);
      await enqueueOne(storage, neighbour);
      const list = (workspaceId: string, endpointId: string) =>
        storage.deliveries.list(workspaceId, endpointId, {}, { from: null, limit: 10 }, 0);
      expect((await list(workspace.id, endpoint.id)).rows).toEqual([delivery]);
      expect((await list(other.id, endpoint.id)).rows).toEqual([]);
      expect((await list(workspace.id, 'wh_unknown')).rows).toEqual([]);
      expect(await storage.deliveries.findDetail(other.id, delivery.id, 0)).toBeNull();
      expect(await storage.deliveries.findDetail(workspace.id, testId('whd', NOW), 0)).toBeNull();
    });

    it('shows those of one event, at every endpoint, whatever their outcome', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const neighbour = await storeEndpoint(storage, workspace);
      const other = await storeLane(storage);
      const event = anEvent(workspace, NOW);
      await enqueueAt(storage, endpoint, NOW, NOW + 1);
      await enqueueAt(storage, other.endpoint, NOW);
      await happen(storage, workspace, event);
      const list = (workspaceId: string, since = 0) =>
        storage.deliveries.listOfEvent(workspaceId, event, since);

      const queued = await list(workspace.id);
      expect(queued.map(({ endpointId, eventId, status }) => [endpointId, eventId, status])).toEqual(
        [endpoint.id, neighbour.id].toSorted().map((id) => [id, event.id, 'pending']),
      );
      const at = NOW + 10;
      const claimed = (await claim(storage, at)).filter(({ delivery }) => delivery.eventId === event.id);
      await storage.deliveries.complete(
        claimed.map((one, index) => (index === 0 ? succeeded(one, at) : failed(one, at))),
        at,
      );
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      const done = await list(workspace.id);
      expect(done.map(({ attempts }) => attempts)).toEqual([1, 1]);
      expect(done).toEqual(await Promise.all(done.map((delivery) => readDelivery(storage, delivery))));
      expect(await list(other.workspace.id)).toEqual([]);
      expect(await list(workspace.id, NOW + 1000)).toEqual([]);
      expect(await storage.deliveries.listOfEvent(workspace.id, { ...event, id: 'evt_no' }, 0)).toEqual([]);
    });

    it('groups them by event, however close to it other events happen', async () => {
      const storage = await open();
      const { workspace } = await storeLane(storage);
      await storeEndpoint(storage, workspace);
      // The first three events have ids of the same millisecond. The second id is ahead of its event, as after the
      // clock was set back.
      const events = [
        anEvent(workspace, NOW),
        anEvent(workspace, NOW - 60_000, { id: testId('evt', NOW) }),
        anEvent(workspace, NOW),
        anEvent(workspace, NOW + 1),
      ];
      for (const event of events.toReversed()) await happen(storage, workspace, event);
      const lists = await Promise.all(
        events.map((event) => storage.deliveries.listOfEvent(workspace.id, event, 0)),
      );
      for (const [index, list] of lists.entries()) {
        const { first, last } = idsOfOrder('whd', orderOfId('evt', must(events[index]).id));
        expect(list).toHaveLength(2);
        expect(list.every(({ id }) => first <= id && id <= last)).toBe(true);
      }
      const ids = lists.flat().map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted());
    });

    it('outlives its endpoint', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      const page = await storage.deliveries.list(workspace.id, endpoint.id, {}, { from: null, limit: 10 }, 0);
      expect(page.rows).toEqual([await readDelivery(storage, delivery)]);
      const detail = await storage.deliveries.findDetail(workspace.id, delivery.id, 0);
      expect(detail).toMatchObject({
        payload: expect.stringContaining('Grüße'),
        endpointUrl: endpoint.url,
      });
    });

    itAlways('shows the last URL of a deleted endpoint until its last delivery is deleted', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [first, last] = await enqueueAt(storage, endpoint, NOW - 2 * DAY, NOW);
      const url = 'https://example.com/Grüße';
      await storage.endpoints.write({ endpoint: { ...endpoint, url } });
      // The clock of this call is two days behind, so the last delivery is younger than the deletion.
      expect(await storage.endpoints.delete(workspace.id, endpoint.id, NOW - 2 * DAY)).toBe(true);
      const urlOf = async (delivery: Delivery | undefined) =>
        (await storage.deliveries.findDetail(workspace.id, must(delivery).id, 0))?.endpointUrl;
      expect([await urlOf(first), await urlOf(last)]).toEqual([url, url]);
      await deleteHistory(storage, NOW - DAY);
      expect([await urlOf(first), await urlOf(last)]).toEqual([undefined, url]);
      expect(await storage.deliveries.sweepClosed(10)).toBe(1);
      await deleteHistory(storage, NOW - DAY);
      expect(await urlOf(last)).toBe(url);
      await deleteHistory(storage, NOW + 2 * DAY);
      expect(await urlOf(last)).toBeUndefined();
    });

    it('shows the present URL of the endpoint', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await storage.endpoints.write({ endpoint: { ...endpoint, url: 'https://example.com/moved' } });
      const detail = await storage.deliveries.findDetail(workspace.id, delivery.id, 0);
      expect(detail).toEqual({
        delivery,
        attempts: [],
        payload: expect.stringContaining('Grüße'),
        endpointUrl: 'https://example.com/moved',
        lane: { dueAt: NOW, claims: 0, starts: [] },
      });
    });

    it('shows the position of an open delivery in its lane', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [first, second, third] = await enqueueAt(storage, endpoint, NOW - 2, NOW - 1, NOW);
      const laneOf = async (delivery: Delivery | undefined) =>
        must(await storage.deliveries.findDetail(workspace.id, must(delivery).id, 0)).lane;
      const [one, two] = await claim(storage, NOW);
      expect(await laneOf(first)).toEqual({ dueAt: null, claims: 2, starts: [NOW, NOW] });
      expect(await laneOf(third)).toEqual({ dueAt: NOW, claims: 2, starts: [NOW, NOW] });
      const nextRetryAt = NOW + 60_000;
      await storage.deliveries.complete(
        [succeeded(must(one), NOW), failed(must(two), NOW, { nextRetryAt })],
        NOW,
      );
      expect(await laneOf(first)).toBeNull();
      expect(await laneOf(second)).toEqual({ dueAt: nextRetryAt, claims: 0, starts: [NOW, NOW] });
      await claim(storage, NOW + 10, { windowMs: 10 });
      expect(await laneOf(second)).toEqual({ dueAt: nextRetryAt, claims: 1, starts: [NOW + 10] });
      await disable(storage, must(await storage.endpoints.find(workspace.id, endpoint.id)));
      expect(await laneOf(second)).toBeNull();
    });

    it('ends exactly at the floor, deleted or not', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [tooOld, justIn] = await enqueueAt(storage, endpoint, NOW - 1, NOW);
      const { deliveries } = storage;
      expect(await deliveries.findDetail(workspace.id, must(tooOld).id, NOW)).toBeNull();
      const found = await deliveries.findDetail(workspace.id, must(justIn).id, NOW);
      expect(must(found).delivery).toEqual(justIn);
      const page = await deliveries.list(workspace.id, endpoint.id, {}, { from: null, limit: 10 }, NOW);
      expect(page).toEqual({ rows: [justIn], hasOlder: false, hasNewer: false });
      const whole = await deliveries.list(workspace.id, endpoint.id, {}, { from: null, limit: 10 }, NOW - 1);
      expect(whole.rows).toEqual([justIn, tooOld]);
    });

    it('is right for every filter, page and direction', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        histories,
        filter,
        fc.constantFrom(0, NOW + 3, NOW + 9),
        fc.array(pageRequests, { minLength: 1, maxLength: 5 }),
        async (history, chosen, since, requests) => {
          const { workspaceId, endpointId, deliveries } = await storeHistory(storage, history);
          const rows = deliveries.filter(
            (delivery) => delivery.createdAt >= since && matches(delivery, chosen),
          );
          for (const request of requests) {
            const page = request(deliveries.map(({ id }) => id));
            const actual = await storage.deliveries.list(workspaceId, endpointId, chosen, page, since);
            expect(actual).toEqual(expectedPage(rows, page));
          }
        },
      );
      await fc.assert(property, { numRuns: 25 });
    });

    it('shows each delivery once to who pages through while others arrive', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        histories,
        filter,
        fc.integer({ min: 1, max: 6 }),
        async (history, chosen, limit) => {
          const { workspaceId, endpointId, deliveries } = await storeHistory(storage, history);
          const seen = await walk(
            'older',
            limit,
            (page) => storage.deliveries.list(workspaceId, endpointId, chosen, page, 0),
            {
              between: async () => {
                await storage.deliveries.enqueue(endpointId, anEvent({ id: workspaceId }, NOW + 50_000));
              },
            },
          );
          const rows = deliveries.filter((delivery) => matches(delivery, chosen));
          expect(seen).toEqual(expectedPage(rows, { from: null, limit: 100 }).rows);
        },
      );
      await fc.assert(property, { numRuns: 15 });
    });
  });
}

const OUTCOMES = ['pending', 'retrying', 'success', 'exhausted', 'failed', 'closed'] as const;
const histories = fc.array(
  fc.record({
    outcome: fc.constantFrom(...OUTCOMES),
    type: fc.constantFrom('message.received' as const, 'webhook.test' as const),
  }),
  { maxLength: 20 },
);

const filter: fc.Arbitrary<DeliveryFilter> = fc.record(
  {
    status: fc.constantFrom('pending', 'retrying', 'success', 'exhausted', 'failed'),
    eventType: fc.constantFrom('message.received', 'webhook.test', 'of no type'),
  },
  { requiredKeys: [] },
);

function matches(delivery: Delivery, { status, eventType }: DeliveryFilter): boolean {
  return (
    (status ?? delivery.status) === delivery.status &&
    (eventType ?? delivery.eventType) === delivery.eventType
  );
}

type Outcome = (typeof OUTCOMES)[number];
interface Past {
  readonly outcome: Outcome;
  readonly type: 'message.received' | 'webhook.test';
}

/** Stores an endpoint with these deliveries. The `closed` ones are cancelled because the endpoint is disabled. */
async function storeHistory(storage: Storage, history: readonly Past[]) {
  const { workspace, endpoint } = await storeLane(storage);
  const enqueue = async ({ type }: Past, index: number): Promise<Delivery> =>
    must(await storage.deliveries.enqueue(endpoint.id, anEvent(workspace, NOW + index, { type })));

  const stored: { readonly delivery: Delivery; readonly outcome: Outcome }[] = [];
  const entries = history.map((past, index) => ({ past, index }));
  for (const { past, index } of entries.filter(({ past: { outcome } }) => outcome === 'closed')) {
    stored.push({ delivery: await enqueue(past, index), outcome: past.outcome });
  }
  await disable(storage, endpoint);
  await enable(storage, endpoint);
  for (const { past, index } of entries.filter(({ past: { outcome } }) => outcome !== 'closed')) {
    stored.push({ delivery: await enqueue(past, index), outcome: past.outcome });
  }
  await makeAttempts(storage, new Map(stored.map(({ delivery, outcome }) => [delivery.id, outcome])));
  const deliveries = await Promise.all(stored.map(({ delivery }) => readDelivery(storage, delivery)));
  expect(deliveries.map(({ status }) => status)).toEqual(
    stored.map(({ outcome }) => (outcome === 'closed' ? 'failed' : outcome)),
  );
  return { workspaceId: workspace.id, endpointId: endpoint.id, deliveries };
}

async function makeAttempts(storage: Storage, outcomes: ReadonlyMap<string, Outcome>): Promise<void> {
  const claimed = await claim(storage, NOW + 1000, { slots: 100, startsPerWindow: 1000, leaseMs: 1 });
  const completions = claimed.flatMap((one) => {
    switch (outcomes.get(one.delivery.id)) {
      case 'retrying':
        return [failed(one, NOW + 1000, { nextRetryAt: NOW * 2 })];
      case 'success':
        return [succeeded(one, NOW + 1000)];
      case 'exhausted':
        return [exhausted(one, NOW + 1000)];
      case 'failed':
        return [failed(one, NOW + 1000, { status: 'failed', nextRetryAt: null })];
      case 'pending':
      case 'closed':
      case undefined:
        return [];
    }
  });
  expect(await storage.deliveries.complete(completions, NOW + 1000)).toBe(completions.length);
}
