import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anEvent, NOW } from './examples.ts';
import {
  claimEvents,
  eventClaimAt,
  eventIdsOf,
  happen,
  completed,
  shortenWaits,
  storeQueuedEvents,
  storeSubscription,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function subscriptionClaimContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('claiming events', () => {
    it('takes those that are due, the ones due first at the head, up to the limit', async () => {
      const storage = await open();
      const { subscription, events } = await storeQueuedEvents(storage, NOW + 2, NOW, NOW + 1, NOW + 3, NOW);
      const ids = [1, 4, 2, 0].map((index) => must(events[index]).id);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 2, { limit: 3 }))).toEqual(
        ids.slice(0, 3),
      );
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 2))).toEqual(ids.slice(3));
      expect(await claimEvents(storage, subscription, NOW + 2)).toEqual([]);
      expect(await claimEvents(storage, subscription, NOW + 3, { limit: 0 })).toEqual([]);
    });

    it('takes events of these types only, in one order', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const eventTypes = ['message.received', 'message.sent', 'message.failed'] as const;
      const subscription = await storeSubscription(storage, { eventTypes });
      const events = [
        anEvent(workspace, NOW, { type: 'message.sent' }),
        anEvent(workspace, NOW + 1, { type: 'message.received' }),
        anEvent(workspace, NOW + 2, { type: 'message.failed' }),
        anEvent(workspace, NOW + 3, { type: 'message.sent' }),
      ];
      for (const event of events) await happen(storage, workspace, event);
      const ids = events.map(({ id }) => id);
      const some = { eventTypes: ['message.failed', 'message.sent'], limit: 2 } as const;
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 9, some))).toEqual([ids[0], ids[2]]);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 9))).toEqual([ids[1], ids[3]]);
      const none = await storage.subscriptions.claim(
        eventClaimAt(subscription, NOW + 9, { eventTypes: ['message.read'] }),
      );
      expect(none).toEqual({ claimed: [], nextAt: null });
    });

    it('leaves events of a type that is no longer wanted to claims that name it', async () => {
      const storage = await open();
      const { subscription, events } = await storeQueuedEvents(storage, NOW);
      await storeSubscription(storage, { eventTypes: ['message.read'] });
      expect(await claimEvents(storage, subscription, NOW, { eventTypes: ['message.read'] })).toEqual([]);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW))).toEqual([must(events[0]).id]);
    });

    it('takes each event of each subscription once, however many claim concurrently', async () => {
      const storage = await open();
      const other = await storeSubscription(storage, { name: 'other' });
      const { subscription, events } = await storeQueuedEvents(storage, ...Array<number>(12).fill(NOW));
      const claims = [subscription, other, subscription, other, subscription, other].map((one) =>
        claimEvents(storage, one, NOW, { limit: 5 }),
      );
      const claimed = (await Promise.all(claims)).flat();
      const keys = claimed.map(({ subscriptionId, event }) => `${subscriptionId} ${event.id}`);
      expect(keys).toHaveLength(events.length * 2);
      expect(new Set(keys).size).toBe(keys.length);
      expect(new Set(claimed.map(({ token }) => token)).size).toBe(keys.length);
    });

    it('shows when the next can be claimed', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW + 50, NOW);
      const nextAt = async (now: number, limit = 1) =>
        must(await storage.subscriptions.claim(eventClaimAt(subscription, now, { limit, leaseMs: 1000 })))
          .nextAt;
      expect(await nextAt(NOW - 10)).toBe(NOW);
      expect(await nextAt(NOW + 60, 0)).toBe(NOW + 60);
      expect(await nextAt(NOW)).toBe(NOW + 50);
      // Both events are claimed; the earlier claim ends first.
      expect(await nextAt(NOW + 50)).toBe(NOW + 1000);
    });
  });

  describe('a claim of an event', () => {
    it('ends with its lease if it is not completed, and counts as lost', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      const first = only(await claimEvents(storage, subscription, NOW, { leaseMs: 1000 }));
      expect(await claimEvents(storage, subscription, NOW + 999)).toEqual([]);
      const second = only(await claimEvents(storage, subscription, NOW + 1000, { leaseMs: 1000 }));
      expect(second).toEqual({ ...first, token: second.token, lostClaims: 1 });
      expect(second.token).not.toBe(first.token);
      const third = only(await claimEvents(storage, subscription, NOW + 2000));
      expect(third).toMatchObject({ attempts: 0, lostClaims: 2 });
      expect(await storage.subscriptions.complete([completed(first), completed(second)])).toBe(0);
      expect(await storage.subscriptions.complete([completed(third)])).toBe(1);
    });

    it('holds past its lease until it is taken again', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      const claimed = only(await claimEvents(storage, subscription, NOW, { leaseMs: 1000 }));
      expect(await storage.subscriptions.complete([completed(claimed)])).toBe(1);
      expect(await storage.subscriptions.list(10)).toMatchObject([{ waiting: 0 }]);
    });

    itAlways('holds for longer when it is renewed, by its token alone', async () => {
      const storage = await open();
      const { subscription, events } = await storeQueuedEvents(storage, NOW, NOW);
      const [kept, lost] = await claimEvents(storage, subscription, NOW, { leaseMs: 1000 });
      const forged = { ...completed(must(lost)), token: must(kept).token };
      await storage.subscriptions.renew([completed(must(kept)), forged], NOW + 5000);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 1000))).toEqual([must(events[1]).id]);
      expect(await claimEvents(storage, subscription, NOW + 4999)).toEqual([]);
      expect(only(await claimEvents(storage, subscription, NOW + 5000))).toMatchObject({ lostClaims: 1 });
      expect(await storage.subscriptions.complete([completed(must(kept))])).toBe(0);
    });

    it('is not renewed once it is completed', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      const claimed = only(await claimEvents(storage, subscription, NOW));
      const completion = completed(claimed, { kind: 'queued', attempts: 1, dueAt: NOW + 10 });
      await storage.subscriptions.complete([completion]);
      await storage.subscriptions.renew([completion], NOW + 5000);
      expect(await claimEvents(storage, subscription, NOW + 10)).toHaveLength(1);
    });
  });

  describe('events queued before a clock was set back', () => {
    const HOUR = 3_600_000;

    it('can be claimed now', async () => {
      const storage = await open();
      const ahead = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((ms) => NOW + HOUR + ms);
      const { subscription } = await storeQueuedEvents(storage, NOW, ...ahead);
      expect(await claimEvents(storage, subscription, NOW)).toHaveLength(1);
      await shortenWaits(storage, NOW);
      expect(await claimEvents(storage, subscription, NOW)).toHaveLength(ahead.length);
    });

    it('wait for a retry, and for a claim, no longer than from now', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW);
      const [tried, held] = await claimEvents(storage, subscription, NOW + HOUR);
      const dueAt = NOW + HOUR + 60_000;
      await storage.subscriptions.complete([completed(must(tried), { kind: 'queued', attempts: 1, dueAt })]);
      await shortenWaits(storage, NOW);
      expect(await claimEvents(storage, subscription, NOW + 29_999)).toEqual([]);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 30_000, { leaseMs: HOUR }))).toEqual([
        must(held).event.id,
      ]);
      expect(await claimEvents(storage, subscription, NOW + 59_999)).toEqual([]);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + 60_000))).toEqual([
        must(tried).event.id,
      ]);
    });

    it('wait for one handler only as long as for that one, whatever another waits for', async () => {
      const storage = await open();
      const subscription = await storeSubscription(storage);
      const other = await storeSubscription(storage, { name: 'other' });
      const workspace = await storeWorkspace(storage);
      await happen(storage, workspace, anEvent(workspace));
      const retryAt = async (of: typeof other, dueAt: number): Promise<void> => {
        const outcome = { kind: 'queued', attempts: 1, dueAt } as const;
        await storage.subscriptions.complete([completed(only(await claimEvents(storage, of, NOW)), outcome)]);
      };
      await retryAt(subscription, NOW + HOUR);
      await retryAt(other, NOW + 20_000);
      await shortenWaits(storage, NOW);
      expect(await claimEvents(storage, other, NOW + 19_999)).toEqual([]);
      expect(await claimEvents(storage, other, NOW + 20_000)).toHaveLength(1);
      expect(await claimEvents(storage, subscription, NOW + 59_999)).toEqual([]);
      expect(await claimEvents(storage, subscription, NOW + 60_000)).toHaveLength(1);
    });

    it('keep their waits if it was not set back', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      const claimed = only(await claimEvents(storage, subscription, NOW));
      const outcome = { kind: 'queued', attempts: 2, dueAt: NOW + 300_000 } as const;
      await storage.subscriptions.complete([completed(claimed, outcome)]);
      await shortenWaits(storage, NOW);
      expect(await claimEvents(storage, subscription, NOW + 299_999)).toEqual([]);
      expect(await claimEvents(storage, subscription, NOW + 300_000)).toHaveLength(1);
    });
  });

  describe('a completed event', () => {
    it('is gone if it was handled', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      await storage.subscriptions.complete([completed(only(await claimEvents(storage, subscription, NOW)))]);
      const nothing = { claimed: [], nextAt: null };
      expect(await storage.subscriptions.claim(eventClaimAt(subscription, NOW * 2))).toEqual(nothing);
    });

    it('is due at its time if it is queued again, with its attempts and no lost claims', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      await claimEvents(storage, subscription, NOW, { leaseMs: 10 });
      const claimed = only(await claimEvents(storage, subscription, NOW + 10));
      expect(claimed.lostClaims).toBe(1);
      const outcome = { kind: 'queued', attempts: 3, dueAt: NOW + 60_000 } as const;
      expect(await storage.subscriptions.complete([completed(claimed, outcome)])).toBe(1);
      expect(await claimEvents(storage, subscription, NOW + 59_999)).toEqual([]);
      expect(only(await claimEvents(storage, subscription, NOW + 60_000))).toMatchObject({
        attempts: 3,
        lostClaims: 0,
      });
    });

    it('is kept, and not claimed, if it is exhausted', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW);
      const claimed = only(await claimEvents(storage, subscription, NOW));
      await storage.subscriptions.complete([
        completed(claimed, { kind: 'exhausted', attempts: 8, failedAt: NOW - 1 }),
      ]);
      const nothing = { claimed: [], nextAt: null };
      expect(await storage.subscriptions.claim(eventClaimAt(subscription, NOW * 2))).toEqual(nothing);
      expect(await storage.subscriptions.list(10)).toMatchObject([{ waiting: 0, exhausted: 1 }]);
    });

    it('counts once, however often it is reported, and only with its token', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW);
      const [claimed, other] = (await claimEvents(storage, subscription, NOW)).map((one) => completed(one));
      const forged = { ...must(claimed), token: must(other).token };
      expect(await storage.subscriptions.complete([forged])).toBe(0);
      const twice = storage.subscriptions.complete([must(claimed), must(claimed), must(other)]);
      const thrice = storage.subscriptions.complete([must(claimed)]);
      expect((await twice) + (await thrice)).toBe(2);
      expect(await storage.subscriptions.complete([])).toBe(0);
    });
  });
}
