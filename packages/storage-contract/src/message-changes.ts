import { describe, expect } from 'vitest';
import type { Lease, Message } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anInboundMessage, NOW, testId } from './examples.ts';
import {
  claim,
  loseLease,
  sending,
  storeEndpoint,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function messageChangeContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('changing a message', () => {
    it('writes it, takes it from its queue and queues its events in order', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, {
        events: ['message.sent', 'message.delivered', 'message.read'],
      });
      const [message, next] = await storeQueuedMessages(storage, instance, 2);
      const events = (['message.sent', 'message.delivered', 'message.read'] as const).map((type) =>
        anEvent(workspace, NOW, { type }),
      );
      const read = {
        ...message,
        status: 'read',
        sentAt: NOW,
        deliveredAt: NOW + 1,
        readAt: NOW + 1,
      } as const;
      const change = { message: read, expectedStatus: 'queued', events } as const;
      expect(await storage.messages.change(lease, change)).toBe('changed');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(read);
      expect(await storage.messages.findOutbound(instance.id, message.networkId)).toEqual(read);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: next, tries: 0 }]);
      const claimed = await claim(storage, NOW, { slots: 10 });
      expect(claimed.map(({ payload }) => payload)).toEqual(events.map(({ payload }) => payload));
    });

    it('moves a failed message on to the status that its receipts prove', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 1);
      const error = { code: 'send_outcome_unknown', message: 'The outcome is unknown.' };
      const failed = { ...message, status: 'failed', error, failedAt: NOW } as const;
      await storage.messages.change(lease, { message: failed, expectedStatus: 'queued', events: [] });
      const read = { ...message, status: 'read', sentAt: NOW, deliveredAt: NOW, readAt: NOW } as const;
      const change = { message: read, expectedStatus: 'failed', events: [] } as const;
      expect(await storage.messages.change(lease, change)).toBe('changed');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(read);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
    });

    it('is stale when its status is another by now, and then emits nothing', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['message.failed'] });
      const [message] = await storeQueuedMessages(storage, instance, 1);
      const sent = sending(message);
      await storage.messages.change(lease, sent);
      const events = [anEvent(workspace, NOW, { type: 'message.failed' })];
      const failed = { ...message, status: 'failed', failedAt: NOW } as const;
      const late = { message: failed, expectedStatus: 'queued', events } as const;
      expect(await storage.messages.change(lease, late)).toBe('stale');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(sent.message);
      expect(await claim(storage, NOW)).toEqual([]);
    });

    it('passes one of those made concurrently on one status', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 1);
      const results = await Promise.all(
        Array.from({ length: 10 }, () => storage.messages.change(lease, sending(message))),
      );
      expect(results.toSorted()).toEqual(['changed', ...Array.from({ length: 9 }, () => 'stale')]);
    });

    it('leaves a message that stays queued in its place', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 2);
      const renamed = { ...message, networkId: message.networkId, text: 'changed' };
      await storage.messages.change(lease, { message: renamed, expectedStatus: 'queued', events: [] });
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: renamed, tries: 0 }]);
    });

    it('is fenced under a lost lease, before the status counts', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 1);
      await loseLease(storage, lease);
      expect(await storage.messages.change(lease, sending(message))).toBe('fenced');
      expect(await storage.messages.change(lease, { ...sending(message), expectedStatus: 'sent' })).toBe(
        'fenced',
      );
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    });

    it('succeeds or fails for each one, if changes of many instances come together', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      await storeEndpoint(storage, workspace, { events: ['message.sent'] });
      const instances = await Promise.all(Array.from({ length: 6 }, () => storeInstance(storage, workspace)));
      const all = { owner: 'process-1', now: NOW, networks: ['sandbox'], ttlMs: 30_000, limit: 10 };
      const leases = (await storage.leases.claim(all)).map(({ lease }) => lease);
      const leaseOf = (index: number): Lease =>
        must(leases.find(({ instanceId }) => instanceId === instances[index]?.id));
      const heads: Message[] = [];
      for (const instance of instances) {
        const [head] = await storeQueuedMessages(storage, instance, 2);
        heads.push(head);
      }
      const headOf = (index: number): Message => must(heads[index]);
      const event = anEvent(workspace, NOW, { type: 'message.sent' });
      const results = await Promise.all([
        storage.messages.change(leaseOf(0), { ...sending(headOf(0)), events: [event] }),
        storage.messages.change({ ...leaseOf(1), epoch: 7 }, sending(headOf(1))),
        storage.messages.change(leaseOf(2), { ...sending(headOf(2)), expectedStatus: 'sent' }),
        storage.messages.change(leaseOf(3), sending(headOf(4))),
        storage.messages.change(leaseOf(5), sending(headOf(5))),
      ]);
      expect(results).toEqual(['changed', 'fenced', 'stale', 'stale', 'changed']);
      const after = await storage.messages.queueHeads(
        instances.map(({ id }) => id),
        NOW,
      );
      const waiting = new Set(after.map(({ message }) => message.id));
      expect(heads.map(({ id }) => waiting.has(id))).toEqual([false, true, true, true, true, false]);
      expect(after).toHaveLength(6);
      expect((await claim(storage, NOW)).map(({ payload }) => payload)).toEqual([event.payload]);
    });

    it('follows on another of the same message, where they come together', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [message, next] = await storeQueuedMessages(storage, instance, 2);
      const sent = sending(message).message;
      const read = { ...sent, status: 'read', deliveredAt: NOW, readAt: NOW } as const;
      const results = await Promise.all([
        storage.messages.change(lease, sending(message)),
        storage.messages.change(lease, { message: read, expectedStatus: 'sent', events: [] }),
        storage.messages.change(lease, { message: sent, expectedStatus: 'queued', events: [] }),
      ]);
      expect(results).toEqual(['changed', 'changed', 'stale']);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(read);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: next, tries: 0 }]);
    });

    it('is stale for a message that does not exist or is another instance’s', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const [foreign] = await storeQueuedMessages(storage, neighbour, 1);
      expect(await storage.messages.change(lease, sending(foreign))).toBe('stale');
      expect(await storage.messages.change(lease, sending(aMessage(instance)))).toBe('stale');
      expect(await storage.messages.find(workspace.id, foreign.id)).toEqual(foreign);
    });
  });

  describe('receiving a message', () => {
    it('stores it with its event', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace);
      const message = anInboundMessage(instance, { from: null, groupId: testId('grp', NOW), to: null });
      const event = anEvent(workspace);
      expect(await storage.messages.receive(lease, { message, senderId: 's1', event })).toBe('received');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      expect((await claim(storage, NOW)).map(({ payload }) => payload)).toEqual([event.payload]);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
      expect(await storage.messages.findOutbound(instance.id, message.networkId)).toBeNull();
    });

    it('takes the same instance, network id and sender for a repeat', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace);
      const neighbour = await storeInstance(storage, workspace);
      const neighbourLease = await takeLease(storage, neighbour);
      const receive = (networkId: string, senderId: string, to = instance, under = lease) =>
        storage.messages.receive(under, {
          message: anInboundMessage(to, { networkId }),
          senderId,
          event: anEvent(workspace),
        });
      expect(await receive('n1', 's1')).toBe('received');
      expect(await receive('n1', 's1')).toBe('duplicate');
      expect(await receive('n2', 's1')).toBe('received');
      expect(await receive('n1', 's2')).toBe('received');
      expect(await receive('n1', 's1', neighbour, neighbourLease)).toBe('received');
      const { messages } = storage;
      expect(await messages.hasInbound(instance.id, 'n1', 's2')).toBe(true);
      expect(await messages.hasInbound(neighbour.id, 'n1', 's1')).toBe(true);
      expect(await messages.hasInbound(instance.id, 'n2', 's2')).toBe(false);
      expect(await messages.hasInbound(neighbour.id, 'n2', 's1')).toBe(false);
      const page = await storage.messages.list(workspace.id, {}, { from: null, limit: 10 });
      expect(page.rows).toHaveLength(4);
      expect(await claim(storage, NOW, { slots: 10 })).toHaveLength(4);
    });

    it('takes one of those that come concurrently', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const results = await Promise.all(
        Array.from({ length: 10 }, () => {
          const message = anInboundMessage(instance, { networkId: 'n1' });
          return storage.messages.receive(lease, { message, senderId: 's1', event: anEvent(workspace) });
        }),
      );
      expect(results.filter((result) => result === 'received')).toHaveLength(1);
      expect(results.filter((result) => result === 'duplicate')).toHaveLength(9);
    });

    it('does not take an outbound message with the same network id for one', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [outbound] = await storeQueuedMessages(storage, instance, 1);
      const message = anInboundMessage(instance, { networkId: outbound.networkId });
      const arrival = { message, senderId: 's1', event: anEvent(workspace) };
      expect(await storage.messages.receive(lease, arrival)).toBe('received');
      expect(await storage.messages.findOutbound(instance.id, outbound.networkId)).toEqual(outbound);
    });

    it('is fenced, for repeats too', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const first = { message: anInboundMessage(instance), senderId: 's1', event: anEvent(workspace) };
      await storage.messages.receive(lease, first);
      await loseLease(storage, lease);
      const late = { message: anInboundMessage(instance), senderId: 's1', event: anEvent(workspace) };
      expect(await storage.messages.receive(lease, late)).toBe('fenced');
      expect(await storage.messages.receive(lease, first)).toBe('fenced');
      expect(await storage.messages.find(workspace.id, late.message.id)).toBeNull();
    });
  });
}
