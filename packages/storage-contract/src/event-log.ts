import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type {
  Event,
  EventFilter,
  EventRecord,
  Instance,
  Storage,
  Workspace,
} from '@trunkline/core/spi/storage';
import { floorId } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anActivity, anEvent, anInboundMessage, DAY, MIDNIGHT, NOW, testId } from './examples.ts';
import {
  deleteHistory,
  sending,
  storedEvent,
  storeEndpoint,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  storeWorkspace,
  takeLease,
} from './fixtures.ts';
import { expectedPage, pageRequests } from './paging.ts';
import { testDatabases } from './test-database.ts';

const ALL = { from: null, limit: 100 } as const;
const FIRST_ID = floorId('evt', 0);

export function eventLogContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('the log of events', () => {
    it('has each event that is stored with a change, whatever the change', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 1);
      const ofMessage = (at: number): EventRecord =>
        anEvent(workspace, at, { subject: { instanceId: instance.id, messageId: must(message).id } });
      const [received, sent, delivered, reaction, echo] = [1, 2, 3, 4, 5].map((ms) => ofMessage(NOW + ms));
      const written = anEvent(workspace, NOW + 6, { subject: { instanceId: instance.id, messageId: null } });
      await storage.messages.receive(lease, {
        message: anInboundMessage(instance),
        senderId: 's1',
        event: must(received),
      });
      await storage.messages.change(lease, { ...sending(message), events: [must(sent), must(delivered)] });
      await storage.activities.record(lease, anActivity(must(reaction)));
      await storage.activities.recordEcho(lease, {
        message: anInboundMessage(instance, { direction: 'outbound', status: 'sent', origin: 'device' }),
        event: must(echo),
        download: null,
      });
      await storage.instances.write({ instance, event: written, lease });

      const all = [written, echo, reaction, delivered, sent, received].map((one) => storedEvent(must(one)));
      const list = async (filter: EventFilter): Promise<readonly Event[]> =>
        (await storage.events.list(workspace.id, filter, ALL, 0)).rows;
      expect(await list({})).toEqual(all);
      expect(await list({ instanceId: instance.id })).toEqual(all);
      expect(await list({ messageId: must(message).id })).toEqual(all.slice(1));
      expect(await storage.events.listAfter(workspace.id, FIRST_ID, 100)).toEqual(all.toReversed());
    });

    it('keeps the event of a change that was made, and none of a refused one', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const arrival = { message: anInboundMessage(instance), senderId: 's1', event: anEvent(workspace) };
      expect(await storage.messages.receive(lease, arrival)).toBe('received');
      const repeat = { ...arrival, event: anEvent(workspace) };
      expect(await storage.messages.receive(lease, repeat)).toBe('duplicate');
      expect(await storage.messages.receive({ ...lease, epoch: lease.epoch - 1 }, repeat)).toBe('fenced');
      expect((await storage.events.list(workspace.id, {}, ALL, 0)).rows).toEqual([
        storedEvent(arrival.event),
      ]);
      expect(await storage.events.find(workspace.id, repeat.event.id, 0)).toBeNull();
    });

    it('does not have events for only one endpoint, which are found by their id', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const endpoint = await storeEndpoint(storage, workspace);
      const event = anEvent(workspace, NOW, { type: 'webhook.test' });
      await storage.deliveries.enqueue(endpoint.id, event);
      expect(await storage.events.find(workspace.id, event.id, 0)).toEqual(storedEvent(event));
      expect((await storage.events.list(workspace.id, {}, ALL, 0)).rows).toEqual([]);
      expect(await storage.events.listAfter(workspace.id, FIRST_ID, 100)).toEqual([]);
    });

    itAlways('belongs to one workspace', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      const log = await storeLog(storage, workspace, [NOW]);
      const event = must(log.events[0]);
      const { instanceId, messageId } = event.subject;
      const { events } = storage;
      expect(await events.find(other.id, event.id, 0)).toBeNull();
      expect(await events.find(workspace.id, testId('evt', NOW), 0)).toBeNull();
      expect(await events.find(workspace.id, 'evt_unknown', 0)).toBeNull();
      for (const filter of [{}, { instanceId: must(instanceId) }, { messageId: must(messageId) }]) {
        expect((await events.list(workspace.id, filter, ALL, 0)).rows).toEqual([storedEvent(event)]);
        expect((await events.list(other.id, filter, ALL, 0)).rows).toEqual([]);
      }
      for (const unknown of ['ins_unknown', testId('ins', NOW)])
        expect((await events.list(workspace.id, { instanceId: unknown }, ALL, 0)).rows).toEqual([]);
      for (const unknown of ['msg_unknown', testId('msg', NOW)])
        expect((await events.list(workspace.id, { messageId: unknown }, ALL, 0)).rows).toEqual([]);
      expect(await events.listAfter(other.id, FIRST_ID, 10)).toEqual([]);
      expect(await events.listIds(other.id, { after: FIRST_ID, upTo: event.id }, 10)).toEqual([]);
    });

    it('is read onwards from an id, whether it exists or not', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const { events: log } = await storeLog(storage, workspace, [NOW, NOW + 1, NOW + 2, NOW + 2 * DAY]);
      const [first, second, third, last] = log.map((event) => must(event)) as [
        EventRecord,
        EventRecord,
        EventRecord,
        EventRecord,
      ]; // `storeLog` returns an event for each time
      const { events } = storage;
      const after = async (id: string, limit = 10): Promise<readonly string[]> =>
        (await events.listAfter(workspace.id, id, limit)).map((event) => event.id);
      expect(await after(first.id)).toEqual([second.id, third.id, last.id]);
      expect(await after(first.id, 2)).toEqual([second.id, third.id]);
      expect(await after(floorId('evt', NOW + 1))).toEqual([second.id, third.id, last.id]);
      expect(await after(last.id)).toEqual([]);
      const ids = (range: { after: string; upTo: string }, limit = 10): Promise<readonly string[]> =>
        events.listIds(workspace.id, range, limit);
      expect(await ids({ after: first.id, upTo: third.id })).toEqual([second.id, third.id]);
      expect(await ids({ after: FIRST_ID, upTo: last.id }, 2)).toEqual([first.id, second.id]);
      expect(await ids({ after: third.id, upTo: first.id })).toEqual([]);
    });

    it('ends exactly at the floor, deleted or not', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const { events, instance } = await storeLog(storage, workspace, [NOW - 1, NOW]);
      const [tooOld, justIn] = events.map((event) => storedEvent(event));
      expect(await storage.events.find(workspace.id, must(tooOld).id, NOW)).toBeNull();
      expect(await storage.events.find(workspace.id, must(justIn).id, NOW)).toEqual(justIn);
      for (const filter of [{}, { instanceId: instance.id }]) {
        const page = await storage.events.list(workspace.id, filter, ALL, NOW);
        expect(page).toEqual({ rows: [justIn], hasOlder: false, hasNewer: false });
      }
    });

    it('loses what retention deletes, event by event and by the day', async () => {
      const storage = await open();
      await storage.maintain?.(MIDNIGHT);
      const workspace = await storeWorkspace(storage);
      const times = [MIDNIGHT - 400 * DAY, MIDNIGHT - 2 * DAY, MIDNIGHT, MIDNIGHT + DAY];
      const { events } = await storeLog(storage, workspace, times);
      await deleteHistory(storage, MIDNIGHT);
      const kept = events.slice(2);
      expect((await storage.events.list(workspace.id, {}, ALL, 0)).rows).toEqual(
        kept.map((event) => storedEvent(event)).toReversed(),
      );
      const upTo = floorId('evt', MIDNIGHT + 2 * DAY);
      expect(await storage.events.listIds(workspace.id, { after: FIRST_ID, upTo }, 10)).toEqual(
        kept.map(({ id }) => id),
      );
    });

    it('is right for every filter, page and direction', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        histories,
        filters,
        fc.constantFrom(0, NOW + 9),
        fc.array(pageRequests, { minLength: 1, maxLength: 5 }),
        async (history, { by, types }, since, requests) => {
          const workspace = await storeWorkspace(storage);
          const instances = [
            await storeInstance(storage, workspace),
            await storeInstance(storage, workspace),
          ] as const;
          const messages = [testId('msg', NOW), testId('msg', NOW), null] as const;
          const log = history.map((one) =>
            anEvent(workspace, NOW + one.ms, {
              type: one.type,
              subject: { instanceId: instances[one.instance].id, messageId: messages[one.message] },
            }),
          );
          await storeEvents(storage, instances[0], log);
          const filter: EventFilter = {
            workspace: {},
            instance: { instanceId: instances[0].id, ...(types === null ? {} : { types }) },
            message: { messageId: messages[0] },
          }[by];
          const rows = log
            .filter(({ id }) => id >= floorId('evt', since))
            .filter((event) => passes(event, filter))
            .map((event) => storedEvent(event));
          for (const request of requests) {
            const page = request(log.map(({ id }) => id));
            expect(await storage.events.list(workspace.id, filter, page, since)).toEqual(
              expectedPage(rows, page),
            );
          }
        },
      );
      await fc.assert(property, { numRuns: 25 });
    });
  });
}

const TYPES = ['message.sent', 'message.read', 'instance.connected'] as const;

const histories = fc.array(
  fc.record({
    ms: fc.nat({ max: 20 }),
    type: fc.constantFrom(...TYPES),
    instance: fc.constantFrom(0 as const, 1 as const),
    message: fc.constantFrom(0 as const, 1 as const, 2 as const),
  }),
  { maxLength: 20 },
);

const filters = fc.record({
  by: fc.constantFrom('workspace' as const, 'instance' as const, 'message' as const),
  types: fc.option(fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1 })),
});

function passes({ type, subject }: EventRecord, filter: EventFilter): boolean {
  return (
    (filter.messageId ?? subject.messageId) === subject.messageId &&
    (filter.instanceId ?? subject.instanceId) === subject.instanceId &&
    (filter.types?.includes(type) ?? true)
  );
}

async function storeLog(
  storage: Storage,
  workspace: Workspace,
  times: readonly number[],
): Promise<{ readonly instance: Instance; readonly events: readonly EventRecord[] }> {
  const instance = await storeInstance(storage, workspace);
  const subject = { instanceId: instance.id, messageId: testId('msg', NOW) };
  const events = times.map((at) => anEvent(workspace, at, { subject }));
  await storeEvents(storage, instance, events);
  return { instance, events };
}

async function storeEvents(
  storage: Storage,
  instance: Instance,
  events: readonly EventRecord[],
): Promise<void> {
  const lease = await takeLease(storage, instance);
  for (const event of events)
    expect(await storage.activities.record(lease, anActivity(event, { key: null }))).toBe('recorded');
}
