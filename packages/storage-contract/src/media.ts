import { describe, expect } from 'vitest';
import type { Instance, Message, Storage } from '@trunkline/core/spi/storage';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anInboundMessage, NOW, testId } from './examples.ts';
import {
  accept,
  failedWithQueue,
  QUEUE_FAILURE,
  storeInstance,
  storeLeasedInstance,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const FILE = { available: true, mimeType: 'image/png', size: 12, filename: 'ü.png', sha256: 'ab' };

export function mediaContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('content that was reserved', () => {
    it('is abandoned while it belongs to no message, from the given time on', async () => {
      const { uploads } = await open();
      const [a, b, c] = [testId('msg', NOW), testId('msg', NOW), testId('msg', NOW)];
      await uploads.reserve(c, NOW + 1);
      await uploads.reserve(a, NOW + 2);
      await uploads.reserve(b, NOW);
      expect(await uploads.listAbandoned(NOW, 10)).toEqual([]);
      expect(await uploads.listAbandoned(NOW + 2, 10)).toEqual([b, c]);
      expect(await uploads.listAbandoned(NOW + 3, 2)).toEqual([b, c]);
      expect(await uploads.listAbandoned(NOW + 3, 10)).toEqual([b, c, a]);
    });

    itAlways('is reserved once if it was found and is unknown', async () => {
      const storage = await open();
      const { uploads } = storage;
      const instance = await storeInstance(storage, await storeWorkspace(storage));
      const [taken, reserved, found, foundUpload] = [
        aMessage(instance, { type: 'image', media: FILE }),
        testId('upl', NOW),
        testId('msg', NOW),
        testId('upl', NOW),
      ];
      await uploads.reserve(taken.id, NOW);
      await accept(storage, taken);
      await uploads.reserve(reserved, NOW);
      const ids = [taken.id, found, reserved, foundUpload];
      expect(await uploads.reserveUnknown(ids, NOW + 1)).toBe(2);
      expect(await uploads.reserveUnknown(ids, NOW + 2)).toBe(0);
      expect(await uploads.reserveUnknown([], NOW + 2)).toBe(0);
      expect(await uploads.listAbandoned(NOW + 1, 10)).toEqual([reserved]);
      expect(await uploads.listAbandoned(NOW + 2, 10)).toEqual([reserved, found, foundUpload]);
    });

    it('is listed in the order of its ids if it was reserved at the same time', async () => {
      const { uploads } = await open();
      const [ownIds, messageIds] = [
        [testId('upl', NOW), testId('upl', NOW)],
        [testId('msg', NOW), testId('msg', NOW)],
      ];
      for (const id of [...ownIds, ...messageIds]) await uploads.reserve(id, NOW);
      expect(await uploads.listAbandoned(NOW + 1, 3)).toEqual(
        [...messageIds, ...ownIds].toSorted().slice(0, 3),
      );
    });

    it('is no longer listed once it is released', async () => {
      const { uploads } = await open();
      const a = testId('msg', NOW);
      await uploads.reserve(a, NOW);
      await uploads.release(a);
      await uploads.release('msg_unknown');
      expect(await uploads.listAbandoned(NOW + 1, 10)).toEqual([]);
    });

    it('becomes part of a message that is accepted', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const message = aMessage(instance, { type: 'image', media: FILE });
      await storage.uploads.reserve(message.id, NOW);
      await accept(storage, message);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([]);
      expect(await storage.uploads.listOrphaned(10)).toEqual([]);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    });

    it('becomes part of a message that is received', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const message = anInboundMessage(instance, { type: 'image', media: FILE });
      const arrival = { message, senderId: 's1', event: anEvent(workspace) };
      await storage.uploads.reserve(message.id, NOW);
      expect(await storage.messages.receive(lease, arrival)).toBe('received');
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([]);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    });

    it('becomes part of one message with another id, and of one only, if it was uploaded', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const uploadId = testId('upl', NOW);
      const message = aMessage(instance, { type: 'image', media: { ...FILE, uploadId } });
      await storage.uploads.reserve(uploadId, NOW);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([uploadId]);
      await accept(storage, message);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([]);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);

      await storage.uploads.reserve(uploadId, NOW);
      const second = aMessage(instance, { type: 'image', media: { ...FILE, uploadId } });
      await expect(accept(storage, second)).rejects.toThrow(
        `${second.id} (${uploadId}) was never stored, or belongs to`,
      );
      expect(await storage.messages.find(workspace.id, second.id)).toBeNull();
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([]);

      await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE });
      expect(await storage.uploads.listOrphaned(10)).toEqual([uploadId]);
      await storage.uploads.release(uploadId);
      expect(await storage.uploads.listOrphaned(10)).toEqual([]);
    });

    it('takes the file of its message with it when its upload is released', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const media = { ...FILE, uploadId: testId('upl', NOW) };
      const message = aMessage(instance, { type: 'image', media });
      await storage.uploads.reserve(media.uploadId, NOW);
      await accept(storage, message);
      await storage.uploads.release(media.uploadId);
      const without = { ...message, media: { ...media, available: false } };
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(without);
    });

    it('stays abandoned when its message is refused, repeated or fenced', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const offline = await storeInstance(storage, workspace, { status: 'error' });
      const refused = aMessage(offline, { type: 'image', media: FILE });
      const first = anInboundMessage(instance);
      const repeat = anInboundMessage(instance, { type: 'image', media: FILE, networkId: first.networkId });
      await storage.uploads.reserve(refused.id, NOW);
      await storage.uploads.reserve(repeat.id, NOW + 1);
      const acceptance = { message: refused, idempotency: null, backlogLimit: 10, trialLimit: null };
      expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'instance_not_connected' });
      const receive = (message: Message) =>
        storage.messages.receive(lease, { message, senderId: 's1', event: anEvent(workspace) });
      expect([await receive(first), await receive(repeat)]).toEqual(['received', 'duplicate']);
      expect(await storage.uploads.listAbandoned(NOW + 2, 10)).toEqual([refused.id, repeat.id]);
    });

    it('stays abandoned when its message has no content that is available', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const message = aMessage(instance, { type: 'image', media: { ...FILE, available: false } });
      await storage.uploads.reserve(message.id, NOW);
      await accept(storage, message);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      expect(await storage.uploads.listAbandoned(NOW + 1, 10)).toEqual([message.id]);
    });
  });

  describe('a message with available media', () => {
    it('is not stored without content that was reserved', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const outbound = aMessage(instance, { type: 'image', media: FILE });
      const neighbours = [aMessage(instance), aMessage(instance)] as const;
      const [before, bad, after] = await Promise.allSettled([
        accept(storage, neighbours[0]),
        accept(storage, outbound),
        accept(storage, neighbours[1]),
      ]);
      expect([before.status, bad.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const inbound = anInboundMessage(instance, { type: 'image', media: FILE });
      await storage.uploads.reserve(inbound.id, NOW);
      await storage.uploads.release(inbound.id);
      const arrival = { message: inbound, senderId: 's1', event: anEvent(workspace) };
      await expect(storage.messages.receive(lease, arrival)).rejects.toThrow();
      for (const { id } of [outbound, inbound]) {
        expect(await storage.messages.find(workspace.id, id)).toBeNull();
      }
      for (const message of neighbours) {
        expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      }
      // The refused arrival has left nothing, so the message may arrive again.
      await storage.uploads.reserve(inbound.id, NOW);
      expect(await storage.messages.receive(lease, arrival)).toBe('received');
    });

    it('reads as without once its content is forgotten', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const message = await acceptWithFile(storage, instance);
      const other = await acceptWithFile(storage, instance);
      await storage.uploads.release(message.id);
      const without = { ...message, media: { ...FILE, available: false } };
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(without);
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message: without, tries: 0 }]);
      expect(await storage.messages.find(workspace.id, other.id)).toEqual(other);
    });

    it('reads as without from the moment its instance is deleted', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const elsewhere = await acceptWithFile(storage, await storeInstance(storage, workspace));
      const message = await acceptWithFile(storage, instance);
      await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE });

      const without = { ...failedWithQueue(message), media: { ...FILE, available: false } };
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(without);
      expect(await storage.messages.findOutbound(instance.id, message.networkId)).toEqual(without);
      const page = await storage.messages.list(workspace.id, {}, { from: null, limit: 10 });
      expect(page.rows).toEqual([without, elsewhere]);
      expect(await storage.uploads.listOrphaned(10)).toEqual([message.id]);
      await storage.uploads.release(message.id);
      expect(await storage.uploads.listOrphaned(10)).toEqual([]);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(without);
    });
  });

  describe('the list of orphaned content', () => {
    it('is taken a batch at a time', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      const messages = [
        await acceptWithFile(storage, instance),
        await acceptWithFile(storage, instance),
        await acceptWithFile(storage, instance),
      ];
      const [taken] = await storage.leases.claim({
        owner: 'a',
        now: NOW,
        networks: ['sandbox'],
        ttlMs: 1000,
        limit: 1,
      });
      if (taken) await storage.instances.delete({ ...taken, failQueued: QUEUE_FAILURE });
      const seen: string[] = [];
      for (const expected of [2, 1, 0]) {
        const orphaned = await storage.uploads.listOrphaned(2);
        expect(orphaned).toHaveLength(expected);
        for (const id of orphaned) await storage.uploads.release(id);
        seen.push(...orphaned);
      }
      expect(seen.toSorted()).toEqual(messages.map(({ id }) => id));
    });
  });
}

async function acceptWithFile(storage: Storage, instance: Instance): Promise<Message> {
  const message = aMessage(instance, { type: 'image', text: null, media: FILE });
  await storage.uploads.reserve(message.id, NOW);
  await accept(storage, message);
  return message;
}
