import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Instance, Lease, Message, MessageFilter, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anInboundMessage, NOW } from './examples.ts';
import { expectedPage, pageRequests, walk } from './paging.ts';
import {
  accept,
  failedWithQueue,
  QUEUE_FAILURE,
  sending,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function messageLogContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('the list of messages', () => {
    it('is newest first, in pages that know what lies around them', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const messages = (await storeQueuedMessages(storage, instance, 5)).toReversed();
      const [e, d, c, b, a] = messages;
      const list = (direction: 'older' | 'newer', from: Message | undefined, limit: number) =>
        storage.messages.list(workspace.id, {}, { from: { direction, id: must(from).id }, limit });

      const first = await storage.messages.list(workspace.id, {}, { from: null, limit: 2 });
      expect(first).toEqual({ rows: [e, d], hasOlder: true, hasNewer: false });
      expect(await list('older', d, 2)).toEqual({ rows: [c, b], hasOlder: true, hasNewer: true });
      expect(await list('older', b, 2)).toEqual({ rows: [a], hasOlder: false, hasNewer: true });
      expect(await list('newer', a, 2)).toEqual({ rows: [c, b], hasOlder: true, hasNewer: true });
      expect(await list('newer', c, 2)).toEqual({ rows: [e, d], hasOlder: true, hasNewer: false });
      expect(await list('newer', d, 2)).toEqual({ rows: [e], hasOlder: true, hasNewer: false });
      const all = await storage.messages.list(workspace.id, {}, { from: null, limit: 5 });
      expect(all).toEqual({ rows: messages, hasOlder: false, hasNewer: false });
    });

    it('has empty pages at its ends', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const empty = await storage.messages.list(workspace.id, {}, { from: null, limit: 2 });
      expect(empty).toEqual({ rows: [], hasOlder: false, hasNewer: false });
      const [{ id }] = await storeQueuedMessages(storage, instance, 1);
      const past = await storage.messages.list(
        workspace.id,
        {},
        { from: { direction: 'older', id }, limit: 2 },
      );
      expect(past).toEqual({ rows: [], hasOlder: false, hasNewer: true });
      const ahead = await storage.messages.list(
        workspace.id,
        {},
        { from: { direction: 'newer', id }, limit: 2 },
      );
      expect(ahead).toEqual({ rows: [], hasOlder: true, hasNewer: false });
    });

    it('shows a message that arrives in between when going back to the newer ones', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const [oldest, middle, newest] = await storeQueuedMessages(storage, instance, 3);
      const from = { direction: 'older', id: must(newest).id } as const;
      const older = await storage.messages.list(workspace.id, {}, { from, limit: 2 });
      expect(older.rows).toEqual([middle, oldest]);
      const arrived = aMessage(instance, { createdAt: NOW + 100 });
      await accept(storage, arrived);
      const back = { direction: 'newer', id: must(middle).id } as const;
      const page = await storage.messages.list(workspace.id, {}, { from: back, limit: 5 });
      expect(page).toEqual({ rows: [arrived, newest], hasOlder: true, hasNewer: false });
    });

    it('belongs to one workspace and outlives its instance', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const other = await storeWorkspace(storage);
      const [message] = await storeQueuedMessages(storage, instance, 1);
      await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE });
      const page = { from: null, limit: 5 };
      expect((await storage.messages.list(workspace.id, {}, page)).rows).toEqual([failedWithQueue(message)]);
      expect(
        (await storage.messages.list(workspace.id, { instanceId: instance.id }, page)).rows,
      ).toHaveLength(1);
      expect((await storage.messages.list(other.id, {}, page)).rows).toEqual([]);
      expect((await storage.messages.list(other.id, { instanceId: instance.id }, page)).rows).toEqual([]);
    });

    it('is right for every filter, page and direction', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        fc.array(kind, { maxLength: 25 }),
        filter,
        fc.array(pageRequests, { minLength: 1, maxLength: 5 }),
        async (kinds, chosen, requests) => {
          const { workspace, instances, messages } = await storeMessages(storage, kinds);
          const wanted = toFilter(chosen, instances);
          const rows = messages.filter((message) => matches(message, wanted));
          for (const request of requests) {
            const page = request(messages.map(({ id }) => id));
            expect(await storage.messages.list(workspace.id, wanted, page)).toEqual(expectedPage(rows, page));
          }
        },
      );
      await fc.assert(property, { numRuns: 25 });
    });

    it('shows each message once to who pages through while others arrive', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        fc.array(kind, { maxLength: 20 }),
        filter,
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('older' as const, 'newer' as const),
        async (kinds, chosen, limit, direction) => {
          const { workspace, instances, messages, store } = await storeMessages(storage, kinds);
          const wanted = toFilter(chosen, instances);
          const seen = await walk(
            direction,
            limit,
            (page) => storage.messages.list(workspace.id, wanted, page),
            {
              // Stores a message at the end of the list where the walk began, to which the walk does not return.
              between: async () => {
                await store(kinds[0] ?? 'text in 0', direction === 'older' ? NOW + 50_000 : NOW - 50_000);
              },
            },
          );
          const rows = messages.filter((message) => matches(message, wanted));
          expect(seen).toEqual(expectedPage(rows, { from: null, limit: 100 }).rows);
        },
      );
      await fc.assert(property, { numRuns: 15 });
    });
  });
}

const KINDS = [
  'text in 0',
  'image in 0',
  'text in 1',
  'queued from 0',
  'queued from 1',
  'sent from 0',
] as const;
type Kind = (typeof KINDS)[number];
const kind = fc.constantFrom(...KINDS);

const filter = fc.record(
  {
    instance: fc.nat({ max: 1 }),
    direction: fc.constantFrom('inbound' as const, 'outbound' as const),
    type: fc.constantFrom('text' as const, 'image' as const),
    statuses: fc.subarray(['queued', 'sent', 'received'] as const, { minLength: 1 }),
  },
  { requiredKeys: [] },
);

type ChosenFilter = Omit<MessageFilter, 'instanceId'> & { readonly instance?: number };

function toFilter({ instance, ...rest }: ChosenFilter, instances: readonly Instance[]): MessageFilter {
  return instance === undefined ? rest : { ...rest, instanceId: must(instances[instance]).id };
}

function matches(message: Message, { instanceId, direction, type, statuses }: MessageFilter): boolean {
  return (
    (instanceId ?? message.instanceId) === message.instanceId &&
    (direction ?? message.direction) === message.direction &&
    (type ?? message.type) === message.type &&
    (statuses ?? [message.status]).includes(message.status)
  );
}

/** Stores these messages in a new workspace, in an order that differs from that of their ids. */
async function storeMessages(storage: Storage, kinds: readonly Kind[]) {
  const workspace = await storeWorkspace(storage);
  const instances = [await storeInstance(storage, workspace), await storeInstance(storage, workspace)];
  const [zero, one] = instances;
  const leaseOfZero = await takeLease(storage, must(zero));
  const leaseOfOne = must(await storage.leases.find(must(one).id, NOW));
  const store = (what: Kind, createdAt: number): Promise<Message> => {
    const [instance, lease] = what.endsWith('0') ? [must(zero), leaseOfZero] : [must(one), leaseOfOne];
    return storeMessage(storage, { what, createdAt, instance, lease });
  };
  const messages: Message[] = [];
  for (const [index, what] of kinds.entries()) messages.push(await store(what, NOW + ((index * 7) % 26)));
  return { workspace, instances, messages, store };
}

async function storeMessage(
  storage: Storage,
  { what, createdAt, instance, lease }: { what: Kind; createdAt: number; instance: Instance; lease: Lease },
): Promise<Message> {
  if (what.includes(' in ')) {
    const message = anInboundMessage(instance, {
      createdAt,
      type: what.startsWith('image') ? 'image' : 'text',
    });
    const event = anEvent({ id: instance.workspaceId }, createdAt);
    expect(await storage.messages.receive(lease, { message, senderId: 's1', event })).toBe('received');
    return message;
  }
  const message = aMessage(instance, { createdAt });
  await accept(storage, message);
  if (what.startsWith('queued')) return message;
  const change = sending(message);
  expect(await storage.messages.change(lease, change)).toBe('changed');
  return change.message;
}
