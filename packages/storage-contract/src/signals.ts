import { describe, expect } from 'vitest';
import type { EventRecord, Instance, InstanceWrite, Signal, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import {
  aMember,
  aMessage,
  anActivity,
  anApiKey,
  anEvent,
  anInboundMessage,
  anInstance,
  anIdempotencyRecord,
  NOW,
} from './examples.ts';
import {
  accept,
  claim,
  claimAt,
  enqueueAt,
  enqueueOne,
  exhausted,
  failed,
  finish,
  QUEUE_FAILURE,
  renaming,
  sending,
  storeEndpoint,
  storeInstance,
  storeLane,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
  succeeded,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function signalContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('signals', () => {
    it('report an accepted message, once it can be read', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      const signals = listen(storage);
      await accept(storage, aMessage(instance));
      await arrive();
      expect(signals).toContainEqual({ topic: 'queue', instanceId: instance.id });
    });

    it('do not report a message that was refused', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      const message = aMessage(instance);
      const idempotency = anIdempotencyRecord(message);
      const acceptance = { message, idempotency, backlogLimit: 10, trialLimit: null };
      await storage.messages.accept(acceptance);
      await arrive();
      const signals = listen(storage);
      await storage.messages.accept({ ...acceptance, message: aMessage(instance) });
      await storage.messages.accept({
        ...acceptance,
        message: aMessage(instance),
        idempotency: null,
        backlogLimit: 0,
      });
      await arrive();
      expect(signals).toEqual([]);
    });

    it('report an instance that was inserted, written, released or deleted', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const signals = listen(storage);
      const instance = await storeInstance(storage, workspace);
      const reported = { topic: 'instance', instanceId: instance.id };
      await arrive();
      expect(signals.splice(0)).toEqual([reported]);
      await storage.instances.write(renaming(instance, 'New'));
      await arrive();
      expect(signals.splice(0)).toEqual([reported]);
      await storage.instances.write(renaming(instance, 'Stale'));
      await storage.instances.insert(anInstance(workspace), 1);
      const lease = await takeLease(storage, instance);
      await arrive();
      expect(signals.splice(0)).toEqual([]);
      await storage.leases.release(lease);
      await arrive();
      expect(signals.splice(0)).toEqual([reported]);
      await storage.leases.release(lease);
      const again = await takeLease(storage, instance);
      await arrive();
      expect(signals.splice(0)).toEqual([]);
      await storage.instances.delete({
        instance: { ...instance, version: 2 },
        lease: again,
        failQueued: QUEUE_FAILURE,
      });
      await arrive();
      expect(signals.splice(0)).toEqual([reported]);
    });

    it('show whether it was the holder of an instance that wrote it', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const changes: readonly ((stored: Instance) => InstanceWrite)[] = [
        (stored) => ({ ...renaming(stored, 'By its holder'), lease }),
        (stored) => ({ ...renaming(stored, 'With an event'), lease, event: anEvent(workspace) }),
      ];
      for (const change of changes) {
        const signals = listen(storage);
        const stored = must(await storage.instances.find(workspace.id, instance.id));
        await storage.instances.write(change(stored));
        await arrive();
        expect(signals.filter(({ topic }) => topic !== 'events')).toEqual([
          { topic: 'instance', instanceId: instance.id, byHolder: true },
        ]);
      }
      const signals = listen(storage);
      await storage.leases.release(lease);
      await arrive();
      expect(signals).toStrictEqual([{ topic: 'instance', instanceId: instance.id }]);
    });

    it('report each change of a workspace, of its members and of its keys, and no use of a key', async () => {
      const storage = await open();
      const { workspaces, apiKeys } = storage;
      const { id } = await storeWorkspace(storage);
      const member = aMember({ id });
      await workspaces.insertMember(member);
      const apiKey = anApiKey({ id });
      await apiKeys.insert(apiKey);
      const causes: readonly (() => Promise<unknown>)[] = [
        () => workspaces.update(id, { suspendedAt: NOW }),
        () => workspaces.updateMember(id, member.id, { emailVerified: false }),
        () => workspaces.deleteMember(id, member.id, NOW),
        () => apiKeys.revoke(id, apiKey.id, NOW),
      ];
      for (const cause of causes) {
        const signals = listen(storage);
        await cause();
        await arrive();
        expect(signals).toContainEqual({ topic: 'workspace', workspaceId: id });
      }
      const signals = listen(storage);
      await apiKeys.touch(apiKey.id, NOW);
      const other = await storeWorkspace(storage);
      await workspaces.updateMember(other.id, member.id, { emailVerified: true });
      await apiKeys.revoke(other.id, apiKey.id, NOW);
      await arrive();
      expect(signals).toEqual([]);
    });

    it('report deliveries, whatever made them claimable', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const endpoint = await storeEndpoint(storage, workspace, {
        events: ['message.received', 'message.sent', 'message.failed'],
      });
      const [message] = await storeQueuedMessages(storage, instance, 2);
      const received = { message: anInboundMessage(instance), senderId: 's1', event: anEvent(workspace) };
      const sent = { ...sending(message), events: [anEvent(workspace, NOW, { type: 'message.sent' })] };
      const spent = await finish(storage, await enqueueOne(storage, endpoint), exhausted);
      const batch = { limit: 10, countUpTo: 10, now: NOW, since: 0 };

      const causes: readonly (() => Promise<unknown>)[] = [
        () => storage.messages.receive(lease, received),
        () => storage.messages.change(lease, sent),
        () => storage.instances.write({ ...renaming(instance, 'New'), failQueued: QUEUE_FAILURE }),
        () => storage.deliveries.enqueue(endpoint.id, anEvent(workspace, NOW, { type: 'webhook.test' })),
        () => storage.deliveries.retry(workspace.id, spent.id, NOW, 0),
        async () => {
          const claimed = await claim(storage, NOW, { slots: 100 });
          await storage.deliveries.complete(
            claimed.map((one) => exhausted(one, NOW)),
            NOW,
          );
          await storage.deliveries.retryFailedDeliveries(workspace.id, endpoint.id, batch);
        },
      ];
      for (const cause of causes) {
        const signals = listen(storage);
        await cause();
        await arrive();
        expect(signals).toContainEqual({ topic: 'deliveries' });
      }
    });

    it('report deliveries that waited for the slot of a completed one', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [first, second] = await claim(storage, NOW, { slots: 2 });
      const signals = listen(storage);
      await storage.deliveries.complete([succeeded(must(first), NOW)], NOW);
      await arrive();
      expect(signals.splice(0)).toEqual([{ topic: 'deliveries' }]);

      const [third] = await claim(storage, NOW, { slots: 2 });
      await storage.deliveries.complete(
        [second, third].map((one) => failed(must(one), NOW)),
        NOW,
      );
      await arrive();
      expect(signals).toEqual([]);
    });

    itAlways('report deliveries that a claim left, which had released their slots', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW, NOW);
      const [first, second] = await claim(storage, NOW, { slots: 2 });
      const outcomes = [first, second].map((one) => succeeded(must(one), NOW));
      const signals = listen(storage);
      const limited = await storage.deliveries.completeAndClaim(outcomes, claimAt(NOW, { limit: 1 }));
      expect(limited.claimed).toHaveLength(1);
      await arrive();
      expect(signals.splice(0)).toEqual([{ topic: 'deliveries' }]);
      const last = limited.claimed.map((one) => succeeded(one, NOW));
      expect((await storage.deliveries.completeAndClaim(last, claimAt(NOW))).claimed).toHaveLength(1);
      await arrive();
      expect(signals).toEqual([]);
    });

    it('report deliveries whose claims were lost, where the claim that took them back left some', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW);
      await claim(storage, NOW, { leaseMs: 10 });
      const signals = listen(storage);
      expect(await claim(storage, NOW + 10, { leaseMs: 10, limit: 1 })).toHaveLength(1);
      await arrive();
      expect(signals.splice(0)).toEqual([{ topic: 'deliveries' }]);
      expect(await claim(storage, NOW + 20, { leaseMs: 10 })).toHaveLength(2);
      await arrive();
      expect(signals).toEqual([]);
    });

    it('report events by their workspace, in the process that stored them', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 2);
      const event = (): EventRecord => anEvent(workspace);
      const causes: readonly (() => Promise<unknown>)[] = [
        () =>
          storage.messages.receive(lease, {
            message: anInboundMessage(instance),
            senderId: 's1',
            event: event(),
          }),
        () => storage.messages.change(lease, { ...sending(message), events: [event(), event()] }),
        () => storage.activities.record(lease, anActivity(event())),
        () => storage.instances.write({ ...renaming(instance, 'New'), event: event() }),
        () =>
          storage.instances.write({
            ...renaming({ ...instance, version: 2 }, 'Newer'),
            failQueued: QUEUE_FAILURE,
          }),
      ];
      for (const cause of causes) {
        const signals = listen(storage);
        await cause();
        await arrive();
        expect(signals.filter(({ topic }) => topic === 'events')).toEqual([
          { topic: 'events', workspaceId: workspace.id },
        ]);
      }
    });

    it('report no work for an event without a subscription', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const { endpoint } = await storeLane(storage);
      const signals = listen(storage);
      const arrival = { message: anInboundMessage(instance), senderId: 's1', event: anEvent(workspace) };
      await storage.messages.receive(lease, arrival);
      await storage.deliveries.enqueue('wh_unknown', anEvent(workspace));
      const batch = { limit: 10, countUpTo: 10, now: NOW, since: 0 };
      await storage.deliveries.retryFailedDeliveries(endpoint.workspaceId, endpoint.id, batch);
      await arrive();
      expect(signals).toEqual([{ topic: 'events', workspaceId: workspace.id }]);
    });

    it('come after their change is written', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const message = aMessage(instance);
      const found: Promise<unknown>[] = [];
      storage.subscribe(() => found.push(storage.messages.find(workspace.id, message.id)));
      await accept(storage, message);
      await arrive();
      // Whenever a signal comes, the message can be read.
      expect(new Set(await Promise.all(found))).toEqual(new Set([message]));
    });

    it('end when the storage is closed, whatever is still on its way', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      let isClosed = false;
      const late: Signal[] = [];
      storage.subscribe((signal) => {
        if (isClosed) late.push(signal);
      });
      for (let count = 1; count <= 5; count += 1) await accept(storage, aMessage(instance));
      await storage.close();
      isClosed = true;
      await arrive();
      expect(late).toEqual([]);
    });

    it('end for a listener that unsubscribes, and only for that', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      const kept = listen(storage);
      const ended: Signal[] = [];
      const unsubscribe = storage.subscribe((signal) => ended.push(signal));
      unsubscribe();
      unsubscribe();
      await accept(storage, aMessage(instance));
      await arrive();
      expect(ended).toEqual([]);
      expect(kept).toHaveLength(1);
    });

    it('survive a listener that throws', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      storage.subscribe(() => {
        throw new Error('A bug in a listener.');
      });
      const signals = listen(storage);
      const message = aMessage(instance);
      await accept(storage, message);
      await arrive();
      expect(must(signals[0])).toEqual({ topic: 'queue', instanceId: instance.id });
      expect(await storage.messages.find(instance.workspaceId, message.id)).toEqual(message);
    });
  });
}

function listen(storage: Storage): Signal[] {
  const signals: Signal[] = [];
  storage.subscribe((signal) => signals.push(signal));
  return signals;
}

/** Waits for signals, because a storage may notify a moment after the call, when it learns of its own commit. */
function arrive(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
