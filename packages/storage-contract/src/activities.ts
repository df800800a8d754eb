import { describe, expect } from 'vitest';
import type { Instance, Lease, Message, RecordedActivity, Storage } from '@trunkline/core/spi/storage';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aDownload, anActivity, anEvent, anInboundMessage, aMessage, NOW, testId } from './examples.ts';
import {
  claim,
  loseLease,
  storeEndpoint,
  storeInstance,
  storeLeasedInstance,
  storeQueuedMessages,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const FILE = { available: true, mimeType: 'image/png', size: 12, filename: 'ü.png', sha256: 'ab' };

export function activityContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('recording an activity', () => {
    it('stores its event, once for each key of an instance', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const neighbourLease = await takeLease(storage, neighbour);
      await storeEndpoint(storage, workspace, { events: ['call.received'] });
      const calls = Array.from({ length: 5 }, () => anEvent(workspace, NOW, { type: 'call.received' }));
      const [first, repeat, other, elsewhere, late] = calls as [(typeof calls)[0], ...typeof calls];
      const record = (under: Lease, key: string, event = first) =>
        storage.activities.record(under, anActivity(event, { key }));
      expect(await record(lease, 'k1')).toBe('recorded');
      expect(await record(lease, 'k1', repeat)).toBe('repeat');
      expect(await record(lease, 'k2', other)).toBe('recorded');
      expect(await record(neighbourLease, 'k1', elsewhere)).toBe('recorded');
      await loseLease(storage, lease);
      expect(await record(lease, 'k1', late)).toBe('fenced');
      expect(await record(lease, 'k3', late)).toBe('fenced');
      const claimed = await claim(storage, NOW, { slots: 10 });
      expect(claimed.map(({ payload }) => payload)).toEqual(
        [first, other, elsewhere].map((event) => event?.payload),
      );
      expect(instance.id).not.toBe(neighbour.id);
    });

    it('stores one of those that come concurrently', async () => {
      const storage = await open();
      const { workspace, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['call.received'] });
      const results = await Promise.all(
        Array.from({ length: 10 }, () =>
          storage.activities.record(lease, anActivity(anEvent(workspace, NOW, { type: 'call.received' }))),
        ),
      );
      expect(results.toSorted()).toEqual(['recorded', ...Array.from({ length: 9 }, () => 'repeat')]);
      expect(await claim(storage, NOW, { slots: 10 })).toHaveLength(1);
    });

    it('records one without a key each time', async () => {
      const storage = await open();
      const { workspace, lease } = await storeLeasedInstance(storage);
      for (let time = 0; time < 2; time += 1)
        expect(await storage.activities.record(lease, anActivity(anEvent(workspace), { key: null }))).toBe(
          'recorded',
        );
    });

    it('stores no event without a subscription', async () => {
      const storage = await open();
      const { workspace, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['message.received'] });
      const event = anEvent(workspace, NOW, { type: 'message.reaction' });
      expect(await storage.activities.record(lease, anActivity(event))).toBe('recorded');
      expect(await claim(storage, NOW)).toEqual([]);
    });

    itAlways('forgets the keys of those before a time, a batch at a time', async () => {
      const storage = await open();
      const { workspace, lease } = await storeLeasedInstance(storage);
      const record = (key: string, recordedAt: number) =>
        storage.activities.record(lease, anActivity(anEvent(workspace), { key, recordedAt }));
      for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) await record(key, NOW + index);
      expect(await storage.activities.deleteKeys(NOW + 3, 2)).toBe(2);
      expect(await storage.activities.deleteKeys(NOW + 3, 2)).toBe(1);
      expect(await storage.activities.deleteKeys(NOW + 3, 2)).toBe(0);
      expect(await record('a', NOW + 5)).toBe('recorded');
      expect(await record('d', NOW + 5)).toBe('repeat');
    });
  });

  describe('a message that was sent with the phone', () => {
    const echoOf = (instance: Instance, changes: Partial<Message> = {}) => {
      const own = { origin: 'device', status: 'sent', queuedAt: null, sentAt: NOW } as const;
      const message = aMessage(instance, { ...own, ...changes });
      const event = anEvent({ id: instance.workspaceId }, NOW, { type: 'message.echo' });
      return { message, event, download: null };
    };

    it('is stored once with its event, and not queued', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['message.echo'] });
      const echo = echoOf(instance, { networkId: 'n1' });
      expect(await storage.activities.recordEcho(lease, echo)).toBe('recorded');
      expect(await storage.activities.recordEcho(lease, echoOf(instance, { networkId: 'n1' }))).toBe(
        'repeat',
      );
      expect(await storage.messages.find(workspace.id, echo.message.id)).toEqual(echo.message);
      expect(await storage.messages.findOutbound(instance.id, 'n1')).toEqual(echo.message);
      const page = await storage.messages.list(workspace.id, {}, { from: null, limit: 10 });
      expect(page.rows).toEqual([echo.message]);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([]);
      expect((await claim(storage, NOW, { slots: 10 })).map(({ payload }) => payload)).toEqual([
        echo.event.payload,
      ]);
    });

    it('is one of those that come concurrently, and none under a lost lease', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const results = await Promise.all(
        Array.from({ length: 5 }, () =>
          storage.activities.recordEcho(lease, echoOf(instance, { networkId: 'n1' })),
        ),
      );
      expect(results.toSorted()).toEqual(['recorded', 'repeat', 'repeat', 'repeat', 'repeat']);
      await loseLease(storage, lease);
      expect(await storage.activities.recordEcho(lease, echoOf(instance))).toBe('fenced');
      const page = await storage.messages.list(workspace.id, {}, { from: null, limit: 10 });
      expect(page.rows).toHaveLength(1);
    });

    it('is a repeat of a queued message with its network id, and not of an inbound one', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const [queued] = await storeQueuedMessages(storage, instance, 1);
      const inbound = anInboundMessage(instance, { networkId: 'n1' });
      const event = anEvent({ id: instance.workspaceId });
      await storage.messages.receive(lease, { message: inbound, senderId: '', contact: null, event });
      const { networkId } = queued;
      expect(await storage.activities.recordEcho(lease, echoOf(instance, { networkId }))).toBe('repeat');
      expect(await storage.activities.recordEcho(lease, echoOf(instance, { networkId: 'n1' }))).toBe(
        'recorded',
      );
    });

    it('takes its content, or has its download stored', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const echo = echoOf(instance, { type: 'image', media: FILE });
      await storage.uploads.reserve(echo.message.id, NOW);
      expect(await storage.activities.recordEcho(lease, echo)).toBe('recorded');
      expect(await storage.messages.find(workspace.id, echo.message.id)).toEqual(echo.message);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([]);
      const missing = { ...FILE, available: false, size: null, sha256: null };
      const late = echoOf(instance, { type: 'image', media: missing });
      const download = aDownload(late.message);
      expect(await storage.activities.recordEcho(lease, { ...late, download })).toBe('recorded');
      expect(await storage.downloads.listNext([instance.id], 10)).toEqual([download]);
      const without = echoOf(instance, { type: 'image', media: FILE });
      await expect(storage.activities.recordEcho(lease, without)).rejects.toThrow(without.message.id);
      expect(await storage.messages.find(workspace.id, without.message.id)).toBeNull();
    });
  });

  describe('an activity that changes a message', () => {
    const edited = (message: Message): Message => ({ ...message, text: 'Grüße', editedAt: NOW + 5 });
    const changing = (message: Message, before: Message, changes: Partial<RecordedActivity> = {}) =>
      anActivity(anEvent({ id: before.workspaceId }, NOW, { type: 'message.edited' }), {
        change: { message, expected: before },
        ...changes,
      });
    const receive = async (
      storage: Storage,
      { lease, message }: { readonly lease: Lease; readonly message: Message },
    ): Promise<Message> => {
      const event = anEvent({ id: message.workspaceId });
      const arrival = { message, senderId: 's1', contact: null, event };
      expect(await storage.messages.receive(lease, arrival)).toBe('received');
      return message;
    };

    it('writes what the message says, with the event', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['message.edited'] });
      const message = await receive(storage, { lease, message: anInboundMessage(instance) });
      expect(await storage.activities.record(lease, changing(edited(message), message))).toBe('recorded');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(edited(message));
      expect(await claim(storage, NOW)).toHaveLength(1);
      // This change was decided on an earlier state of the message.
      const again = changing({ ...message, text: 'late' }, message, { key: 'another' });
      expect(await storage.activities.record(lease, again)).toBe('stale');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(edited(message));
      expect(await claim(storage, NOW)).toEqual([]);
      const decided = changing({ ...edited(message), text: 'late' }, edited(message), { key: 'another' });
      expect(await storage.activities.record(lease, decided)).toBe('recorded');
    });

    it('leaves the status, which a receipt may change concurrently, and is left by that', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [message] = await storeQueuedMessages(storage, instance, 1);
      const sent = { ...message, status: 'sent', sentAt: NOW } as const;
      await storage.messages.change(lease, { message: sent, expectedStatus: 'queued', events: [] });
      const read = { ...sent, status: 'read', deliveredAt: NOW, readAt: NOW } as const;
      const results = await Promise.all([
        storage.activities.record(lease, changing(edited(sent), sent)),
        storage.messages.change(lease, { message: read, expectedStatus: 'sent', events: [] }),
      ]);
      expect(results).toEqual(['recorded', 'changed']);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(edited(read));
    });

    it('is stale for a message that does not exist or is another instance’s', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const [foreign] = await storeQueuedMessages(storage, neighbour, 1);
      const unknown = aMessage(instance);
      for (const message of [foreign, unknown])
        expect(await storage.activities.record(lease, changing(edited(message), message))).toBe('stale');
      expect(await storage.messages.find(workspace.id, foreign.id)).toEqual(foreign);
    });

    it.each(['under its own id', 'under the id of an upload'])(
      'takes the content away that a deleted message had %s',
      async (how) => {
        const storage = await open();
        const { workspace, instance, lease } = await storeLeasedInstance(storage);
        const upload = how === 'under its own id' ? {} : { uploadId: testId('upl', NOW) };
        const message = anInboundMessage(instance, { type: 'image', media: { ...FILE, ...upload } });
        const kept = anInboundMessage(instance, { type: 'image', media: FILE });
        const contentId = upload.uploadId ?? message.id;
        await storage.uploads.reserve(contentId, NOW);
        await storage.uploads.reserve(kept.id, NOW);
        await receive(storage, { lease, message });
        await receive(storage, { lease, message: kept });
        const emptied = { ...FILE, available: false, size: null, sha256: null };
        const deleted = { ...message, text: null, media: emptied, deletedAt: NOW + 5 };
        expect(await storage.activities.record(lease, changing(deleted, message))).toBe('recorded');
        expect(await storage.messages.find(workspace.id, message.id)).toEqual(deleted);
        expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([contentId]);
        await storage.uploads.release(contentId);
        expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([]);
        expect(await storage.messages.find(workspace.id, kept.id)).toEqual(kept);
      },
    );

    itAlways('takes what a deleted message said out of its events, and out of no others', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      await storeEndpoint(storage, workspace, { events: ['message.received'] });
      const [message, other] = [anInboundMessage(instance), anInboundMessage(instance)];
      for (const [index, one] of [message, other].entries()) {
        const payload = JSON.stringify({
          id: 'evt_1',
          data: {
            message: { id: one.id, status: 'received', text: 'sécret', payload: { a: 1 } },
            more: true,
          },
        });
        const subject = { instanceId: instance.id, messageId: one.id };
        const event = anEvent(workspace, NOW + index, { type: 'message.received', payload, subject });
        await storage.messages.receive(lease, { message: one, senderId: '', contact: null, event });
      }
      const deleted = { ...message, text: null, kind: message.type, payload: null, deletedAt: NOW + 5 };
      const activity = anActivity(anEvent(workspace, NOW + 5, { type: 'message.deleted' }), {
        key: null,
        change: { message: deleted, expected: message },
      });
      expect(await storage.activities.record(lease, activity)).toBe('recorded');
      const bodies = (await claim(storage, NOW + 10, { slots: 10 })).map(({ payload }) =>
        JSON.parse(payload),
      );
      expect(bodies).toEqual([
        {
          id: 'evt_1',
          data: {
            message: {
              id: message.id,
              status: 'received',
              text: null,
              caption: null,
              media: null,
              kind: message.type,
              payload: null,
            },
            more: true,
          },
        },
        expect.objectContaining({
          data: expect.objectContaining({ message: expect.objectContaining({ text: 'sécret' }) }),
        }),
      ]);
    });

    it('ends the download that a deleted message waits for', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const missing = { ...FILE, available: false, size: null, sha256: null };
      const message = anInboundMessage(instance, { type: 'image', media: missing });
      const event = anEvent({ id: message.workspaceId });
      const download = aDownload(message);
      await storage.messages.receive(lease, { message, senderId: 's1', contact: null, event, download });
      const deleted = { ...message, deletedAt: NOW + 5 };
      expect(await storage.activities.record(lease, changing(deleted, message))).toBe('recorded');
      expect(await storage.downloads.listNext([instance.id], 10)).toEqual([]);
      await storage.uploads.reserve(message.id, NOW);
      const completion = { message: { ...message, media: FILE }, event };
      expect(await storage.downloads.complete(lease, completion)).toBe('stale');
    });
  });
}
