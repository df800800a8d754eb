import { describe, expect } from 'vitest';
import { summaryOf } from '@trunkline/core/spi/storage';
import type { Contact, ContactReport, Instance, Lease, Message, Storage } from '@trunkline/core/spi/storage';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anInboundMessage, NOW, testId } from './examples.ts';
import {
  accept,
  loseLease,
  storeInstance,
  storeLeasedInstance,
  storeWorkspace,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function contactContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('contacts', () => {
    it('are found by their id, with all that was reported', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const contact = await save(
        storage,
        { instance, lease },
        {
          networkId: 'lid:1',
          aliases: ['number:1'],
          phoneNumber: '15550123',
          name: 'Ada 👋 \u0001',
          username: 'ada',
        },
      );
      expect(contact).toEqual({
        id: expect.stringMatching(/^con_/),
        workspaceId: workspace.id,
        instanceId: instance.id,
        networkId: 'lid:1',
        aliases: ['number:1'],
        formerIds: [],
        phoneNumber: '15550123',
        dialledNumbers: [],
        name: 'Ada 👋 \u0001',
        username: 'ada',
        createdAt: NOW,
      });
      expect(await storage.contacts.find(workspace.id, instance.id, contact.id)).toEqual(contact);
      expect(await storage.contacts.find(workspace.id, instance.id, testId('con', NOW))).toBeNull();
      expect(await storage.contacts.find(workspace.id, instance.id, 'con_no')).toBeNull();
      expect(await storage.contacts.find(workspace.id, null, contact.id)).toEqual(contact);
      expect(await storage.contacts.find(workspace.id, null, 'con_no')).toBeNull();
    });

    it('are hidden from other workspaces and other instances', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const other = await storeWorkspace(storage);
      const neighbour = await storeInstance(storage, workspace);
      const { id } = await save(storage, { instance, lease }, { networkId: 'lid:1' });
      expect(await storage.contacts.find(other.id, instance.id, id)).toBeNull();
      expect(await storage.contacts.find(other.id, null, id)).toBeNull();
      expect(await storage.contacts.find(workspace.id, neighbour.id, id)).toBeNull();
      const same = await save(
        storage,
        { instance: neighbour, lease: await takeLease(storage, neighbour) },
        { networkId: 'lid:1' },
      );
      expect(same.id).not.toBe(id);
    });

    it('stay one when their number becomes known, and keep what a report lacks', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const hidden = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', name: 'Ada', username: 'ada' },
      );
      const known = await save(
        storage,
        { instance, lease },
        {
          networkId: 'lid:1',
          aliases: ['number:1'],
          phoneNumber: '15550123',
        },
      );
      expect(known).toEqual({ ...hidden, aliases: ['number:1'], phoneNumber: '15550123' });
      expect(await save(storage, { instance, lease }, { networkId: 'number:1' })).toEqual(known);
    });

    it('become one under the older id when they turn out to be one person', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const byNumber = await save(
        storage,
        { instance, lease },
        { networkId: 'number:1', phoneNumber: '15550123' },
        NOW,
      );
      const byLid = await save(storage, { instance, lease }, { networkId: 'lid:1', name: 'Ada' }, NOW + 1);
      const [early, late] = [
        await receive(storage, instance, lease, byNumber, 'number:1'),
        await receive(storage, instance, lease, byLid, 'lid:1'),
      ];
      const merged = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', aliases: ['number:1'] },
        NOW + 2,
      );
      expect(merged).toEqual({
        ...byNumber,
        networkId: 'lid:1',
        aliases: ['number:1'],
        formerIds: [byLid.id],
        name: 'Ada',
      });
      for (const id of [byNumber.id, byLid.id]) {
        expect(await storage.contacts.find(workspace.id, instance.id, id)).toEqual(merged);
      }
      for (const { id } of [early, late]) {
        expect((await storage.messages.find(workspace.id, id))?.contact).toEqual(summaryOf(merged));
      }
      const third = await save(storage, { instance, lease }, { networkId: 'other:1' }, NOW - 10);
      const all = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', aliases: ['other:1'] },
        NOW + 3,
      );
      expect(all.id).toBe([third.id, merged.id].toSorted()[0]);
      expect(await storage.contacts.find(workspace.id, instance.id, byLid.id)).toEqual(all);
      expect(await storage.contacts.find(workspace.id, instance.id, merged.id)).toEqual(all);
    });

    it('lose a number that was given to another person', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const former = await save(
        storage,
        { instance, lease },
        {
          networkId: 'lid:1',
          aliases: ['number:1'],
          phoneNumber: '15550123',
        },
      );
      const next = await save(
        storage,
        { instance, lease },
        {
          networkId: 'lid:2',
          aliases: ['number:1'],
          phoneNumber: '15550123',
        },
      );
      expect(next.id).not.toBe(former.id);
      expect((await save(storage, { instance, lease }, { networkId: 'number:1' })).id).toBe(next.id);
      expect(await storage.contacts.find(workspace.id, instance.id, former.id)).toEqual({
        ...former,
        aliases: [],
        phoneNumber: null,
      });
    });

    itAlways('are found by their number, and by others that reach them, in their instance', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const find = async (digits: string, instanceId: string = instance.id): Promise<Contact | null> =>
        storage.contacts.findByNumber(workspace.id, instanceId, digits);
      const ada = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', phoneNumber: '554788880001' },
      );
      expect(await find('554788880001')).toEqual(ada);
      expect(await find('5547988880001')).toBeNull();
      const dialled = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', dialledNumbers: ['5547988880001', '554788880001'] },
      );
      expect(dialled).toEqual({ ...ada, dialledNumbers: ['5547988880001'] });
      expect(await find('5547988880001')).toEqual(dialled);
      // A report without dialled numbers keeps the stored ones.
      expect(await save(storage, { instance, lease }, { networkId: 'lid:1' })).toEqual(dialled);
      const more = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', dialledNumbers: ['15550199', '5547988880001'] },
      );
      expect(more.dialledNumbers).toEqual(['5547988880001', '15550199']);
      expect(await find('5547988880001')).toEqual(more);

      const other = await storeWorkspace(storage);
      const neighbour = await storeInstance(storage, workspace);
      expect(await find('5547988880001', neighbour.id)).toBeNull();
      expect(await storage.contacts.findByNumber(other.id, instance.id, '5547988880001')).toBeNull();
    });

    it('lose a number to the person that it reaches now, or that it was registered for last', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const link = { instance, lease };
      const dialledNumbers = ['5547988880001'];
      const former = await save(storage, link, { networkId: 'lid:1', dialledNumbers });
      const next = await save(storage, link, { networkId: 'lid:2', dialledNumbers });
      const find = async (): Promise<Contact | null> =>
        storage.contacts.findByNumber(workspace.id, instance.id, '5547988880001');
      expect(await find()).toEqual(next);
      expect(await storage.contacts.find(workspace.id, instance.id, former.id)).toEqual({
        ...former,
        dialledNumbers: [],
      });
      const owner = await save(storage, link, { networkId: 'lid:0', phoneNumber: '5547988880001' }, NOW - 1);
      expect(await find()).toEqual(owner);
      const heir = await save(storage, link, { networkId: 'lid:3', phoneNumber: '5547988880001' }, NOW + 1);
      expect(await find()).toEqual(heir);
    });

    it('keep all their numbers if they turn out to be one person', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const link = { instance, lease };
      await save(storage, link, { networkId: 'number:1', dialledNumbers: ['15550101'] });
      await save(storage, link, { networkId: 'lid:1', dialledNumbers: ['15550102'] }, NOW + 1);
      const merged = await save(storage, link, { networkId: 'lid:1', aliases: ['number:1'] }, NOW + 2);
      expect(merged.dialledNumbers).toEqual(['15550101', '15550102']);
      for (const digits of merged.dialledNumbers)
        expect(await storage.contacts.findByNumber(workspace.id, instance.id, digits)).toEqual(merged);
    });

    it('are one, however many report the same person concurrently', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const reports = Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? { networkId: 'lid:1', aliases: ['number:1'] }
          : { networkId: 'number:1', aliases: ['lid:1'] },
      );
      const saved = await Promise.all(reports.map((report) => save(storage, { instance, lease }, report)));
      expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
    });

    it('keep a bounded number of network ids, the latest', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const { id } = await save(storage, { instance, lease }, { networkId: 'lid:1' });
      for (let index = 0; index < 30; index += 1) {
        expect(
          (await save(storage, { instance, lease }, { networkId: 'lid:1', aliases: [`number:${index}`] })).id,
        ).toBe(id);
      }
      const contact = await save(storage, { instance, lease }, { networkId: 'lid:1' });
      expect(contact.aliases).toEqual(Array.from({ length: 20 }, (_, index) => `number:${29 - index}`));
      expect((await save(storage, { instance, lease }, { networkId: 'number:0' })).id).not.toBe(id);
    });

    it('are not written without the lease', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const contact = await save(storage, { instance, lease }, { networkId: 'lid:1', name: 'Ada' });
      await loseLease(storage, lease);
      const late = reportOf({ networkId: 'lid:1', name: 'Eve' });
      const fenced = await storage.contacts.save({
        lease,
        workspaceId: workspace.id,
        report: late,
        now: NOW,
      });
      expect(fenced).toBe('fenced');
      expect(await storage.contacts.find(workspace.id, instance.id, contact.id)).toEqual(contact);
    });
  });

  describe('a message of a contact', () => {
    it('shows the contact as it is known now', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const contact = await save(storage, { instance, lease }, { networkId: 'lid:1', name: 'Ada' });
      const inbound = await receive(storage, instance, lease, contact, 'lid:1');
      const outbound = aMessage(instance, { to: null, contact: summaryOf(contact) });
      await accept(storage, outbound);
      const now = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', name: 'Ada L.', phoneNumber: '15550123' },
      );
      const known = summaryOf(now);
      expect(await storage.messages.find(workspace.id, inbound.id)).toEqual({ ...inbound, contact: known });
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([
        { message: { ...outbound, contact: known }, tries: 0 },
      ]);
      const { rows } = await storage.messages.list(workspace.id, {}, { from: null, limit: 10 });
      expect(rows.map((message) => message.contact)).toEqual([known, known]);
      const sent = { ...outbound, contact: known, status: 'sent', sentAt: NOW } as const;
      const change = { message: sent, expectedStatus: 'queued', events: [] } as const;
      expect(await storage.messages.change(lease, change)).toBe('changed');
      expect(await storage.messages.find(workspace.id, outbound.id)).toEqual(sent);
    });

    it('is a repeat under each of its network ids', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const before = anInboundMessage(instance, { networkId: 'n1' });
      const event = anEvent(workspace);
      // Received before anything was known of the contact.
      await storage.messages.receive(lease, { message: before, senderId: 'number:1', event });
      const contact = await save(storage, { instance, lease }, { networkId: 'lid:1', aliases: ['number:1'] });
      const again = async (networkId: string, senderId: string, by: Contact | null = contact) => {
        const message = anInboundMessage(instance, { networkId, contact: by && summaryOf(by) });
        const isStored = await storage.messages.hasInbound(instance.id, networkId, senderId, by);
        const result = await storage.messages.receive(lease, { message, senderId, contact: by, event });
        expect(result).toBe(isStored ? 'duplicate' : 'received');
        return result;
      };
      expect(await again('n1', 'lid:1')).toBe('duplicate');
      expect(await again('n2', 'lid:1')).toBe('received');
      expect(await again('n2', 'number:1')).toBe('duplicate');
      expect(await again('n2', 'lid:1')).toBe('duplicate');
      const stranger = await save(storage, { instance, lease }, { networkId: 'lid:2' });
      expect(await again('n2', 'lid:2', stranger)).toBe('received');
    });

    itAlways('is not stored if the contact was erased after it was saved', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const contact = await save(storage, { instance, lease }, { networkId: 'lid:1' });
      const erased = { ids: [contact.id], unlessAfter: testId('msg', NOW) };
      expect(await storage.erasure.deleteContacts(workspace.id, erased)).toEqual([contact.id]);
      const message = anInboundMessage(instance, { contact: summaryOf(contact) });
      const arrival = { message, senderId: 'lid:1', contact, event: anEvent(workspace) };
      expect(await storage.messages.receive(lease, arrival)).toBe('contact_gone');
      const echo = aMessage(instance, { status: 'sent', sentAt: NOW, contact: summaryOf(contact) });
      const echoed = { message: echo, event: anEvent(workspace), download: null };
      expect(await storage.activities.recordEcho(lease, echoed)).toBe('contact_gone');
      expect((await storage.messages.list(workspace.id, {}, { from: null, limit: 10 })).rows).toEqual([]);
      const again = await save(storage, { instance, lease }, { networkId: 'lid:1' });
      const known = { ...message, contact: summaryOf(again) };
      expect(await storage.messages.receive(lease, { ...arrival, message: known, contact: again })).toBe(
        'received',
      );
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(known);
    });

    it('keeps its contact if both come concurrently with an erasure', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      for (let round = 0; round < 20; round += 1) {
        const networkId = `lid:${round}`;
        const contact = await save(storage, { instance, lease }, { networkId });
        const message = anInboundMessage(instance, { networkId, contact: summaryOf(contact) });
        const [received, deleted] = await Promise.all([
          storage.messages.receive(lease, {
            message,
            senderId: networkId,
            contact,
            event: anEvent(workspace),
          }),
          storage.erasure.deleteContacts(workspace.id, {
            ids: [contact.id],
            unlessAfter: testId('msg', NOW - 1),
          }),
        ]);
        expect([received, deleted]).toEqual(
          received === 'received' ? ['received', []] : ['contact_gone', [contact.id]],
        );
      }
    });

    it('is stored once by those that come concurrently under several network ids', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const results = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const [own = '', other = ''] = index % 2 === 0 ? ['lid:1', 'number:1'] : ['number:1', 'lid:1'];
          const contact = await save(storage, { instance, lease }, { networkId: own, aliases: [other] });
          const message = anInboundMessage(instance, { networkId: 'n1', contact: summaryOf(contact) });
          return storage.messages.receive(lease, {
            message,
            senderId: own,
            contact,
            event: anEvent(workspace),
          });
        }),
      );
      expect(results.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'duplicate'), 'received']);
    });

    it('is a repeat of one that was stored under a merged contact', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const winner = await save(storage, { instance, lease }, { networkId: 'number:1' }, NOW);
      const loser = await save(storage, { instance, lease }, { networkId: 'lid:1' }, NOW + 1);
      const first = anInboundMessage(instance, { networkId: 'n1', contact: summaryOf(loser) });
      const event = anEvent(workspace);
      await storage.messages.receive(lease, { message: first, senderId: 'lid:1', contact: loser, event });
      const merged = await save(
        storage,
        { instance, lease },
        { networkId: 'lid:1', aliases: ['number:1'] },
        NOW + 2,
      );
      const second = anInboundMessage(instance, { networkId: 'n1', contact: summaryOf(merged) });
      const repeat = { message: second, senderId: 'number:1', contact: merged, event };
      expect(await storage.messages.receive(lease, repeat)).toBe('duplicate');
      // The contact was read before the merge; the message is stored after the merge.
      const third = anInboundMessage(instance, { networkId: 'n2', contact: summaryOf(loser) });
      const late = { message: third, senderId: 'lid:1', contact: loser, event };
      expect(await storage.messages.receive(lease, late)).toBe('received');
      expect((await storage.messages.find(workspace.id, third.id))?.contact?.id).toBe(winner.id);
      const fourth = anInboundMessage(instance, { networkId: 'n2', contact: summaryOf(merged) });
      const last = { message: fourth, senderId: 'lid:1', contact: merged, event };
      expect(await storage.messages.receive(lease, last)).toBe('duplicate');
    });
  });

  describe('a look-up of messages', () => {
    it('finds all of an instance that have a network id, the outbound one first', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const outbound = aMessage(instance, { networkId: 'n1' });
      const inbound = [
        anInboundMessage(instance, { networkId: 'n1' }),
        anInboundMessage(instance, { networkId: 'n1' }),
      ];
      for (const [index, message] of inbound.entries()) {
        const arrival = { message, senderId: `s${index}`, event: anEvent(workspace) };
        expect(await storage.messages.receive(lease, arrival)).toBe('received');
      }
      await accept(storage, outbound);
      await accept(storage, aMessage(neighbour, { networkId: 'n1' }));
      const [first, ...rest] = await storage.messages.findByNetworkId(instance.id, 'n1');
      expect(first).toEqual(outbound);
      expect(rest.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(inbound);
      expect(await storage.messages.findByNetworkId(instance.id, 'n2')).toEqual([]);
    });

    it('returns at most twenty, of any sender', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      for (let index = 0; index < 30; index += 1) {
        const message = anInboundMessage(instance, { networkId: 'n1' });
        await storage.messages.receive(lease, { message, senderId: `s${index}`, event: anEvent(workspace) });
      }
      expect(await storage.messages.findByNetworkId(instance.id, 'n1')).toHaveLength(20);
    });

    itAlways('says who wrote a message that a reply quotes', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const contact = await save(storage, { instance, lease }, { networkId: 'number:1' });
      const known = await receive(storage, instance, lease, contact, 'number:1');
      const now = await save(storage, { instance, lease }, { networkId: 'lid:1', aliases: ['number:1'] });
      const unknown = anInboundMessage(instance);
      await storage.messages.receive(lease, { message: unknown, senderId: 's2', event: anEvent(workspace) });
      const own = aMessage(instance);
      await accept(storage, own);
      const find = async (id: string) => storage.messages.findQuotable(instance.id, id);
      expect(await find(known.id)).toEqual({
        message: { ...known, contact: summaryOf(now) },
        senderId: 'lid:1',
      });
      expect(await find(unknown.id)).toEqual({ message: unknown, senderId: 's2' });
      expect(await find(own.id)).toEqual({ message: own, senderId: null });
      expect(await find(testId('msg', NOW))).toBeNull();
      expect(await storage.messages.findQuotable(neighbour.id, own.id)).toBeNull();
    });
  });
}

async function save(
  storage: Storage<unknown>,
  { instance, lease }: { readonly instance: Instance; readonly lease: Lease },
  report: Partial<ContactReport>,
  now: number = NOW,
): Promise<Contact> {
  const { workspaceId } = instance;
  const saved = await storage.contacts.save({ lease, workspaceId, report: reportOf(report), now });
  if (saved === 'fenced') throw new Error('The lease has ended.');
  return saved;
}

function reportOf(report: Partial<ContactReport>): ContactReport {
  return { networkId: 'lid:1', aliases: [], phoneNumber: null, name: null, username: null, ...report };
}

async function receive(
  storage: Storage<unknown>,
  instance: Instance,
  lease: Lease,
  contact: Contact,
  senderId: string,
): Promise<Message> {
  const message = anInboundMessage(instance, { contact: summaryOf(contact) });
  const event = anEvent({ id: instance.workspaceId });
  expect(await storage.messages.receive(lease, { message, senderId, contact, event })).toBe('received');
  return message;
}
