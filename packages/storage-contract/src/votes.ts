import { describe, expect } from 'vitest';
import type { Contact, ContactReport, Lease, Message, Storage, Vote } from '@trunkline/core/spi/storage';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anActivity, anEvent, anInboundMessage, NOW, testId } from './examples.ts';
import { loseLease, storeEndpoint, storeLeasedInstance, storeWorkspace } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const ALL = { from: null, limit: 100 } as const;

export function voteContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  /** A received message, in place of a poll: storages do not read what it says. */
  const polled = async (storage: Storage) => {
    const { workspace, instance, lease } = await storeLeasedInstance(storage);
    const receive = async (): Promise<Message> => {
      const message = anInboundMessage(instance, { deletedAt: null });
      const event = anEvent(workspace, NOW, { type: 'message.received' });
      expect(await storage.messages.receive(lease, { message, senderId: 's1', contact: null, event })).toBe(
        'received',
      );
      return message;
    };
    const save = async (name: string, more: Partial<ContactReport> = {}): Promise<Contact> => {
      const report = {
        networkId: `${name}@net`,
        aliases: [],
        phoneNumber: null,
        name,
        username: null,
        ...more,
      };
      const saved = await storage.contacts.save({ lease, workspaceId: workspace.id, report, now: NOW });
      if (saved === 'fenced') throw new Error('The lease is lost.');
      return saved;
    };
    return { storage, workspace, instance, lease, poll: await receive(), receive, save };
  };
  const aVote = (poll: Message, contact: Contact | null, changes: Partial<Vote> = {}): Vote => {
    const votedAt = changes.votedAt ?? NOW;
    return {
      id: testId('vot', votedAt),
      workspaceId: poll.workspaceId,
      messageId: poll.id,
      contactId: contact?.id ?? null,
      options: ['Mon'],
      votedAt,
      ...changes,
    };
  };
  const cast = (storage: Storage, lease: Lease, vote: Vote, contact: Contact | null = null) =>
    storage.activities.record(
      lease,
      anActivity(anEvent({ id: vote.workspaceId }, NOW, { type: 'message.poll_voted' }), {
        key: null,
        vote: { vote, voterIds: contact ? [contact.id, ...contact.formerIds] : [] },
      }),
    );
  const votes = async ({ votes: store }: Storage, { workspaceId, id }: Message) =>
    (await store.list(workspaceId, id, ALL)).rows;

  describe('a vote in a poll', () => {
    itAlways('is listed with its person, and replaces the earlier vote of that person alone', async () => {
      const { storage, workspace, lease, poll, receive, save } = await polled(await open());
      await storeEndpoint(storage, workspace, { events: ['message.poll_voted'] });
      const [ada, bob] = [await save('ada'), await save('bob')];
      const elsewhere = aVote(await receive(), ada);
      const [first, other, own] = [aVote(poll, ada), aVote(poll, bob), aVote(poll, null)];
      for (const [vote, contact] of [
        [elsewhere, ada],
        [first, ada],
        [other, bob],
        [own, null],
      ] as const)
        expect(await cast(storage, lease, vote, contact)).toBe('recorded');
      expect(await votes(storage, poll)).toEqual([
        { ...own, contact: null },
        { ...other, contact: bob },
        { ...first, contact: ada },
      ]);
      const [next, ownNext] = [
        aVote(poll, ada, { options: [], votedAt: NOW + 1 }),
        aVote(poll, null, { options: ['Tue', 'Wéd'], votedAt: NOW + 1 }),
      ];
      expect(await cast(storage, lease, next, ada)).toBe('recorded');
      expect(await cast(storage, lease, ownNext)).toBe('recorded');
      expect(await votes(storage, poll)).toEqual([
        { ...ownNext, contact: null },
        { ...next, contact: ada },
        { ...other, contact: bob },
      ]);
      const { rows } = await storage.votes.list(workspace.id, poll.id, {
        from: { direction: 'older', id: ownNext.id },
        limit: 1,
      });
      expect(rows).toEqual([{ ...next, contact: ada }]);
      expect(await storage.votes.listOfPeople(workspace.id, [ada.id])).toEqual([elsewhere, next]);
      const foreign = await storeWorkspace(storage);
      expect(await storage.votes.listOfPeople(foreign.id, [ada.id])).toEqual([]);
      expect((await storage.votes.list(foreign.id, poll.id, ALL)).rows).toEqual([]);
    });

    it('is a repeat, without an event, if a stored one is newer or the same', async () => {
      const { storage, workspace, lease, poll, save } = await polled(await open());
      await storeEndpoint(storage, workspace, { events: ['message.poll_voted'] });
      const ada = await save('ada');
      const stored = aVote(poll, ada, { votedAt: NOW + 5 });
      expect(await cast(storage, lease, stored, ada)).toBe('recorded');
      for (const votedAt of [NOW + 4, NOW + 5])
        expect(await cast(storage, lease, aVote(poll, ada, { votedAt }), ada)).toBe('repeat');
      expect(await votes(storage, poll)).toEqual([{ ...stored, contact: ada }]);
      const atOnce = aVote(poll, ada, { votedAt: NOW + 5, options: ['Tue'] });
      expect(await cast(storage, lease, atOnce, ada)).toBe('recorded');
      expect(await votes(storage, poll)).toEqual([{ ...atOnce, contact: ada }]);
      const { rows } = await storage.events.list(workspace.id, {}, ALL, 0);
      expect(rows.filter(({ type }) => type === 'message.poll_voted')).toHaveLength(2);
    });

    it('is one of those that a person gives concurrently', async () => {
      const { storage, lease, poll, save } = await polled(await open());
      const ada = await save('ada');
      const given = [1, 2, 3, 4, 5].map((ms) => aVote(poll, ada, { votedAt: NOW + ms, options: [`${ms}`] }));
      await Promise.all(given.map((vote) => cast(storage, lease, vote, ada)));
      expect(await votes(storage, poll)).toMatchObject([{ options: ['5'] }]);
    });

    it('is not stored under a lost lease, for another instance, or for a message or a person that is gone', async () => {
      const { storage, lease, poll, save } = await polled(await open());
      const ada = await save('ada');
      const neighbour = await storeLeasedInstance(storage);
      expect(await cast(storage, neighbour.lease, aVote(poll, ada), ada)).toBe('stale');
      expect(await cast(storage, lease, aVote(poll, ada, { messageId: testId('msg', NOW) }), ada)).toBe(
        'stale',
      );
      expect(await cast(storage, lease, aVote(poll, ada, { contactId: testId('con', NOW) }), ada)).toBe(
        'stale',
      );
      await loseLease(storage, lease);
      expect(await cast(storage, lease, aVote(poll, ada), ada)).toBe('fenced');
      expect(await votes(storage, poll)).toEqual([]);
    });

    it('stays one person’s when contacts are merged', async () => {
      const { storage, lease, poll, save } = await polled(await open());
      const hidden = await save('ada-lid');
      const known = await save('ada', { phoneNumber: '34600000009' });
      expect(await cast(storage, lease, aVote(poll, known), known)).toBe('recorded');
      const merged = await save('ada-lid', { aliases: ['ada@net'], phoneNumber: '34600000009' });
      expect([...merged.formerIds, merged.id].toSorted()).toEqual([hidden.id, known.id].toSorted());
      expect(await votes(storage, poll)).toMatchObject([{ contactId: known.id, contact: { id: merged.id } }]);
      const again = aVote(poll, merged, { votedAt: NOW + 1 });
      expect(await cast(storage, lease, again, merged)).toBe('recorded');
      expect(await votes(storage, poll)).toEqual([{ ...again, contact: merged }]);
      const former = aVote(poll, merged, { votedAt: NOW + 2, contactId: merged.formerIds[0] ?? '' });
      expect(await cast(storage, lease, former, merged)).toBe('stale');
    });

    it('goes with its message, with its person, and with a deletion for everyone', async () => {
      const { storage, workspace, lease, poll, receive, save } = await polled(await open());
      const [ada, bob] = [await save('ada'), await save('bob')];
      const [erased, deleted] = [await receive(), await receive()];
      for (const message of [poll, erased, deleted])
        for (const contact of [ada, bob])
          expect(await cast(storage, lease, aVote(message, contact), contact)).toBe('recorded');
      const deletion = { ids: [erased.id], unfinished: 'deleted', limit: 100 } as const;
      for (let more = true; more;) ({ more } = await storage.erasure.deleteMessages(workspace.id, deletion));
      const change = { message: { ...deleted, text: null, deletedAt: NOW + 5 }, expected: deleted };
      const event = anEvent(workspace, NOW, { type: 'message.deleted' });
      expect(await storage.activities.record(lease, anActivity(event, { key: null, change }))).toBe(
        'recorded',
      );
      const of = async (contact: Contact) => storage.votes.listOfPeople(workspace.id, [contact.id]);
      expect(await of(ada)).toMatchObject([{ messageId: poll.id }]);
      const gone = { ids: [ada.id], unlessAfter: testId('msg', NOW + 1) };
      expect(await storage.erasure.deleteContacts(workspace.id, gone)).toEqual([ada.id]);
      expect(await of(ada)).toEqual([]);
      expect(await votes(storage, poll)).toMatchObject([{ contactId: bob.id }]);
      expect(await cast(storage, lease, aVote(deleted, bob, { votedAt: NOW + 9 }), bob)).toBe('stale');
    });
  });
}
