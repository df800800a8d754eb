import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { matchesWords, queryWords, searchWords, summaryOf } from '@trunkline/core/spi/storage';
import type {
  Instance,
  Lease,
  Message,
  MessageFilter,
  Page,
  PageRequest,
  Storage,
  Workspace,
} from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anActivity, anEvent, anInboundMessage, NOW } from './examples.ts';
import { editingInPlace, sending, storeInstance, storeLeasedInstance } from './fixtures.ts';
import { expectedPage, pageRequests } from './paging.ts';
import { testDatabases } from './test-database.ts';

export function searchContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a search', () => {
    itAlways('finds old, frequent and edited messages among many, in bounded steps', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const messages = Array.from({ length: 2_100 }, (_, index) =>
        aMessage(instance, {
          createdAt: NOW + 10 * index,
          text: textOf(index),
          to: String(20_000_000 + index),
        }),
      );
      await acceptAll(storage, messages);
      await fileAll(storage);
      const find = (query: string) => walk(storage, workspace, query);
      const those = (isOne: (index: number) => boolean) =>
        messages
          .filter((_, index) => isOne(index))
          .map(({ id }) => id)
          .toReversed();

      expect(await find('zebra')).toEqual(those((index) => index === 3));
      expect(await find('seldom')).toEqual(those((index) => index % 400 === 7));
      expect(await find('every')).toEqual(those(() => true));
      expect(await find('even odd')).toEqual([]);
      expect(await find('even seld')).toEqual([]);
      expect(await find('odd sel')).toEqual(those((index) => index % 400 === 7));
      expect(await find('20000003')).toEqual(those((index) => index === 3));
      expect(await find('nothing')).toEqual([]);

      // A message that comes late, and a message whose text changes, are in their places.
      const late = aMessage(instance, { createdAt: NOW + 55, text: 'Zebra and quagga' });
      await acceptAll(storage, [late]);
      const edited = must(messages[9]);
      const { editedAt, deletedAt } = edited;
      const change = { message: { ...edited, text: 'A quagga' }, expected: { editedAt, deletedAt } };
      const activity = anActivity(anEvent(workspace), { key: 'edit', change });
      expect(await storage.activities.record(lease, activity)).toBe('recorded');
      expect(await find('every zebra')).toEqual(those((index) => index === 3));
      await fileAll(storage);
      expect(await find('quagga')).toEqual([edited.id, late.id]);
      expect(await find('zebra')).toEqual([late.id, must(messages[3]).id]);
      expect(await find('every')).toEqual(those((index) => index !== 9));

      await erase(storage, workspace, [late, must(messages[3]), ...messages.slice(10, 700)]);
      expect(await find('zebra')).toEqual([]);
      const left = those((index) => index >= 700 || (index < 9 && index !== 3));
      expect(await find('every')).toEqual(left);
      await fileAll(storage);
      expect(await find('every')).toEqual(left);
      expect(await find('quagga')).toEqual([edited.id]);
      expect(await find('every text odd')).toEqual(
        those((index) => index % 2 === 1 && (index >= 700 || (index < 9 && index !== 3))),
      );
    });

    it('is right for every text, filter, page and direction', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        fc.array(someText, { maxLength: 20 }),
        someQuery,
        someFilter,
        fc.array(pageRequests, { minLength: 1, maxLength: 4 }),
        async (texts, query, filter, requests) => {
          const { workspace, instance, lease } = await storeLeasedInstance(storage);
          const stored: Message[] = [];
          for (const [index, text] of texts.entries()) {
            const message = aMessage(instance, {
              createdAt: NOW + ((index * 7) % 26),
              text,
              to: index % 3 === 0 ? '15550111' : '15550122',
            });
            await acceptAll(storage, [message]);
            const change = sending(message);
            if (index % 2 === 0) await storage.messages.change(lease, change);
            stored.push(index % 2 === 0 ? change.message : message);
            if (index % 5 === 0) await storage.chats.file?.(2);
          }
          await fileAll(storage);
          const words = queryWords(query);
          const rows = stored.filter(
            (message) =>
              matchesWords(searchWords({ ...message, filename: null, groupName: null }), words) &&
              (filter.statuses ?? [message.status]).includes(message.status),
          );
          const wanted = { ...filter, words };
          for (const request of requests) {
            const page = request(stored.map(({ id }) => id));
            expect(await storage.messages.list(workspace.id, wanted, page)).toEqual(expectedPage(rows, page));
          }
          for (const digits of ['15550111', '15550122']) {
            const withPerson = { ...wanted, counterpart: { kind: 'number', digits } as const };
            const first = { from: null, limit: 5 };
            expect(await storage.messages.list(workspace.id, withPerson, first)).toEqual(
              expectedPage(
                rows.filter(({ to }) => to === digits),
                first,
              ),
            );
          }
        },
      );
      await fc.assert(property, { numRuns: 25 });
    });

    itAlways(
      'finds names, numbers, captions and files, as they were when the message was filed',
      async () => {
        const storage = await open();
        const { workspace, instance, lease } = await storeLeasedInstance(storage);
        const report = { networkId: 'lid:1', aliases: [], phoneNumber: '15550111', username: null };
        const named = {
          lease,
          workspaceId: workspace.id,
          report: { ...report, name: 'Ada Lovelace' },
          now: NOW,
        };
        const ada = await storage.contacts.save(named);
        if (ada === 'fenced') throw new Error('The lease has ended.');
        await storage.groups.save({
          lease,
          workspaceId: workspace.id,
          groups: [{ networkId: 'g1', name: 'Chess club', participantsCount: 3 }],
          now: NOW,
        });
        const group = must((await storage.groups.list(workspace.id, instance.id))[0]);
        const contact = summaryOf(ada);
        const received = anInboundMessage(instance, {
          contact,
          from: null,
          text: 'Hi',
          kind: 'text',
          payload: null,
        });
        const event = anEvent(workspace);
        await storage.messages.receive(lease, { message: received, senderId: 'lid:1', contact: ada, event });
        const media = { available: false, mimeType: 'a/b', size: 1, filename: 'Plan\0-B.pdf', sha256: null };
        const sent = aMessage(instance, {
          createdAt: NOW + 1,
          to: null,
          groupId: group.id,
          type: 'document',
          text: null,
          caption: 'Please read',
          media,
        });
        await acceptAll(storage, [sent]);
        await fileAll(storage);
        const find = (query: string) => walk(storage, workspace, query);
        for (const query of ['ada', 'LOVE', 'hi ada', '1555', '15550111']) {
          expect(await find(query)).toEqual([received.id]);
        }
        for (const query of ['plan', 'pdf b', 'chess read', 'club'])
          expect(await find(query)).toEqual([sent.id]);
        expect(await find('ovelace')).toEqual([]);

        await storage.contacts.save({ ...named, report: { ...report, name: 'Countess' } });
        await fileAll(storage);
        expect(await find('ada')).toEqual([received.id]);
        expect(await find('countess')).toEqual([]);
      },
    );

    it('does not find messages of other workspaces, nor of other instances than asked for', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const other = await storeLeasedInstance(storage);
      const here = aMessage(instance, { text: 'same words' });
      const there = aMessage(neighbour, { text: 'same words', createdAt: NOW + 1 });
      const elsewhere = aMessage(other.instance, { text: 'same words', createdAt: NOW + 2 });
      await acceptAll(storage, [here, there, elsewhere]);
      await fileAll(storage);
      expect(await walk(storage, workspace, 'same')).toEqual([there.id, here.id]);
      expect(await walk(storage, workspace, 'same', { instanceId: instance.id })).toEqual([here.id]);
      expect(await walk(storage, workspace, 'same', { instanceId: other.instance.id })).toEqual([]);
      expect(await walk(storage, other.workspace, 'same')).toEqual([elsewhere.id]);
      expect(await walk(storage, { ...workspace, id: 'ten_none' }, 'same')).toEqual([]);
    });

    it('forgets the words that an edit, a deletion for everyone or an erasure removes', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [inPlace, byPhone, gone, erased] = await changeable(storage, { instance, lease });
      const find = (query: string) => walk(storage, workspace, query);
      expect(await find('first')).toEqual([erased.id, gone.id, byPhone.id, inPlace.id]);

      const outcome = await storage.actions.accept(editingInPlace(inPlace, 'second'));
      expect(outcome).toEqual({ kind: 'edited_in_place' });
      const expected = { editedAt: null, deletedAt: null };
      const edit = { message: { ...byPhone, text: 'second', editedAt: NOW }, expected };
      const deletion = { message: { ...gone, text: null, deletedAt: NOW }, expected };
      for (const change of [edit, deletion]) {
        const activity = anActivity(anEvent(workspace), { key: change.message.id, change });
        expect(await storage.activities.record(lease, activity)).toBe('recorded');
      }
      await erase(storage, workspace, [erased]);
      expect(await find('first')).toEqual([]);
      await fileAll(storage);
      expect(await find('first')).toEqual([]);
      expect(await find('second')).toEqual([byPhone.id, inPlace.id]);
    });
  });
}

function textOf(index: number): string {
  const rare = index === 3 ? ' zebra' : index % 400 === 7 ? ' seldom' : '';
  return `Every text is ${index % 2 === 0 ? 'even' : 'odd'}${rare}`;
}

const WORDS = [
  'a',
  'an',
  'and',
  'Ánd',
  'bread',
  'brew',
  '天气',
  '气',
  '7',
  '77',
  '🎉',
  "it's",
  '%_\\',
] as const;
const someText = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(' '));
const someQuery = fc
  .array(fc.constantFrom(...WORDS, 'b', 'br', '155'), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '))
  .filter((query) => queryWords(query).length > 0);
const someFilter: fc.Arbitrary<MessageFilter> = fc.record(
  { statuses: fc.subarray(['queued', 'sent'] as const, { minLength: 1 }) },
  { requiredKeys: [] },
);

interface Link {
  readonly instance: Instance;
  readonly lease: Lease;
}

/** Four filed messages with the same text. The first is queued behind another one, and the others were sent. */
async function changeable(
  storage: Storage,
  { instance, lease }: Link,
): Promise<readonly [Message, Message, Message, Message]> {
  const texts = ['ahead', 'first', 'first', 'first', 'first'];
  const [ahead, queued, ...others] = texts.map((text, index) =>
    aMessage(instance, { createdAt: NOW + index, text, to: index < 2 ? '15550111' : `1555012${index}` }),
  );
  await acceptAll(storage, [must(ahead), must(queued), ...others]);
  for (const message of others) await storage.messages.change(lease, sending(message));
  await fileAll(storage);
  const [second, third, fourth] = others.map((message) => sending(message).message);
  return [must(queued), must(second), must(third), must(fourth)];
}

async function acceptAll(storage: Storage, messages: readonly Message[]): Promise<void> {
  await Promise.all(
    messages.map(async (message) => {
      const acceptance = { message, idempotency: null, backlogLimit: 10_000, trialLimit: null };
      expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
    }),
  );
}

async function erase(storage: Storage, workspace: Workspace, messages: readonly Message[]): Promise<void> {
  const ids = messages.map(({ id }) => id);
  for (let first = 0; first < ids.length; first += 100) {
    const deletion = { ids: ids.slice(first, first + 100), unfinished: 'deleted', limit: 1_000 } as const;
    await storage.erasure.deleteMessages(workspace.id, deletion);
  }
}

async function fileAll({ chats }: Storage): Promise<void> {
  for (let pass = await chats.file?.(1_000); pass?.more; pass = await chats.file?.(1_000));
}

/** Reads all pages of a search, towards older and back towards newer messages, and returns the ids, newest first. */
async function walk(
  storage: Storage,
  workspace: Workspace,
  query: string,
  filter: MessageFilter = {},
): Promise<readonly string[]> {
  const wanted = { ...filter, words: queryWords(query) };
  const list = (from: PageRequest['from']) =>
    storage.messages.list(workspace.id, wanted, { from, limit: 100 });
  const older: string[] = [];
  let from: PageRequest['from'] = null;
  let page: Page<Message> = await list(from);
  expect(page.hasNewer).toBe(false);
  for (;;) {
    older.push(...page.rows.map(({ id }) => id));
    const id: string | undefined = page.olderFrom ?? page.rows.at(-1)?.id;
    if (!page.hasOlder || id === undefined) break;
    from = { direction: 'older', id };
    page = await list(from);
  }
  const last = older.at(-1);
  if (last === undefined) return older;
  const newer: string[] = [];
  for (from = { direction: 'newer', id: last }; from !== null;) {
    page = await list(from);
    newer.unshift(...page.rows.map(({ id }) => id));
    const id: string | undefined = page.newerFrom ?? page.rows[0]?.id;
    from = page.hasNewer && id !== undefined ? { direction: 'newer', id } : null;
  }
  expect([...newer, last]).toEqual(older);
  return older;
}
