import { describe, expect } from 'vitest';
import { QUEUE_WINDOW } from '@trunkline/core/spi/storage';
import type { Instance, Message, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
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

  describe('the queue of an instance that sends to several recipients', () => {
    itAlways('shows the first message to each, in the order of acceptance, up to the limit', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const group = 'grp_01jgfjjv00fsnvdjzy0jcm5xh8';
      const [a1, b1, a2] = await queued(storage, instance, ['a', 'b', 'a']);
      const inGroup = [0, 1].map(() => aMessage(instance, { to: null, groupId: group }));
      for (const message of inGroup) await accept(storage, message);
      const [c1, b2] = await queued(storage, instance, ['c', 'b']);

      const [g1, g2] = inGroup;
      expect(await heads(storage, [instance], { limit: 10 })).toEqual([a1, b1, g1, c1]);
      expect(await heads(storage, [instance], { limit: 3 })).toEqual([a1, b1, g1]);
      for (const message of [b1, g1]) await storage.messages.change(lease, sending(must(message)));
      expect(await heads(storage, [instance], { limit: 10 })).toEqual([a1, g2, c1, b2]);
      await storage.messages.change(lease, sending(must(a1)));
      expect(await heads(storage, [instance], { limit: 2 })).toEqual([a2, g2]);
    });

    itAlways('makes only the messages to the same recipient wait for one that was postponed', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [a1, a2, b1, c1] = await queued(storage, instance, ['a', 'a', 'b', 'c']);
      await storage.messages.postpone(lease, { messageId: must(a1).id, tries: 1, dueAt: NOW + 4000 });
      expect(await heads(storage, [instance], { limit: 1 })).toEqual([b1]);
      expect(await heads(storage, [instance], { limit: 10 })).toEqual([b1, c1]);
      expect(await heads(storage, [instance], { limit: 10, now: NOW + 4000 })).toEqual([a1, b1, c1]);
      await storage.messages.change(lease, sending(must(a1)));
      expect(await heads(storage, [instance], { limit: 10 })).toEqual([a2, b1, c1]);
    });

    itAlways('shows up to the limit of those that are held, and of the others', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [a1, b1, c1, , d1, e1] = await queued(storage, instance, ['a', 'b', 'c', 'a', 'd', 'e']);
      for (const [index, message] of [b1, a1, c1].entries()) {
        const place = { messageId: must(message).id, tries: 0, dueAt: NOW + index, heldSince: NOW };
        await storage.messages.postpone(lease, place);
      }
      expect(await heads(storage, [instance], { limit: 10, now: NOW + 1 })).toEqual([d1, e1, b1, a1]);
      expect(await heads(storage, [instance], { limit: 2, now: NOW + 2 })).toEqual([d1, e1, b1, a1]);
      expect(await heads(storage, [instance], { limit: 1, now: NOW + 2 })).toEqual([d1, b1]);
    });

    itAlways('shows messages without files that are behind files, if no files are asked for', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      const media = { available: true, mimeType: 'image/png', size: 1, filename: 'a.png', sha256: 'ab' };
      const files = ['1', '2'].map((to) => aMessage(instance, { type: 'image', to: `1555000${to}`, media }));
      for (const file of files) {
        await storage.uploads.reserve(file.id, NOW);
        await accept(storage, file);
      }
      const [behind] = await queued(storage, instance, ['1']);
      const [text] = await queued(storage, instance, ['3']);
      expect(must(behind).to).toBe(must(files[0]).to);
      expect(await heads(storage, [instance], { limit: 2 })).toEqual(files);
      expect(await heads(storage, [instance], { limit: 2, withFiles: false })).toEqual([text]);
    });

    itAlways('shows those of several instances, and none of a postponed workspace', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instances = [await storeInstance(storage, workspace), await storeInstance(storage, workspace)];
      const suspended = await storeWorkspace(storage);
      const other = await storeInstance(storage, suspended);
      const found: Message[] = [];
      for (const instance of [...instances, other]) {
        const [first, second] = await queued(storage, instance, ['a', 'b', 'a']);
        if (instance !== other) found.push(must(first), must(second));
      }
      await storage.workspaces.update(suspended.id, { suspendedAt: NOW });
      const shown = await heads(storage, [...instances, other], { limit: 5 });
      expect(new Set(shown)).toEqual(new Set(found));
      expect(shown).toHaveLength(found.length);
    });

    itAlways('shows recipients whose messages begin in its window', { timeout: 60_000 }, async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const crowd = Array.from({ length: QUEUE_WINDOW }, () => 'a');
      const [first, second] = await queued(storage, instance, crowd);
      const [other] = await queued(storage, instance, ['b']);
      expect(await heads(storage, [instance], { limit: 2 })).toEqual([first]);
      await storage.messages.change(lease, sending(must(first)));
      expect(await heads(storage, [instance], { limit: 2 })).toEqual([second, other]);
    });
  });
}

async function queued(
  storage: Storage,
  instance: Instance,
  recipients: readonly string[],
): Promise<readonly Message[]> {
  const messages = recipients.map((to) => aMessage(instance, { to: `1555000${to}` }));
  const acceptance = { idempotency: null, backlogLimit: 2 * QUEUE_WINDOW, trialLimit: null };
  // Concurrent acceptances keep the order of the calls.
  await Promise.all(messages.map((message) => storage.messages.accept({ ...acceptance, message })));
  return messages;
}

async function heads(
  storage: Storage,
  instances: readonly Instance[],
  { now = NOW, limit, withFiles = true }: { now?: number; limit: number; withFiles?: boolean },
): Promise<readonly Message[]> {
  const ids = instances.map(({ id }) => id);
  return (await storage.messages.queueHeads(ids, now, { limit, withFiles })).map(({ message }) => message);
}
