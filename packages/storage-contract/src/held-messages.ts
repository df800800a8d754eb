import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Instance, Lease, Message, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, NOW, testId } from './examples.ts';
import {
  accept,
  failedWithQueue,
  QUEUE_FAILURE,
  renaming,
  sending,
  storeInstance,
  storeLeasedInstance,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const MINUTE = 60_000;

export function heldMessageContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a message that is held', () => {
    it('lets the messages to other recipients pass, and none to its own', async () => {
      const { storage, instance, lease } = await leased();
      const [first, second, other, third] = await queued(storage, instance, ['a', 'a', 'b', 'a']);
      await hold(storage, lease, first);
      expect(await heads(storage, instance)).toEqual([other]);
      await storage.messages.change(lease, sending(must(other)));
      expect(await heads(storage, instance)).toEqual([]);

      expect(await heads(storage, instance, NOW + MINUTE)).toEqual([first]);
      await storage.messages.change(lease, sending(must(first)));
      expect(await heads(storage, instance)).toEqual([second]);
      await storage.messages.change(lease, sending(must(second)));
      expect(await heads(storage, instance)).toEqual([third]);
    });

    it('makes later messages to its recipient wait, too', async () => {
      const { storage, instance, lease } = await leased();
      const [first] = await queued(storage, instance, ['a']);
      await hold(storage, lease, first);
      const [second, other] = await queued(storage, instance, ['a', 'b']);
      expect(await heads(storage, instance)).toEqual([other]);
      await storage.messages.change(lease, sending(must(other)));
      const [third] = await queued(storage, instance, ['a']);
      await storage.messages.change(lease, sending(must(first)));
      for (const next of [second, third]) {
        expect(await heads(storage, instance)).toEqual([next]);
        await storage.messages.change(lease, sending(must(next)));
      }
      expect(await heads(storage, instance)).toEqual([]);
    });

    it('holds up only its group if it is to a group', async () => {
      const { storage, instance, lease } = await leased();
      const group = 'grp_01jgfjjv00fsnvdjzy0jcm5xh8';
      const inGroup = [0, 1].map((at) =>
        aMessage(instance, { to: null, groupId: group, createdAt: NOW + at }),
      );
      for (const message of inGroup) await accept(storage, message);
      const [other] = await queued(storage, instance, ['a']);
      await hold(storage, lease, inGroup[0]);
      expect(await heads(storage, instance)).toEqual([other]);
    });

    it('has its time, and the number of attempts without an outcome', async () => {
      const { storage, instance, lease } = await leased();
      const [message] = await queued(storage, instance, ['a']);
      const place = { messageId: must(message).id, tries: 2, dueAt: NOW };
      await storage.messages.postpone(lease, { ...place, heldSince: NOW - 5 });
      const held = { message, tries: 2, heldSince: NOW - 5 };
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([held]);
      await storage.messages.postpone(lease, { ...place, tries: 3 });
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ ...held, tries: 3 }]);
      await storage.messages.postpone(lease, { ...place, dueAt: NOW + 1 });
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
      await storage.messages.postpone(lease, { ...place, heldSince: NOW - 3 });
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([
        { ...held, heldSince: NOW - 3 },
      ]);
    });

    it('comes after the first of the others, and of those that are due, the longest due comes', async () => {
      const { storage, instance, lease } = await leased();
      const [a, b, c, other] = await queued(storage, instance, ['a', 'b', 'c', 'd']);
      await hold(storage, lease, a, NOW + 30);
      await hold(storage, lease, b, NOW + 20);
      await hold(storage, lease, c, NOW + 20);
      expect(await heads(storage, instance, NOW + 19)).toEqual([other]);
      expect(await heads(storage, instance, NOW + 30)).toEqual([other, b]);
      await storage.messages.change(lease, sending(must(b)));
      expect(await heads(storage, instance, NOW + 30)).toEqual([other, c]);
      await storage.messages.change(lease, sending(must(c)));
      expect(await heads(storage, instance, NOW + 30)).toEqual([other, a]);
    });

    it('is due if it was held before the clock was set back', async () => {
      const { storage, instance, lease } = await leased();
      const [message] = await queued(storage, instance, ['a']);
      await hold(storage, lease, message, NOW + 30 * MINUTE);
      expect(await heads(storage, instance)).toEqual([]);
      await hold(storage, lease, message, NOW + 3_600_001);
      expect(await heads(storage, instance)).toEqual([message]);
    });

    it('counts in the backlog, as do those that wait for it', async () => {
      const { storage, instance, lease } = await leased();
      const [first] = await queued(storage, instance, ['a', 'a', 'b']);
      await hold(storage, lease, first);
      await heads(storage, instance);
      const message = aMessage(instance);
      const acceptance = { message, idempotency: null, trialLimit: null };
      expect(await storage.messages.accept({ ...acceptance, backlogLimit: 3 })).toEqual({
        kind: 'backlog_full',
      });
      expect(await storage.messages.accept({ ...acceptance, backlogLimit: 4 })).toEqual({ kind: 'accepted' });
      await storage.messages.change(lease, sending(must(first)));
      const another = { ...acceptance, message: aMessage(instance) };
      expect(await storage.messages.accept({ ...another, backlogLimit: 3 })).toEqual({
        kind: 'backlog_full',
      });
      expect(await storage.messages.accept({ ...another, backlogLimit: 4 })).toEqual({ kind: 'accepted' });
    });

    it('fails with its queue, in the order of acceptance', async () => {
      const { storage, workspace, instance, lease } = await leased();
      const messages = await queued(storage, instance, ['a', 'b', 'a', 'c']);
      await hold(storage, lease, messages[1]);
      await hold(storage, lease, messages[0]);
      expect(await heads(storage, instance)).toEqual([messages[3]]);
      await storage.instances.write({ ...renaming(instance, 'New'), failQueued: QUEUE_FAILURE });
      for (const message of messages) {
        expect(await storage.messages.find(workspace.id, message.id)).toEqual(failedWithQueue(message));
      }
      expect(await heads(storage, instance, NOW + MINUTE)).toEqual([]);
      const [next] = await queued(storage, instance, ['a']);
      expect(await heads(storage, instance)).toEqual([next]);
    });

    it('goes with its instance', async () => {
      const { storage, workspace, instance, lease } = await leased();
      const messages = await queued(storage, instance, ['a', 'a']);
      await hold(storage, lease, messages[0]);
      await heads(storage, instance);
      expect(await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE })).toBe('deleted');
      for (const message of messages) {
        expect(await storage.messages.find(workspace.id, message.id)).toEqual(failedWithQueue(message));
      }
      expect(await heads(storage, instance, NOW + MINUTE)).toEqual([]);
    });

    it('waits while its workspace is suspended, and is signalled when that resumes', async () => {
      const { storage, workspace, instance, lease } = await leased();
      const [message] = await queued(storage, instance, ['a']);
      await hold(storage, lease, message);
      await storage.workspaces.update(workspace.id, { suspendedAt: NOW });
      expect(await heads(storage, instance, NOW + MINUTE)).toEqual([]);
      const topics: string[] = [];
      storage.subscribe(({ topic }) => void topics.push(topic));
      await storage.workspaces.update(workspace.id, { suspendedAt: null });
      expect(topics).toContain('queue');
      expect(await heads(storage, instance, NOW + MINUTE)).toEqual([message]);
    });

    it('is not held under a lost lease', async () => {
      const { storage, instance, lease } = await leased();
      const [first] = await queued(storage, instance, ['a', 'b']);
      const lost = { ...lease, epoch: lease.epoch - 1 };
      const postponement = { messageId: must(first).id, tries: 0, dueAt: NOW + MINUTE, heldSince: NOW };
      expect(await storage.messages.postpone(lost, postponement)).toBe('fenced');
      expect(await heads(storage, instance)).toEqual([first]);
    });

    it('is not put back once it has left its queue', async () => {
      const { storage, instance, lease } = await leased();
      const [gone, next] = await queued(storage, instance, ['a', 'a']);
      await storage.messages.change(lease, sending(must(gone)));
      await hold(storage, lease, gone);
      expect(await heads(storage, instance, NOW + MINUTE)).toEqual([next]);
    });

    it('lets a message pass behind hundreds that wait for it', { timeout: 60_000 }, async () => {
      const { storage, instance, lease } = await leased();
      const waiting = Array.from({ length: 450 }, () => 'a');
      const [first] = await queued(storage, instance, waiting);
      const [other] = await queued(storage, instance, ['b']);
      await hold(storage, lease, first);
      expect(await heads(storage, instance)).toEqual([other]);
      await storage.messages.change(lease, sending(must(first)));
      expect(await heads(storage, instance)).toHaveLength(1);
    });
  });

  describe('a message that the pace of its instance holds', () => {
    itAlways('is known as such until it is sent or held for another reason', async () => {
      const { storage, instance, lease } = await leased();
      const other = await storeInstance(storage, await storeWorkspace(storage));
      const [first, second, busy] = await queued(storage, instance, ['a', 'b', 'c']);
      const isPaced = (message: Message | undefined): Promise<boolean> =>
        storage.messages.isPaced(instance.id, must(message).id);
      await pace(storage, lease, first);
      await pace(storage, lease, second);
      await hold(storage, lease, busy);
      const known = await Promise.all([first, second, busy].map(isPaced));
      expect(known).toEqual([true, true, false]);
      expect(await storage.messages.isPaced(other.id, must(first).id)).toBe(false);
      await hold(storage, lease, first);
      await storage.messages.change(lease, sending(must(second)));
      expect(await Promise.all([first, second].map(isPaced))).toEqual([false, false]);
    });

    itAlways('is released with the others to the same people, or with all others', async () => {
      const { storage, instance, lease } = await leased();
      const contact = {
        id: testId('con', NOW),
        name: null,
        phoneNumber: null,
        dialledNumbers: [],
        username: null,
      };
      const [first, second, busy] = await queued(storage, instance, ['a', 'b', 'c']);
      const toContact = aMessage(instance, { to: null, contact });
      await accept(storage, toContact);
      for (const message of [first, second, toContact]) await pace(storage, lease, message);
      await hold(storage, lease, busy);
      const release = (numbers: readonly string[], contactIds: readonly string[]): Promise<void> =>
        storage.messages.releasePaced(instance.id, { people: { numbers, contactIds }, now: NOW });
      const due = async (): Promise<readonly string[]> =>
        (await heads(storage, instance)).map(({ id }) => id);

      await release(['15550199', must(busy).to ?? ''], [testId('con', NOW)]);
      expect(await due()).toEqual([]);
      await release([must(first).to ?? ''], []);
      expect(await due()).toEqual([must(first).id]);
      await storage.messages.change(lease, sending(must(first)));
      await release([], [contact.id]);
      expect(await due()).toEqual([toContact.id]);
      await storage.messages.change(lease, sending(toContact));
      await storage.messages.releasePaced(instance.id, { people: null, now: NOW });
      expect(await due()).toEqual([must(second).id]);
    });

    itAlways('is signalled when it is released', async () => {
      const { storage, instance, lease } = await leased();
      const [message, busy] = await queued(storage, instance, ['a', 'b']);
      await pace(storage, lease, message);
      await hold(storage, lease, busy);
      const topics: string[] = [];
      storage.subscribe(({ topic }) => void topics.push(topic));
      const release = { people: { numbers: ['15550199', must(busy).to ?? ''], contactIds: [] }, now: NOW };
      await storage.messages.releasePaced(instance.id, release);
      expect(topics).not.toContain('queue');
      await storage.messages.releasePaced(instance.id, { people: null, now: NOW });
      expect(topics).toContain('queue');
    });
  });

  describe('the messages of each recipient', () => {
    it(
      'leave the queue in the order of their acceptance, whatever is held meanwhile',
      { timeout: 60_000 },
      async () => {
        const storage = await open();
        await fc.assert(
          fc.asyncProperty(
            fc.array(
              fc.oneof(
                fc.record({ kind: fc.constant('accept' as const), to: fc.nat({ max: 3 }) }),
                fc.record({
                  kind: fc.constant('send' as const),
                  which: fc.nat({ max: 5 }),
                  outcome: fc.constantFrom('sent', 'sent', 'held', 'postponed'),
                  waitMs: fc.nat({ max: 20 }),
                }),
              ),
              { maxLength: 60 },
            ),
            async (steps) => {
              const { instance, lease } = await storeLeasedInstance(storage);
              const accepted = new Map<string, string[]>();
              const left = new Map<string, string[]>();
              let now = NOW;
              const send = async (which: number, outcome: string, waitMs: number): Promise<boolean> => {
                const look = { limit: 3, withFiles: true };
                const found = await storage.messages.queueHeads([instance.id], now, look);
                const head = found[which % Math.max(1, found.length)];
                if (!head) return false;
                const { message, heldSince } = head;
                if (outcome === 'sent') {
                  await storage.messages.change(lease, sending(message));
                  left.set(message.to ?? '', [...(left.get(message.to ?? '') ?? []), message.id]);
                  return true;
                }
                const place = { messageId: message.id, tries: head.tries, dueAt: now + waitMs };
                const isHeld = outcome === 'held' || heldSince !== undefined;
                await storage.messages.postpone(
                  lease,
                  isHeld ? { ...place, heldSince: heldSince ?? now } : place,
                );
                return true;
              };
              for (const step of steps) {
                now += 3;
                if (step.kind === 'accept') {
                  const [message] = await queued(storage, instance, [`${step.to}`]);
                  const { to, id } = must(message);
                  accepted.set(to ?? '', [...(accepted.get(to ?? '') ?? []), id]);
                } else await send(step.which, step.outcome, step.waitMs);
              }
              now += 100;
              while (await send(0, 'sent', 0));
              expect(left).toEqual(accepted);
            },
          ),
          { numRuns: 25 },
        );
      },
    );
  });

  async function leased() {
    const storage = await open();
    return { storage, ...(await storeLeasedInstance(storage)) };
  }
}

async function queued(
  storage: Storage,
  instance: Instance,
  recipients: readonly string[],
): Promise<readonly Message[]> {
  const messages = recipients.map((to) => aMessage(instance, { to: `1555000${to.charCodeAt(0)}` }));
  // Concurrent acceptances keep the order of the calls.
  await Promise.all(messages.map((message) => accept(storage, message)));
  return messages;
}

async function hold(
  storage: Storage,
  lease: Lease,
  message: Message | undefined,
  dueAt: number = NOW + MINUTE,
): Promise<void> {
  const postponement = { messageId: must(message).id, tries: 0, dueAt, heldSince: NOW };
  expect(await storage.messages.postpone(lease, postponement)).toBe('postponed');
}

async function pace(storage: Storage, lease: Lease, message: Message | undefined): Promise<void> {
  const until = NOW + MINUTE;
  const postponement = { messageId: must(message).id, tries: 0, dueAt: until, heldSince: until };
  expect(await storage.messages.postpone(lease, postponement)).toBe('postponed');
}

async function heads(storage: Storage, { id }: Instance, now: number = NOW): Promise<readonly Message[]> {
  return (await storage.messages.queueHeads([id], now)).map(({ message }) => message);
}
