import { describe, expect } from 'vitest';
import { createNewId, floorId } from '@trunkline/core/spi/storage';
import type { Instance, Lease, Message, Storage, Workspace } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import {
  aDownload,
  aMessage,
  anActivity,
  anEvent,
  anIdempotencyRecord,
  anInboundMessage,
  claimAt,
  NOW,
  succeeded,
  testId,
} from './examples.ts';
import {
  accept,
  claim,
  claimEvents,
  sending,
  storeEndpoint,
  storeLeasedInstance,
  storeSubscription,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const FILE = { available: true, mimeType: 'image/png', size: 12, filename: 'ü.png', sha256: 'ab' };
const HOUR = 3_600_000;
const FIRST = floorId('msg', 0);
const ALL = { from: null, limit: 100 } as const;

export function erasureContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  interface Held {
    readonly storage: Storage;
    readonly workspace: Workspace;
    readonly instance: Instance;
    readonly lease: Lease;
  }
  const held = async (): Promise<Held> => {
    const storage = await open();
    return { storage, ...(await storeLeasedInstance(storage)) };
  };
  const erase = ({ storage, workspace }: Held, ...messages: readonly Message[]) =>
    storage.erasure.deleteMessages(workspace.id, {
      ids: messages.map(({ id }) => id),
      unfinished: 'deleted',
      limit: 100,
    });
  const receive = async (
    { storage, workspace, instance, lease }: Held,
    message: Message,
    senderId = 's1',
  ): Promise<Message> => {
    const event = eventOf(workspace, instance, message);
    expect(await storage.messages.receive(lease, { message, senderId, event })).toBe('received');
    return message;
  };

  describe('deleting messages', () => {
    it('takes a message, its events, their deliveries and its place in queues of subscriptions', async () => {
      const all = await held();
      const { storage, workspace, instance, lease } = all;
      const endpoint = await storeEndpoint(storage, workspace);
      const subscription = await storeSubscription(storage);
      const message = await receive(all, anInboundMessage(instance));
      const other = await receive(all, anInboundMessage(instance), 's2');
      const reaction = eventOf(workspace, instance, message, { type: 'message.received' });
      await storage.activities.record(lease, anActivity(reaction));
      const [first] = await claim(storage, NOW, { limit: 1 });
      await storage.deliveries.complete([succeeded(must(first), NOW)], NOW);
      expect((await storage.deliveries.list(workspace.id, endpoint.id, {}, ALL, 0)).rows).toHaveLength(3);

      expect(await erase(all, message)).toEqual({ messages: 1, events: 2, more: false });
      expect(await storage.messages.find(workspace.id, message.id)).toBeNull();
      expect(await storage.messages.find(workspace.id, other.id)).toEqual(other);
      const events = (await storage.events.list(workspace.id, {}, ALL, 0)).rows;
      expect(events).toHaveLength(1);
      expect(await storage.events.find(workspace.id, reaction.id, 0)).toBeNull();
      const deliveries = (await storage.deliveries.list(workspace.id, endpoint.id, {}, ALL, 0)).rows;
      expect(deliveries.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id));
      expect((await claimEvents(storage, subscription, NOW)).map(({ event }) => event.id)).toEqual(
        events.map(({ id }) => id),
      );
      expect(await erase(all, message)).toEqual({ messages: 0, events: 0, more: false });
    });

    it('takes deliveries that were made while the clock was set back by an hour, if they are found by their event', async () => {
      // After its clock was set back, a process makes ids ahead of the clock until the clock has caught up.
      const newId = createNewId((length) => new Uint8Array(length).fill(5));
      newId('msg', NOW + HOUR);
      const storage = await open('immediately', newId);
      const all = { storage, ...(await storeLeasedInstance(storage)) };
      const { workspace, instance, lease } = all;
      const endpoint = await storeEndpoint(storage, workspace);
      const message = anInboundMessage(instance);
      const event = eventOf(workspace, instance, message, { id: newId('evt', NOW) });
      expect(await storage.messages.receive(lease, { message, senderId: 's1', event })).toBe('received');
      const [delivery] = await storage.deliveries.listOfEvent(workspace.id, event, 0);
      expect(delivery).toMatchObject({ endpointId: endpoint.id, eventId: event.id });

      expect(await erase(all, message)).toEqual({ messages: 1, events: 1, more: false });
      expect((await storage.deliveries.list(workspace.id, endpoint.id, {}, ALL, 0)).rows).toEqual([]);
      expect(await storage.deliveries.findDetail(workspace.id, must(delivery).id, 0)).toBeNull();
    });

    it('frees the slots of deliveries that are being attempted, whose outcome is then written nowhere', async () => {
      const all = await held();
      const { storage, workspace, instance } = all;
      await storeEndpoint(storage, workspace);
      const messages = [
        await receive(all, anInboundMessage(instance)),
        await receive(all, anInboundMessage(instance), 's2'),
      ];
      const claimed = await claim(storage, NOW, { slots: 2 });
      expect(claimed).toHaveLength(2);
      await receive(all, anInboundMessage(instance), 's3');
      expect(await claim(storage, NOW, { slots: 2 })).toEqual([]);
      await erase(all, ...messages);
      expect(
        await storage.deliveries.complete(
          claimed.map((one) => succeeded(one, NOW)),
          NOW,
        ),
      ).toBe(0);
      expect(await claim(storage, NOW, { slots: 2 })).toHaveLength(1);
      expect((await storage.deliveries.claim(claimAt(NOW + 60_000))).nextAt).not.toBeNull();
    });

    it('takes those that wait to be sent out of their queue, and lets those behind them be sent', async () => {
      const all = await held();
      const { storage, instance, lease } = all;
      const [first, second] = [aMessage(instance), aMessage(instance, { to: '15550177' })];
      for (const message of [first, second]) await accept(storage, message);
      await erase(all, first);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: second, tries: 0 }]);
      expect(await storage.messages.change(lease, sending(first))).toBe('stale');
      // The backlog no longer counts the erased message.
      const message = aMessage(instance);
      expect(
        await storage.messages.accept({ message, idempotency: null, backlogLimit: 2, trialLimit: null }),
      ).toEqual({ kind: 'accepted' });
    });

    it('takes held ones, and lets those be sent that waited only for them', async () => {
      const all = await held();
      const { storage, instance, lease } = all;
      const [first, second] = [aMessage(instance), aMessage(instance)];
      for (const message of [first, second]) await accept(storage, message);
      const postponement = { messageId: first.id, tries: 1, dueAt: NOW + 60_000, heldSince: NOW };
      await storage.messages.postpone(lease, postponement);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
      await erase(all, first);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: second, tries: 0 }]);
    });

    it('leaves unfinished messages, if they are to be kept', async () => {
      const all = await held();
      const { storage, workspace, instance, lease } = all;
      const queued = aMessage(instance);
      await accept(storage, queued);
      const waiting = anInboundMessage(instance, { type: 'image', media: { ...FILE, available: false } });
      await storage.messages.receive(lease, {
        message: waiting,
        senderId: 's1',
        event: eventOf(workspace, instance, waiting),
        download: aDownload(waiting),
      });
      const done = await receive(all, anInboundMessage(instance), 's2');
      const ids = [queued.id, waiting.id, done.id];
      const kept = { ids, unfinished: 'kept', limit: 100 } as const;
      expect(await storage.erasure.deleteMessages(workspace.id, kept)).toEqual({
        messages: 1,
        events: 1,
        more: false,
      });
      for (const { id } of [queued, waiting])
        expect(await storage.messages.find(workspace.id, id)).not.toBeNull();
      expect((await storage.events.list(workspace.id, {}, ALL, 0)).rows).toHaveLength(1);
      await erase(all, queued, waiting);
      expect(await storage.downloads.list(instance.id, { after: null, limit: 10 })).toEqual([]);
      const late = { message: { ...waiting, media: FILE }, event: eventOf(workspace, instance, waiting) };
      await storage.uploads.reserve(waiting.id, NOW);
      expect(await storage.downloads.complete(lease, late)).toBe('stale');
    });

    it('gives up their files, before anything else that is abandoned', async () => {
      const all = await held();
      const { storage, instance } = all;
      const uploadId = testId('upl', NOW);
      const sent = aMessage(instance, { type: 'image', media: { ...FILE, uploadId } });
      const received = anInboundMessage(instance, { type: 'image', media: FILE });
      const other = aMessage(instance, { type: 'image', media: FILE });
      for (const id of [uploadId, received.id, other.id]) await storage.uploads.reserve(id, NOW);
      await accept(storage, sent);
      await accept(storage, other);
      await receive(all, received);
      await erase(all, sent, received);
      const abandoned = await storage.uploads.listAbandoned(1, 10);
      expect(abandoned.toSorted()).toEqual([uploadId, received.id].toSorted());
      for (const id of abandoned) await storage.uploads.release(id);
      expect(await storage.uploads.listAbandoned(NOW * 2, 10)).toEqual([]);
    });

    it('leaves a file that is still being stored for one of them to be given up later', async () => {
      const all = await held();
      const { storage, workspace, instance } = all;
      const waiting = anInboundMessage(instance, { type: 'image', media: { ...FILE, available: false } });
      await storage.messages.receive(all.lease, {
        message: waiting,
        senderId: 's1',
        event: eventOf(workspace, instance, waiting),
        download: aDownload(waiting),
      });
      await storage.uploads.reserve(waiting.id, NOW);
      await erase(all, waiting);
      expect(await storage.uploads.listAbandoned(NOW, 10)).toEqual([]);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([waiting.id]);
    });

    it('frees their idempotency keys and their network ids', async () => {
      const all = await held();
      const { storage, workspace, instance } = all;
      const message = aMessage(instance);
      const neighbour = aMessage(instance);
      const accepting = (one: Message, key: string) =>
        storage.messages.accept({
          message: one,
          idempotency: anIdempotencyRecord(one, { key }),
          backlogLimit: 100,
          trialLimit: null,
        });
      await accepting(message, 'a');
      await accepting(neighbour, 'b');
      const inbound = await receive(all, anInboundMessage(instance));
      await erase(all, message, inbound);
      expect(await storage.messages.findIdempotencyRecord(workspace.id, 'a')).toBeNull();
      expect(await storage.messages.findIdempotencyRecord(workspace.id, 'b')).not.toBeNull();
      expect(await storage.messages.findOutbound(instance.id, message.networkId)).toBeNull();
      expect(await storage.messages.hasInbound(instance.id, inbound.networkId, 's1')).toBe(false);
      expect(await accepting(aMessage(instance), 'a')).toEqual({ kind: 'accepted' });
      await receive(all, anInboundMessage(instance, { networkId: inbound.networkId }));
    });

    it('continues until the last of their events is deleted, then takes the message', async () => {
      const all = await held();
      const { storage, workspace, instance, lease } = all;
      const message = await receive(all, anInboundMessage(instance));
      for (const key of ['a', 'b', 'c', 'd'])
        await storage.activities.record(lease, anActivity(eventOf(workspace, instance, message), { key }));
      const deletion = { ids: [message.id], unfinished: 'deleted', limit: 2 } as const;
      for (let step = 0; step < 2; step += 1) {
        expect(await storage.erasure.deleteMessages(workspace.id, deletion)).toEqual({
          messages: 0,
          events: 2,
          more: true,
        });
        expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      }
      expect(await storage.erasure.deleteMessages(workspace.id, deletion)).toEqual({
        messages: 1,
        events: 1,
        more: false,
      });
    });

    it('finds no message of another workspace, or by an unknown id', async () => {
      const all = await held();
      const { storage, workspace, instance } = all;
      const other = await storeWorkspace(storage);
      const message = await receive(all, anInboundMessage(instance));
      const events = (await storage.events.list(workspace.id, {}, ALL, 0)).rows;
      const deletion = { ids: [message.id, 'msg_no'], unfinished: 'deleted', limit: 100 } as const;
      expect(await storage.erasure.deleteMessages(other.id, deletion)).toEqual({
        messages: 0,
        events: 0,
        more: false,
      });
      const ids = events.map(({ id }) => id);
      expect(await storage.erasure.deleteEvents(other.id, [...ids, 'evt_no'])).toBe(0);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      expect((await storage.events.list(workspace.id, {}, ALL, 0)).rows).toEqual(events);
    });
  });

  describe('walks of an erasure', () => {
    it('go through the messages of one workspace, oldest first, with who sent them', async () => {
      const all = await held();
      const { storage, workspace, instance } = all;
      const other = await storeLeasedInstance(storage);
      const first = aMessage(instance, { createdAt: NOW });
      const second = anInboundMessage(instance, { createdAt: NOW + 1 });
      const third = aMessage(instance, { createdAt: NOW + 2 });
      await accept(storage, third);
      await accept(storage, first);
      await receive(all, second, 'network:1');
      await receive({ storage, ...other }, anInboundMessage(other.instance), 's1');
      const list = (after: string | null, limit: number, before?: number) =>
        storage.erasure.listMessages(workspace.id, {
          after,
          limit,
          ...(before !== undefined && { before }),
        });
      const stored = [
        { message: first, senderId: '' },
        { message: second, senderId: 'network:1' },
        { message: third, senderId: '' },
      ];
      expect(await list(null, 2)).toEqual({ rows: stored.slice(0, 2), next: second.id });
      expect(await list(second.id, 2)).toEqual({ rows: stored.slice(2), next: null });
      expect(await list(null, 10, NOW + 2)).toEqual({ rows: stored.slice(0, 2), next: null });
    });

    it('go through the events of one workspace, oldest first', async () => {
      const all = await held();
      const { storage, workspace, instance } = all;
      const other = await storeLeasedInstance(storage);
      await receive(all, anInboundMessage(instance));
      await receive({ storage, ...other }, anInboundMessage(other.instance));
      await receive(all, anInboundMessage(instance), 's2');
      const own = (await storage.events.list(workspace.id, {}, ALL, 0)).rows.toReversed();
      const rows = [];
      for (let after: string | null = null; ;) {
        const part: Awaited<ReturnType<Storage['erasure']['listEvents']>> = await storage.erasure.listEvents(
          workspace.id,
          { after, limit: 1 },
        );
        rows.push(...part.rows);
        after = part.next;
        if (after === null) break;
      }
      expect(rows).toEqual(own);
      const ids = own.map(({ id }) => id);
      expect(await storage.erasure.deleteEvents(workspace.id, ids)).toBe(2);
      expect((await storage.events.list(workspace.id, {}, ALL, 0)).rows).toEqual([]);
    });
  });

  describe('deleting contacts', () => {
    it('takes them with those that were merged into them, and their network ids', async () => {
      const { storage, workspace, instance, lease } = await held();
      const save = (networkId: string, aliases: readonly string[] = []) =>
        storage.contacts.save({
          lease,
          workspaceId: workspace.id,
          report: { networkId, aliases, phoneNumber: null, name: 'Ada', username: null },
          now: NOW,
        });
      await save('number:1');
      await save('lid:1');
      const merged = must(contactOf(await save('lid:1', ['number:1'])));
      const other = must(contactOf(await save('lid:2')));
      const list = async () =>
        (await storage.erasure.listContacts(workspace.id, { after: null, limit: 10 })).rows;
      expect(await list()).toEqual([merged, other]);
      const stranger = await storeWorkspace(storage);
      const deletion = { ids: [merged.id, 'con_no'], unlessAfter: FIRST };
      expect(await storage.erasure.deleteContacts(stranger.id, deletion)).toEqual([]);
      expect(await storage.erasure.deleteContacts(workspace.id, deletion)).toEqual([merged.id]);
      expect(await list()).toEqual([other]);
      for (const id of [merged.id, ...merged.formerIds])
        expect(await storage.contacts.find(workspace.id, instance.id, id)).toBeNull();
      expect(contactOf(await save('number:1'))?.id).not.toBe(merged.id);
      expect(contactOf(await save('lid:2'))).toEqual(other);
    });

    it('leaves a contact that has come back meanwhile', async () => {
      const all = await held();
      const { storage, workspace, instance, lease } = all;
      const report = {
        networkId: 'lid:1',
        aliases: [],
        phoneNumber: '15550123',
        name: 'Ada',
        username: null,
      };
      const contact = must(
        contactOf(await storage.contacts.save({ lease, workspaceId: workspace.id, report, now: NOW })),
      );
      const message = await receive(all, anInboundMessage(instance, { contact, createdAt: NOW }));
      const since = (at: number) => ({ ids: [contact.id], unlessAfter: floorId('msg', at) });
      expect(await storage.erasure.deleteContacts(workspace.id, since(NOW - 1))).toEqual([]);
      expect((await storage.messages.find(workspace.id, message.id))?.contact).not.toBeNull();
      expect(await storage.erasure.deleteContacts(workspace.id, since(NOW + 1))).toEqual([contact.id]);
    });
  });

  describe('values of a session', () => {
    it('are erased by name, whoever holds the instance', async () => {
      const { storage, instance, lease } = await held();
      const other = await storeLeasedInstance(storage);
      const values = new Map([
        ['a', Uint8Array.of(1)],
        ['b', Uint8Array.of(2)],
      ]);
      await storage.sessions.save(lease, values);
      await storage.sessions.save(other.lease, values);
      await storage.sessions.erase(instance.id, ['a', 'none']);
      expect([...(await storage.sessions.load(instance.id)).keys()]).toEqual(['b']);
      expect((await storage.sessions.load(other.instance.id)).size).toBe(2);
    });
  });
}

function eventOf(
  workspace: Workspace,
  instance: Instance,
  { id }: Message,
  changes: Parameters<typeof anEvent>[2] = {},
): ReturnType<typeof anEvent> {
  return anEvent(workspace, NOW, { subject: { instanceId: instance.id, messageId: id }, ...changes });
}

function contactOf<Contact>(saved: Contact | 'fenced'): Contact | null {
  return saved === 'fenced' ? null : saved;
}
