import { describe, expect } from 'vitest';
import type {
  Instance,
  Lease,
  Message,
  PendingDownload,
  Storage,
  Workspace,
} from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aDownload, anEvent, anInboundMessage, DAY, NOW, testId } from './examples.ts';
import {
  claimEvents,
  eventIdsOf,
  loseLease,
  QUEUE_FAILURE,
  renaming,
  storeInstance,
  storeLeasedInstance,
  storeSubscription,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const MISSING = {
  available: false,
  mimeType: 'image/jpeg',
  size: null,
  filename: 'ü.jpg',
  sha256: null,
};
const ARRIVED = { available: true, mimeType: 'image/png', size: 12, filename: 'ü.png', sha256: 'ab' };

export function downloadContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('the download that an inbound message waits for', () => {
    it('is stored with its message', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const { message, download } = await receive(storage, held);
      expect(await storage.messages.find(held.workspace.id, message.id)).toEqual(message);
      expect(await pendingOf(storage, held)).toEqual([download]);
    });

    it('is not stored with a message that is a repeat, or fenced', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const { message } = await receive(storage, held, { sealedReference: Uint8Array.of(1) });
      const arrivalOf = (changes: Partial<Message>) => {
        const again = anInboundMessage(held.instance, { type: 'image', media: MISSING, ...changes });
        const event = anEvent(held.workspace);
        return { message: again, senderId: 's1', event, download: aDownload(again) };
      };
      const repeat = arrivalOf({ networkId: message.networkId });
      expect(await storage.messages.receive(held.lease, repeat)).toBe('duplicate');
      const before = await loseLease(storage, held.lease);
      expect(await storage.messages.receive(before, arrivalOf({}))).toBe('fenced');
      expect((await pendingOf(storage, held)).map(({ messageId }) => messageId)).toEqual([message.id]);
    });

    it('is listed for its instance in the order in which it is due, up to the limit of each', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const other = await secondInstance(storage, held.workspace);
      const dueAt = (at: number) => ({ dueAt: NOW + at });
      const [late, early, middle] = [
        await receive(storage, held, dueAt(30)),
        await receive(storage, held, dueAt(10)),
        await receive(storage, held, dueAt(20)),
      ];
      const elsewhere = await receive(storage, other, dueAt(15));
      const next = async (ids: readonly string[], limit: number) =>
        (await storage.downloads.listNext(ids, limit)).map(({ messageId }) => messageId);
      const [own, both] = [[held.instance.id], [held.instance.id, other.instance.id, held.instance.id]];
      expect(await next(own, 10)).toEqual([early, middle, late].map(({ message }) => message.id));
      expect(await next(both, 2)).toEqual([early, elsewhere, middle].map(({ message }) => message.id));
      expect(await next([], 10)).toEqual([]);
      expect(await next(['ins_unknown'], 10)).toEqual([]);
    });

    itAlways('counts towards the limit of its instance alone', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const other = await secondInstance(storage, held.workspace);
      await receive(storage, held);
      await receive(storage, held);
      const isFull = (id: string, limit: number): Promise<boolean> => storage.downloads.isFull(id, limit);
      expect([await isFull(held.instance.id, 2), await isFull(held.instance.id, 3)]).toEqual([true, false]);
      expect([await isFull(other.instance.id, 0), await isFull(other.instance.id, 1)]).toEqual([true, false]);
    });

    itAlways('is postponed under the lease', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const { message, download } = await receive(storage, held);
      const postponement = { messageId: message.id, tries: 3, dueAt: NOW + DAY };
      expect(await storage.downloads.postpone(held.lease, postponement)).toBe('postponed');
      const gone = { ...postponement, messageId: testId('msg', NOW) };
      expect(await storage.downloads.postpone(held.lease, gone)).toBe('postponed');
      expect(await pendingOf(storage, held)).toEqual([{ ...download, tries: 3, dueAt: NOW + DAY }]);
      const before = await loseLease(storage, held.lease);
      expect(await storage.downloads.postpone(before, { ...postponement, tries: 4 })).toBe('fenced');
      expect(await pendingOf(storage, held)).toMatchObject([{ tries: 3 }]);
    });

    itAlways('is completed with the content, the media and the event in one transaction', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const subscription = await storeSubscription(storage);
      const { message } = await receive(storage, held);
      await storage.uploads.reserve(message.id, NOW);
      // Only the media is written, since other fields may have changed after the message was read.
      const completion = completed(held, { ...message, caption: 'of another time' });
      expect(await storage.downloads.complete(held.lease, completion)).toBe('completed');
      expect(await storage.messages.find(held.workspace.id, message.id)).toEqual({
        ...message,
        media: ARRIVED,
      });
      expect(await pendingOf(storage, held)).toEqual([]);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([]);
      expect(eventIdsOf(await claimEvents(storage, subscription, NOW + DAY))).toContain(completion.event.id);
    });

    it('is completed once, and its second content is abandoned', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const subscription = await storeSubscription(storage);
      const { message } = await receive(storage, held);
      const [first, second] = [testId('upl', NOW), testId('upl', NOW)];
      for (const id of [first, second]) await storage.uploads.reserve(id, NOW);
      const complete = (uploadId: string) =>
        storage.downloads.complete(held.lease, completed(held, message, { ...ARRIVED, uploadId }));
      expect([await complete(first), await complete(second)]).toEqual(['completed', 'stale']);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([second]);
      expect(await storage.messages.find(held.workspace.id, message.id)).toMatchObject({
        media: { available: true, uploadId: first },
      });
      // One event for the message, and one for its file.
      expect(await claimEvents(storage, subscription, NOW + DAY)).toHaveLength(2);
      await storage.uploads.release(first);
      expect(await storage.messages.find(held.workspace.id, message.id)).toMatchObject({
        media: { available: false },
      });
    });

    itAlways(
      'of a better copy replaces the file that the message has, whose content is abandoned',
      async () => {
        const storage = await open();
        const held = await storeLeasedInstance(storage);
        const { message } = await receive(storage, held);
        // The first content is stored under the id of the message, each later one under a separate id.
        const [better, best] = [testId('upl', NOW), testId('upl', NOW)];
        await storage.uploads.reserve(message.id, NOW);
        const complete = (media: Message['media']) =>
          storage.downloads.complete(held.lease, completed(held, message, media));
        const mediaNow = async () => (await storage.messages.find(held.workspace.id, message.id))?.media;
        expect(await complete(ARRIVED)).toBe('completed');
        for (const [uploadId, before] of [
          [better, message.id],
          [best, better],
        ] as const) {
          await storage.uploads.reserve(uploadId, NOW);
          const download = aDownload(message, { sealedReference: Uint8Array.of(7) });
          expect(await storage.downloads.add(held.lease, aDownload(message))).toBe('added');
          expect(await storage.downloads.add(held.lease, download)).toBe('added');
          expect(await pendingOf(storage, held)).toEqual([download]);
          expect(await complete({ ...ARRIVED, uploadId })).toBe('completed');
          expect(await mediaNow()).toEqual({ ...ARRIVED, uploadId });
          expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([before]);
          await storage.uploads.release(before);
          expect(await mediaNow()).toEqual({ ...ARRIVED, uploadId });
        }
        const before = await loseLease(storage, held.lease);
        expect(await storage.downloads.add(before, aDownload(message))).toBe('fenced');
        expect(await pendingOf(storage, held)).toEqual([]);
      },
    );

    it('stays completed when an edit is stored that was decided before', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const { message } = await receive(storage, held);
      await storage.uploads.reserve(message.id, NOW);
      expect(await storage.downloads.complete(held.lease, completed(held, message))).toBe('completed');
      const edited = { ...message, caption: 'edited', editedAt: NOW + 1 };
      const change = { message: edited, expected: message };
      const event = anEvent(held.workspace, NOW, { type: 'message.edited' });
      const activity = { key: null, recordedAt: NOW, change, event };
      expect(await storage.activities.record(held.lease, activity)).toBe('recorded');
      const stored = await storage.messages.find(held.workspace.id, message.id);
      expect(stored).toEqual({ ...edited, media: ARRIVED });
    });

    it('stays pending when the completion has no content, or is fenced, or is of another instance', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const other = await secondInstance(storage, held.workspace);
      const { message, download } = await receive(storage, held);
      const complete = (lease: Lease) => storage.downloads.complete(lease, completed(held, message));
      await expect(complete(held.lease)).rejects.toThrow(`${message.id} (${message.id}) was never stored`);
      await storage.uploads.reserve(message.id, NOW);
      expect(await complete(other.lease)).toBe('stale');
      expect(await complete(await loseLease(storage, held.lease))).toBe('fenced');
      expect(await pendingOf(storage, held)).toEqual([download]);
      expect(await storage.messages.find(held.workspace.id, message.id)).toEqual(message);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([message.id]);
    });

    itAlways('is removed once, without a lease', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const other = await secondInstance(storage, held.workspace);
      const { message } = await receive(storage, held);
      const remove = (id: string): Promise<boolean> => storage.downloads.remove(id, message.id);
      expect([await remove(other.instance.id), await remove('ins_unknown')]).toEqual([false, false]);
      expect([await remove(held.instance.id), await remove(held.instance.id)]).toEqual([true, false]);
      await storage.uploads.reserve(message.id, NOW);
      expect(await storage.downloads.complete(held.lease, completed(held, message))).toBe('stale');
      expect(await storage.messages.find(held.workspace.id, message.id)).toEqual(message);
    });

    itAlways('expires whichever instance it is of, the earliest first', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const other = await secondInstance(storage, held.workspace);
      const late = await receive(storage, held, { expiresAt: NOW + 3 });
      const middle = await receive(storage, other, { expiresAt: NOW + 2 });
      const early = await receive(storage, held, { expiresAt: NOW + 1 });
      const expired = (before: number, limit: number) => storage.downloads.listExpired(before, limit);
      expect(await expired(NOW + 1, 10)).toEqual([]);
      expect(await expired(NOW + 4, 2)).toEqual([early.download, middle.download]);
      expect(await expired(NOW + 4, 10)).toEqual([early.download, middle.download, late.download]);
    });

    itAlways('has its reference replaced where that has not changed since', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const other = await secondInstance(storage, held.workspace);
      const reference = (byte: number) => ({ sealedReference: Uint8Array.of(byte) });
      const all: PendingDownload[] = [];
      for (const byte of [1, 2, 3]) all.push((await receive(storage, held, reference(byte))).download);
      const page = (after: string | null, limit: number) =>
        storage.downloads.list(held.instance.id, { after, limit });
      expect(await page(null, 2)).toEqual(all.slice(0, 2));
      expect(await page(must(all[1]).messageId, 2)).toEqual(all.slice(2));
      expect(await storage.downloads.list(other.instance.id, { after: null, limit: 2 })).toEqual([]);

      const to = Uint8Array.of(9, 9);
      const replacements = new Map(
        all.map(({ messageId }, index) => [
          messageId,
          { from: Uint8Array.of(index === 1 ? 7 : index + 1), to },
        ]),
      );
      await storage.downloads.replace(other.instance.id, replacements);
      expect(await page(null, 10)).toEqual(all);
      await storage.downloads.replace(held.instance.id, replacements);
      expect((await page(null, 10)).map(({ sealedReference }) => [...sealedReference])).toEqual([
        [9, 9],
        [2],
        [9, 9],
      ]);
    });

    it('goes with its instance, and with the number that is unlinked', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const other = await secondInstance(storage, held.workspace);
      await receive(storage, held);
      const elsewhere = await receive(storage, other);
      const { instance, lease } = held;
      const renamed = await storage.instances.write(renaming(instance, 'Other name'));
      if (renamed.kind !== 'written') throw new Error('The instance was not renamed.');
      expect(await pendingOf(storage, held)).toHaveLength(1);
      const unlinking = { instance: renamed.instance, event: null, lease, forgetNumber: true } as const;
      const unlinked = await storage.instances.write(unlinking);
      if (unlinked.kind !== 'written') throw new Error('The instance was not unlinked.');
      expect(await pendingOf(storage, held)).toEqual([]);
      const { message } = await receive(storage, held);
      const deletion = { instance: unlinked.instance, lease, failQueued: QUEUE_FAILURE };
      expect(await storage.instances.delete(deletion)).toBe('deleted');
      expect(await storage.downloads.listExpired(NOW + 2 * DAY, 10)).toEqual([elsewhere.download]);
      expect(await storage.downloads.remove(instance.id, message.id)).toBe(false);
    });

    it('is a copy of what was given, and given as a copy', async () => {
      const storage = await open();
      const held = await storeLeasedInstance(storage);
      const given = Uint8Array.of(1, 2, 3);
      await receive(storage, held, { sealedReference: given });
      given.fill(9);
      const [taken] = await pendingOf(storage, held);
      must(taken).sealedReference.fill(8);
      expect([...must((await pendingOf(storage, held))[0]).sealedReference]).toEqual([1, 2, 3]);
    });
  });
}

interface Held {
  readonly workspace: Workspace;
  readonly instance: Instance;
  readonly lease: Lease;
}

async function secondInstance(storage: Storage, workspace: Workspace): Promise<Held> {
  const instance = await storeInstance(storage, workspace);
  return { workspace, instance, lease: await takeLease(storage, instance, { owner: 'process-2' }) };
}

/** Receives a message whose file has not arrived. */
async function receive(
  storage: Storage,
  { workspace, instance, lease }: Held,
  changes: Partial<PendingDownload> = {},
): Promise<{ readonly message: Message; readonly download: PendingDownload }> {
  const message = anInboundMessage(instance, {
    type: 'image',
    media: MISSING,
    editedAt: null,
    deletedAt: null,
  });
  const download = structuredClone(aDownload(message, changes));
  const arrival = {
    message,
    senderId: 's1',
    event: anEvent(workspace),
    download: aDownload(message, changes),
  };
  expect(await storage.messages.receive(lease, arrival)).toBe('received');
  return { message, download };
}

function completed({ workspace }: Held, message: Message, media: Message['media'] = ARRIVED) {
  return { message: { ...message, media }, event: anEvent(workspace) };
}

function pendingOf({ downloads }: Storage, { instance }: Held): Promise<readonly PendingDownload[]> {
  return downloads.listNext([instance.id], 100);
}
