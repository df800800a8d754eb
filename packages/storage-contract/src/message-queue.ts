import { describe, expect } from 'vitest';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, NOW } from './examples.ts';
import {
  accept,
  loseLease,
  sending,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function messageQueueContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('the queue of an instance', () => {
    it('shows only its head, the message that was accepted first', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const messages = await storeQueuedMessages(storage, instance, 3);
      for (const message of messages) {
        expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message, tries: 0 }]);
        await storage.messages.change(lease, sending(message));
      }
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
    });

    it('goes by acceptance, not by id', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      const first = aMessage(instance, { createdAt: NOW + 50 });
      await accept(storage, first);
      // The second message is accepted by another process, whose clock is behind.
      await accept(storage, aMessage(instance, { createdAt: NOW }));
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: first, tries: 0 }]);
    });

    it('keeps the order of calls that came together', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const messages = Array.from({ length: 20 }, (_, index) =>
        aMessage(instance, { createdAt: NOW - index }),
      );
      await Promise.all(messages.map((message) => accept(storage, message)));
      for (const message of messages) {
        const [head] = await storage.messages.queueHeads([instance.id], NOW);
        expect(must(head).message).toEqual(message);
        await storage.messages.change(lease, sending(message));
      }
    });

    it('is its own for each instance', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const [one, two, idle, unasked] = [
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
        await storeInstance(storage, workspace),
      ];
      const [ofOne] = await storeQueuedMessages(storage, one, 2);
      const [ofTwo] = await storeQueuedMessages(storage, two, 2);
      await storeQueuedMessages(storage, unasked, 1);
      const heads = await storage.messages.queueHeads([one.id, two.id, idle.id, 'ins_unknown'], NOW);
      const messages = heads.map(({ message }) => message).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      expect(messages).toEqual([ofOne, ofTwo]);
      expect(await storage.messages.queueHeads([], NOW)).toEqual([]);
    });

    it('shows each who asks at the same time what is due then, of the instances asked for', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const other = await storeInstance(storage, workspace);
      const [later] = await storeQueuedMessages(storage, instance, 1);
      const [ofOther] = await storeQueuedMessages(storage, other, 2);
      await storage.messages.postpone(lease, { messageId: later.id, tries: 1, dueAt: NOW + 4000 });
      const heads = await Promise.all([
        storage.messages.queueHeads([instance.id], NOW + 3999),
        storage.messages.queueHeads([instance.id, instance.id], NOW + 4000),
        storage.messages.queueHeads([other.id], NOW),
        storage.messages.queueHeads([], NOW),
      ]);
      expect(heads).toEqual([[], [{ message: later, tries: 1 }], [{ message: ofOther, tries: 0 }], []]);
    });

    it('waits for a head that was postponed', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [head] = await storeQueuedMessages(storage, instance, 2);
      const postponement = { messageId: head.id, tries: 2, dueAt: NOW + 4000 };
      expect(await storage.messages.postpone(lease, postponement)).toBe('postponed');
      expect(await storage.messages.queueHeads([instance.id], NOW + 3999)).toEqual([]);
      expect(await storage.messages.queueHeads([instance.id], NOW + 4000)).toEqual([
        { message: head, tries: 2 },
      ]);
    });

    it('shows a head that was postponed before the clock was set back', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [head] = await storeQueuedMessages(storage, instance, 1);
      await storage.messages.postpone(lease, { messageId: head.id, tries: 2, dueAt: NOW + 3_600_000 });
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: head, tries: 2 }]);
    });

    it('is not postponed under a lost lease', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [head] = await storeQueuedMessages(storage, instance, 1);
      await loseLease(storage, lease);
      const postponement = { messageId: head.id, tries: 2, dueAt: NOW + 4000 };
      expect(await storage.messages.postpone(lease, postponement)).toBe('fenced');
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: head, tries: 0 }]);
    });

    it('does not take back a message that has left it', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [gone, next] = await storeQueuedMessages(storage, instance, 2);
      await storage.messages.change(lease, sending(gone));
      const postponement = { messageId: gone.id, tries: 1, dueAt: NOW + 1 };
      expect(await storage.messages.postpone(lease, postponement)).toBe('postponed');
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: next, tries: 0 }]);
      await storage.messages.change(lease, sending(must(next)));
      expect(await storage.messages.queueHeads([instance.id], NOW + 1)).toEqual([]);
    });
  });
}
