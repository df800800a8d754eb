import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { isDueSoon, placeOf, SCHEDULE_STEP } from '@trunkline/core/spi/storage';
import type { Acceptance, Instance, Lease, Message, Storage, Workspace } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anIdempotencyRecord, DAY, NOW } from './examples.ts';
import {
  accept,
  failedWithQueue,
  failing,
  loseLease,
  QUEUE_FAILURE,
  renaming,
  sending,
  storeInstance,
  storeLeasedInstance,
  storeWorkspace,
} from './fixtures.ts';
import { expectedPage, pageRequests } from './paging.ts';
import { testDatabases } from './test-database.ts';

const MINUTE = 60_000;

export function scheduledMessageContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a scheduled message', () => {
    itAlways('is in no queue before its time, then behind what was accepted before', async () => {
      const { storage, instance, lease } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW + MINUTE });
      const before = await plain(storage, instance);
      expect(await heads(storage, instance)).toEqual([before]);
      expect(await release(storage, NOW + MINUTE - 1)).toBe(NOW + MINUTE);
      expect(await heads(storage, instance)).toEqual([before]);
      expect(await release(storage, NOW + MINUTE)).toBeNull();
      const after = await plain(storage, instance);
      for (const next of [before, message, after]) {
        expect(await heads(storage, instance)).toEqual([next]);
        await storage.messages.change(lease, sending(next));
      }
      expect(await heads(storage, instance)).toEqual([]);
    });

    itAlways('is read, listed and found like any other, with its time', async () => {
      const { storage, workspace, instance } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW + DAY });
      expect(message.sendAt).toBe(NOW + DAY);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      expect(await list(storage, workspace)).toEqual([message]);
      const page = { from: null, limit: 10 };
      expect(await storage.messages.list(workspace.id, { statuses: ['queued'] }, page)).toMatchObject({
        rows: [message],
      });
    });

    itAlways('is cancelled for good, or not at all once it is queued', async () => {
      const { storage, workspace, instance } = await leased();
      const [first, second] = [
        await schedule(storage, instance, { sendAt: NOW }),
        await schedule(storage, instance, { sendAt: NOW + 1 }),
      ];
      expect(await storage.schedule.cancel(failing(second))).toBe('changed');
      expect(await storage.schedule.cancel(failing(second))).toBe('stale');
      expect(await storage.messages.find(workspace.id, second.id)).toEqual(failedWithQueue(second));
      expect(await list(storage, workspace)).toEqual([first]);
      expect(await release(storage, NOW + DAY)).toBeNull();
      expect(await storage.schedule.cancel(failing(first))).toBe('stale');
      expect(await storage.schedule.cancel(failing(await plain(storage, instance)))).toBe('stale');
      expect(await heads(storage, instance)).toEqual([first]);
    });

    it('leaves the schedule if it is no longer queued', async () => {
      const { storage, workspace, instance, lease } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW });
      expect(await storage.messages.change(lease, sending(message))).toBe('changed');
      expect(await list(storage, workspace)).toEqual([]);
      expect(await release(storage, NOW)).toBeNull();
      expect(await heads(storage, instance)).toEqual([]);
    });

    it('is cancelled with its event', async () => {
      const { storage, workspace, instance } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW });
      const event = anEvent(workspace, NOW, { type: 'message.failed' });
      await storage.schedule.cancel({ ...failing(message), events: [event] });
      expect(await storage.events.find(workspace.id, event.id, 0)).toMatchObject({ id: event.id });
    });

    it('is either cancelled or queued if both are tried concurrently', async () => {
      const { storage, workspace, instance } = await leased();
      const messages: Message[] = [];
      for (let index = 0; index < 20; index += 1)
        messages.push(await schedule(storage, instance, { sendAt: NOW, to: `1555010${index}` }));
      const [released, ...cancelled] = await Promise.all([
        release(storage, NOW),
        ...messages.map((message) => storage.schedule.cancel(failing(message))),
      ]);
      expect(released).toBeNull();
      const queued = await heads(storage, instance, messages.length);
      for (const [index, message] of messages.entries()) {
        const isQueued = queued.some(({ id }) => id === message.id);
        expect([cancelled[index], isQueued]).toEqual(isQueued ? ['stale', true] : ['changed', false]);
      }
      expect(await list(storage, workspace)).toEqual([]);
    });

    it('is queued once, and in order, by several processes concurrently', async () => {
      const { storage, instance, lease } = await leased();
      const count = 2 * SCHEDULE_STEP + 7;
      const messages: Message[] = [];
      for (let index = 0; index < count; index += 1)
        messages.push(await schedule(storage, instance, { sendAt: NOW + 500 - 5 * Math.floor(index / 2) }));
      const everything = async (): Promise<void> => {
        while ((await release(storage, NOW + DAY)) !== null);
      };
      await Promise.all([everything(), everything(), everything()]);
      for (const next of messages.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))) {
        expect(await heads(storage, instance)).toEqual([next]);
        await storage.messages.change(lease, sending(next));
      }
      expect(await heads(storage, instance)).toEqual([]);
    });

    it('does not count in the backlog, and is not refused for it, before it is queued', async () => {
      const { storage, instance } = await leased();
      await schedule(storage, instance, { sendAt: NOW }, { backlogLimit: 0 });
      const another = { ...acceptanceOf(aMessage(instance)), isScheduled: false };
      expect(await storage.messages.accept({ ...another, backlogLimit: 0 })).toEqual({
        kind: 'backlog_full',
      });
      expect(await storage.messages.accept({ ...another, backlogLimit: 1 })).toEqual({ kind: 'accepted' });
      await release(storage, NOW);
      const last = { ...acceptanceOf(aMessage(instance)), isScheduled: false };
      expect(await storage.messages.accept({ ...last, backlogLimit: 2 })).toEqual({ kind: 'backlog_full' });
      expect(await storage.messages.accept({ ...last, backlogLimit: 3 })).toEqual({ kind: 'accepted' });
    });

    it('keeps its idempotency key', async () => {
      const { storage, instance } = await leased();
      const message = aMessage(instance, { sendAt: NOW + DAY });
      const acceptance = { ...acceptanceOf(message), idempotency: anIdempotencyRecord(message) };
      expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
      const repeated = { ...acceptance, message: aMessage(instance, { sendAt: NOW + DAY }) };
      expect(await storage.messages.accept(repeated)).toMatchObject({ kind: 'remembered' });
    });

    it('is accepted together with others, each in its own place', async () => {
      const { storage, workspace, instance } = await leased();
      const messages = [NOW + 3, null, NOW + 1, null, NOW + 2].map((sendAt, index) =>
        aMessage(instance, { sendAt, to: `1555010${index}` }),
      );
      await Promise.all(
        messages.map((message) =>
          storage.messages.accept({ ...acceptanceOf(message), isScheduled: message.sendAt !== null }),
        ),
      );
      const [first, second, third, fourth, fifth] = messages;
      expect(await heads(storage, instance, 10)).toEqual([second, fourth]);
      expect(await list(storage, workspace)).toEqual([first, fifth, third]);
    });

    itAlways('fails when it is due if its number was unlinked, or another one was linked', async () => {
      const { storage, workspace, instance } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW });
      const others = await storeInstance(storage, workspace);
      const sent = await schedule(storage, others, { sendAt: NOW });
      const { kind } = await storage.instances.write({
        ...renaming({ ...instance, phoneNumber: '15550777' }, 'New'),
        failQueued: QUEUE_FAILURE,
      });
      expect([kind, await list(storage, workspace)]).toEqual(['written', [sent, message]]);
      expect(await release(storage, NOW)).toBeNull();
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(failedWithQueue(message));
      expect(await heads(storage, instance)).toEqual([]);
      expect(await heads(storage, others)).toEqual([sent]);
    });

    itAlways('fails in steps before its instance is deleted', async () => {
      const { storage, workspace, instance, lease } = await leased();
      const messages: Message[] = [];
      for (let index = 0; index < SCHEDULE_STEP + 2; index += 1)
        messages.push(await schedule(storage, instance, { sendAt: NOW + index }));
      const other = await storeInstance(storage, workspace);
      const kept = await schedule(storage, other, { sendAt: NOW });
      expect(await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE })).toBe('stale');
      const fail = () => storage.schedule.fail(lease, workspace.id, QUEUE_FAILURE);
      expect([await fail(), await fail(), await fail()]).toEqual([SCHEDULE_STEP, 2, 0]);
      expect(await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE })).toBe('deleted');
      for (const message of [messages[0], messages.at(-1)])
        expect(await storage.messages.find(workspace.id, must(message).id)).toEqual(
          failedWithQueue(must(message)),
        );
      expect(await list(storage, workspace)).toEqual([kept]);
    });

    it('does not fail under a lost lease', async () => {
      const { storage, workspace, instance, lease } = await leased();
      await schedule(storage, instance, { sendAt: NOW });
      const lost = await loseLease(storage, lease);
      expect(await storage.schedule.fail(lost, workspace.id, QUEUE_FAILURE)).toBe('fenced');
      expect(await list(storage, workspace)).toHaveLength(1);
    });

    it('is erased with its place', async () => {
      const { storage, workspace, instance } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW });
      const deletion = { ids: [message.id], limit: 100 } as const;
      await storage.erasure.deleteMessages(workspace.id, { ...deletion, unfinished: 'kept' });
      expect(await list(storage, workspace)).toEqual([message]);
      await storage.erasure.deleteMessages(workspace.id, { ...deletion, unfinished: 'deleted' });
      expect(await list(storage, workspace)).toEqual([]);
      expect(await release(storage, NOW)).toBeNull();
      expect(await heads(storage, instance)).toEqual([]);
    });

    it('is queued, and then waits, while its workspace is suspended', async () => {
      const { storage, workspace, instance } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW });
      await storage.workspaces.update(workspace.id, { suspendedAt: NOW });
      expect(await release(storage, NOW)).toBeNull();
      expect(await heads(storage, instance)).toEqual([]);
      await storage.workspaces.update(workspace.id, { suspendedAt: null });
      expect(await heads(storage, instance)).toEqual([message]);
    });

    itAlways('is signalled if it is due soon, and when it is queued', async () => {
      const { storage, instance } = await leased();
      const topics: string[] = [];
      storage.subscribe(({ topic }) => void topics.push(topic));
      const soon = await schedule(storage, instance, { sendAt: NOW + 1000 });
      expect([isDueSoon(soon), topics]).toEqual([true, ['schedule']]);
      const later = await schedule(storage, instance, { sendAt: NOW + MINUTE });
      expect([isDueSoon(later), topics]).toEqual([false, ['schedule']]);
      await release(storage, NOW + 1000);
      expect(topics).toEqual(['schedule', 'queue']);
    });

    it('is as old as its time once it is queued', async () => {
      const { storage, workspace, instance } = await leased();
      const message = await schedule(storage, instance, { sendAt: NOW + DAY });
      const look = { now: NOW + DAY, countUpTo: 10, limit: 10 };
      const queues = () => storage.workload.queues({ workspaceId: workspace.id, instanceId: null }, look);
      expect(await queues()).toEqual([]);
      await release(storage, NOW + DAY);
      const oldest = { messageId: message.id, since: NOW + DAY };
      expect(await queues()).toMatchObject([{ queued: 1, oldest }]);
      expect((await storage.workload.read(look)).oldestQueuedMessage).toMatchObject(oldest);
    });
  });

  describe('the list of scheduled messages', () => {
    it('has pages by time, in both directions, for a workspace and for an instance', async () => {
      const { storage, workspace, instance } = await leased();
      const other = await storeInstance(storage, workspace);
      const foreign = await storeInstance(storage, await storeWorkspace(storage));
      await schedule(storage, foreign, { sendAt: NOW });
      const messages: Message[] = [];
      for (const [index, hour] of [5, 3, 3, 8, 1, 3, 9, 2].entries()) {
        const of = index % 3 === 0 ? other : instance;
        messages.push(await schedule(storage, of, { sendAt: NOW + hour * 60 * MINUTE }));
      }
      await fc.assert(
        fc.asyncProperty(pageRequests, fc.boolean(), async (pageOf, isOfOne) => {
          const request = pageOf(messages.map(placeOf));
          const wanted = messages.filter(({ instanceId }) => !isOfOne || instanceId === instance.id);
          const rows = wanted.map((message) => ({ id: placeOf(message), message }));
          const expected = expectedPage(rows, request);
          const filter = isOfOne ? { instanceId: instance.id } : {};
          expect(await storage.schedule.list(workspace.id, filter, request)).toEqual({
            ...expected,
            rows: expected.rows.map(({ message }) => message),
          });
        }),
        { numRuns: 40 },
      );
      const page = { from: null, limit: 10 };
      const ofForeign = await storage.schedule.list(workspace.id, { instanceId: foreign.id }, page);
      expect(ofForeign.rows).toEqual([]);
    });
  });

  async function leased(): Promise<{
    readonly storage: Storage;
    readonly workspace: Workspace;
    readonly instance: Instance;
    readonly lease: Lease;
  }> {
    const storage = await open();
    return { storage, ...(await storeLeasedInstance(storage)) };
  }
}

function acceptanceOf(message: Message): Acceptance {
  return { message, idempotency: null, backlogLimit: 1000, trialLimit: null, isScheduled: true };
}

async function schedule(
  storage: Storage,
  instance: Instance,
  changes: Partial<Message>,
  more: Partial<Acceptance> = {},
): Promise<Message> {
  const message = aMessage(instance, changes);
  expect(await storage.messages.accept({ ...acceptanceOf(message), ...more })).toEqual({ kind: 'accepted' });
  return message;
}

async function plain(storage: Storage, instance: Instance): Promise<Message> {
  const message = aMessage(instance);
  await accept(storage, message);
  return message;
}

function release(storage: Storage, now: number): Promise<number | null> {
  return storage.schedule.release(now, QUEUE_FAILURE);
}

async function heads(storage: Storage, { id }: Instance, limit = 1): Promise<readonly Message[]> {
  const found = await storage.messages.queueHeads([id], NOW, { limit, withFiles: true });
  return found.map(({ message }) => message);
}

/** The latest first. */
async function list(storage: Storage, { id }: Workspace): Promise<readonly Message[]> {
  return (await storage.schedule.list(id, {}, { from: null, limit: 200 })).rows;
}
