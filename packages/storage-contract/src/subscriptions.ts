import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anEvent, aSubscription, DAY, MIDNIGHT, NOW } from './examples.ts';
import {
  claim,
  claimEvents,
  deleteHistory,
  disable,
  enqueueOne,
  eventClaimAt,
  eventIdsOf,
  failing,
  happen,
  QUEUE_FAILURE,
  completed,
  storeLane,
  storeLeasedInstance,
  storeQueuedEvents,
  storeQueuedMessages,
  storedEvent,
  storeSubscription,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function subscriptionContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('registering a subscription', () => {
    it('stores a new subscription', async () => {
      const storage = await open();
      const subscription = aSubscription();
      expect(await storage.subscriptions.register(subscription)).toEqual(subscription);
      expect(await storage.subscriptions.list(10)).toEqual([{ subscription, waiting: 0, exhausted: 0 }]);
    });

    it('changes only the event types of an existing one', async () => {
      const storage = await open();
      const first = await storeSubscription(storage);
      const again = aSubscription({ eventTypes: ['instance.error'], createdAt: NOW + 5 });
      const stored = { ...first, eventTypes: again.eventTypes };
      expect(await storage.subscriptions.register(again)).toEqual(stored);
      const workspace = await storeWorkspace(storage);
      await happen(storage, workspace, anEvent(workspace));
      const wanted = anEvent(workspace, NOW, { type: 'instance.error' });
      await happen(storage, workspace, wanted);
      expect(eventIdsOf(await claimEvents(storage, stored, NOW))).toEqual([wanted.id]);
    });

    it('is one for all who do so concurrently', async () => {
      const storage = await open();
      const stored = await Promise.all(Array.from({ length: 5 }, () => storeSubscription(storage)));
      expect(new Set(stored.map(({ id }) => id)).size).toBe(1);
      expect(await storage.subscriptions.list(10)).toHaveLength(1);
    });

    it('lists them by name', async () => {
      const storage = await open();
      for (const name of ['b', 'a.1', 'B', 'a-1', '_']) await storeSubscription(storage, { name });
      const names = (await storage.subscriptions.list(10)).map(({ subscription }) => subscription.name);
      expect(names).toEqual(['B', '_', 'a-1', 'a.1', 'b']);
    });
  });

  describe('an event that a subscription wants', () => {
    it('is queued for each, of whichever workspace, as it is', async () => {
      const storage = await open();
      const orders = await storeSubscription(storage);
      const audit = await storeSubscription(storage, { name: 'audit', eventTypes: ['message.received'] });
      const other = await storeSubscription(storage, { name: 'other', eventTypes: ['message.read'] });
      const payload = '{"text":"Grüße 👋\\u0000"}';
      for (const workspace of [await storeWorkspace(storage), await storeWorkspace(storage)]) {
        const event = anEvent(workspace, NOW, { payload });
        await happen(storage, workspace, event);
        for (const subscription of [orders, audit]) {
          const claimed = only(await claimEvents(storage, subscription, NOW));
          expect(claimed).toEqual({
            subscriptionId: subscription.id,
            event: storedEvent(event),
            traceparent: null,
            token: claimed.token,
            attempts: 0,
            lostClaims: 0,
          });
        }
      }
      const nothing = { claimed: [], nextAt: null };
      expect(await storage.subscriptions.claim(eventClaimAt(other, NOW))).toEqual(nothing);
    });

    it('is queued by every call that stores it', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 2);
      const subscription = await storeSubscription(storage, {
        eventTypes: ['message.failed', 'instance.connected'],
      });
      const changed = failing(message);
      await storage.messages.change(lease, changed);
      const event = anEvent({ id: instance.workspaceId }, NOW, { type: 'instance.connected' });
      await storage.instances.write({ instance, event, lease });
      const [, , ...none] = await claimEvents(storage, subscription, NOW);
      expect(none).toEqual([]);
      await storage.instances.delete({
        instance: { ...instance, version: 2 },
        lease,
        failQueued: QUEUE_FAILURE,
      });
      expect(await claimEvents(storage, subscription, NOW)).toHaveLength(1);
      expect(await storage.subscriptions.list(10)).toMatchObject([{ waiting: 3 }]);
    });

    it('is not queued where the change did not take place', async () => {
      const storage = await open();
      await storeSubscription(storage);
      const { instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 1);
      await storage.messages.change(lease, { ...failing(message), expectedStatus: 'sent' });
      const event = anEvent({ id: instance.workspaceId });
      await storage.instances.write({ instance: { ...instance, version: 7 }, event, lease });
      expect(await storage.subscriptions.list(10)).toMatchObject([{ waiting: 0 }]);
    });

    it('goes to endpoints as well', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const subscription = await storeSubscription(storage);
      const event = anEvent(workspace);
      await happen(storage, workspace, event);
      expect(only(await claim(storage, NOW)).delivery).toMatchObject({
        eventId: event.id,
        endpointId: endpoint.id,
      });
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW))).toEqual([event.id]);
    });

    it('is not queued when it is for one endpoint', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await storeSubscription(storage);
      await enqueueOne(storage, endpoint);
      await disable(storage, endpoint);
      expect(await storage.subscriptions.list(10)).toMatchObject([{ waiting: 0 }]);
    });
  });

  describe('a list of subscriptions', () => {
    it('counts waiting and exhausted events, up to a bound', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW, NOW, NOW, NOW);
      const [, , ...exhausted] = await claimEvents(storage, subscription, NOW);
      const spent = exhausted.map((one) =>
        completed(one, { kind: 'exhausted', attempts: 8, failedAt: NOW - 1 }),
      );
      expect(await storage.subscriptions.complete(spent)).toBe(3);
      expect(await storage.subscriptions.list(10)).toEqual([{ subscription, waiting: 2, exhausted: 3 }]);
      expect(await storage.subscriptions.list(1)).toEqual([{ subscription, waiting: 1, exhausted: 1 }]);
    });
  });

  describe('deleting a subscription', () => {
    it('ends it: nothing more is queued, claimed or completed', async () => {
      const storage = await open();
      const { workspace, subscription } = await storeQueuedEvents(storage, NOW, NOW);
      const [claimed] = await claimEvents(storage, subscription, NOW, { limit: 1 });
      expect(await storage.subscriptions.delete('orders')).toBe(true);
      expect(await storage.subscriptions.delete('orders')).toBe(false);
      await happen(storage, workspace, anEvent(workspace));
      expect(await storage.subscriptions.list(10)).toEqual([]);
      expect(await storage.subscriptions.claim(eventClaimAt(subscription, NOW))).toBeNull();
      expect(await storage.subscriptions.complete([completed(must(claimed))])).toBe(0);
      expect(await storage.subscriptions.retryFailedEvents('orders', BATCH)).toBeNull();
    });

    it('leaves its events to be swept, in batches', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW, NOW);
      const [spent] = await claimEvents(storage, subscription, NOW, { limit: 1 });
      await storage.subscriptions.complete([
        completed(must(spent), { kind: 'exhausted', attempts: 8, failedAt: NOW - 1 }),
      ]);
      expect(await storage.retention.deleteHistory(MIDNIGHT - DAY, 2)).toBe(0);
      await storage.subscriptions.delete('orders');
      const batches = [];
      for (let pass = 0; pass < 3; pass += 1)
        batches.push(await storage.retention.deleteHistory(MIDNIGHT - DAY, 2));
      expect(batches).toEqual([2, 1, 0]);
    });

    it('leaves no old events to a new one with the same name', async () => {
      const storage = await open();
      const { workspace, subscription } = await storeQueuedEvents(storage, NOW);
      await storage.subscriptions.delete('orders');
      const renewed = await storeSubscription(storage);
      expect(renewed.id).not.toBe(subscription.id);
      const event = anEvent(workspace);
      await happen(storage, workspace, event);
      expect(await storage.retention.deleteHistory(MIDNIGHT - DAY, 10)).toBe(1);
      expect(eventIdsOf(await claimEvents(storage, renewed, NOW))).toEqual([event.id]);
    });
  });

  describe('retrying exhausted events', () => {
    it('queues it again, the oldest first, with its attempts', async () => {
      const storage = await open();
      const { subscription, events } = await storeQueuedEvents(storage, NOW, NOW + 1, NOW + 2, NOW + 3);
      const claimed = await claimEvents(storage, subscription, NOW + 3);
      const spent = claimed
        .slice(0, 3)
        .map((one) => completed(one, { kind: 'exhausted', attempts: 8, failedAt: NOW - 1 }));
      await storage.subscriptions.complete(spent);
      const retry = { ...BATCH, limit: 2, now: NOW + 9 };
      expect(await storage.subscriptions.retryFailedEvents('orders', retry)).toEqual({
        requeued: 2,
        remaining: 1,
      });
      expect(await claimEvents(storage, subscription, NOW + 8)).toEqual([]);
      const again = await claimEvents(storage, subscription, NOW + 9);
      expect(eventIdsOf(again)).toEqual(events.slice(0, 2).map(({ id }) => id));
      expect(again).toMatchObject([
        { attempts: 8, lostClaims: 0 },
        { attempts: 8, lostClaims: 0 },
      ]);
    });

    it('takes those first that failed longest ago', async () => {
      const storage = await open();
      const { subscription, events } = await storeQueuedEvents(storage, NOW, NOW, NOW);
      const claimed = await claimEvents(storage, subscription, NOW);
      const failedAt = [NOW + 7, NOW + 5, NOW + 6];
      await storage.subscriptions.complete(
        claimed.map((one, at) =>
          completed(one, { kind: 'exhausted', attempts: 8, failedAt: must(failedAt[at]) }),
        ),
      );
      const again: string[] = [];
      for (const now of [NOW + 10, NOW + 11, NOW + 12]) {
        await storage.subscriptions.retryFailedEvents('orders', { limit: 1, countUpTo: 10, now });
        again.push(...eventIdsOf(await claimEvents(storage, subscription, now)));
      }
      expect(again).toEqual([1, 2, 0].map((at) => must(events[at]).id));
    });

    it('gives each event one attempt and then ends, however often they fail', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW, NOW, NOW, NOW);
      let now = NOW;
      const attempts = new Map<string, number>();
      const failAll = async (): Promise<void> => {
        const claimed = await claimEvents(storage, subscription, now);
        await storage.subscriptions.complete(
          claimed.map((one) => {
            attempts.set(one.event.id, one.attempts + 1);
            return completed(one, { kind: 'exhausted', attempts: one.attempts + 1, failedAt: now });
          }),
        );
        now += 60_000;
      };
      const callAndFail = async () => {
        const batch = { limit: 2, countUpTo: 10, now };
        const result = await storage.subscriptions.retryFailedEvents('orders', batch);
        await failAll();
        return result;
      };
      await failAll();
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 3 });
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 1 });
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 0 });
      // The last call had room for a second retry of one event.
      expect([...attempts.values()].toSorted((x, y) => x - y)).toEqual([2, 2, 2, 2, 3]);
      // The next call begins another round, with all five events, as does a call after an hour without calls.
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 3 });
      now += 2 * 60 * 60_000;
      expect(await callAndFail()).toEqual({ requeued: 2, remaining: 3 });
    });

    it('takes no event twice if it is called twice concurrently', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW, NOW, NOW, NOW);
      const claimed = await claimEvents(storage, subscription, NOW);
      await storage.subscriptions.complete(
        claimed.map((one) => completed(one, { kind: 'exhausted', attempts: 8, failedAt: NOW })),
      );
      const retry = () =>
        storage.subscriptions.retryFailedEvents('orders', { limit: 2, countUpTo: 10, now: NOW + 5 });
      const results = await Promise.all([retry(), retry()]);
      expect(results.toSorted((x, y) => must(y).remaining - must(x).remaining)).toEqual([
        { requeued: 2, remaining: 3 },
        { requeued: 2, remaining: 1 },
      ]);
      expect(await claimEvents(storage, subscription, NOW + 5)).toHaveLength(4);
    });

    it('counts the rest up to a bound', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW, NOW, NOW);
      const claimed = await claimEvents(storage, subscription, NOW);
      await storage.subscriptions.complete(
        claimed.map((one) => completed(one, { kind: 'exhausted', attempts: 8, failedAt: NOW - 1 })),
      );
      const few = { limit: 1, countUpTo: 2, now: NOW };
      expect(await storage.subscriptions.retryFailedEvents('orders', few)).toEqual({
        requeued: 1,
        remaining: 2,
      });
      expect(await storage.subscriptions.retryFailedEvents('orders', BATCH)).toEqual({
        requeued: 3,
        remaining: 0,
      });
      expect(await storage.subscriptions.retryFailedEvents('orders', BATCH)).toEqual({
        requeued: 0,
        remaining: 0,
      });
      expect(await storage.subscriptions.retryFailedEvents('unknown', BATCH)).toBeNull();
    });
  });

  describe('deleting history', () => {
    it('takes events that were queued on the days before', async () => {
      const storage = await open();
      const times = [MIDNIGHT - 1, MIDNIGHT - 1, MIDNIGHT - 1, MIDNIGHT];
      const { subscription, events } = await storeQueuedEvents(storage, ...times);
      const [first] = await claimEvents(storage, subscription, NOW, { limit: 1 });
      await deleteHistory(storage, MIDNIGHT);
      expect(await storage.subscriptions.complete([completed(must(first))])).toBe(0);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 60_000))).toEqual([
        must(events[3]).id,
      ]);
    });

    it('takes exhausted events', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      const spent = only(await claimEvents(storage, subscription, NOW));
      await storage.subscriptions.complete([
        completed(spent, { kind: 'exhausted', attempts: 8, failedAt: NOW - 1 }),
      ]);
      await deleteHistory(storage, MIDNIGHT + DAY);
      expect(await storage.subscriptions.list(10)).toMatchObject([{ waiting: 0, exhausted: 0 }]);
    });
  });
}

const BATCH = { limit: 100, countUpTo: 1000, now: NOW };
