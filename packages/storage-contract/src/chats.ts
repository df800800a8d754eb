import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { summaryOf } from '@trunkline/core/spi/storage';
import type {
  ChatSummary,
  Contact,
  ContactReport,
  Instance,
  Lease,
  Message,
  MessageFilter,
  Recipient,
  Storage,
} from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anInboundMessage, NOW, testId } from './examples.ts';
import { accept, QUEUE_FAILURE, sending, storeInstance, storeLeasedInstance, takeLease } from './fixtures.ts';
import { expectedPage, pageRequests, walk } from './paging.ts';
import { testDatabases } from './test-database.ts';

const ADA = '15550111';
const BO = '15550122';
/** Another number that reaches Ada. */
const DIALLED = '155500111';
const ALL = { from: null, limit: 100 };

export function chatContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('messages by counterpart', () => {
    it('are found by number and by contact, as of one person, filed or not', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const toNumber = await send(storage, link.instance, { to: ADA });
      const ada = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA, name: 'Ada' });
      const fromContact = await receive(storage, link, ada, { from: null });
      const toContact = await send(storage, link.instance, { to: ADA, contact: summaryOf(ada) }, NOW + 2);
      await send(storage, link.instance, { to: BO });

      const expected = [toContact, fromContact, { ...toNumber, contact: null }];
      for (const counterpart of [byNumber(ADA), byContact(ada.id)]) {
        expect(await idsWith(storage, link.workspace.id, counterpart)).toEqual(idsOf(expected));
      }
      await fileAll(storage);
      for (const counterpart of [byNumber(ADA), byContact(ada.id)]) {
        expect(await idsWith(storage, link.workspace.id, counterpart)).toEqual(idsOf(expected));
        const page = await storage.messages.list(link.workspace.id, { counterpart }, ALL);
        expect(page.rows[0]).toEqual(toContact);
      }
    });

    it('keep direct chats and groups apart', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const groupId = testId('grp', NOW);
      const ada = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA });
      const direct = await receive(storage, link, ada, { from: ADA });
      const inGroup = await receive(storage, link, ada, { from: ADA, groupId, to: null }, NOW + 1);
      const toGroup = await send(storage, link.instance, { to: null, groupId }, NOW + 2);
      for (const _ of ['unfiled', 'filed']) {
        expect(await idsWith(storage, link.workspace.id, byNumber(ADA))).toEqual([direct.id]);
        expect(await idsWith(storage, link.workspace.id, byContact(ada.id))).toEqual([direct.id]);
        expect(await idsWith(storage, link.workspace.id, byGroup(groupId))).toEqual([toGroup.id, inGroup.id]);
        await fileAll(storage);
      }
    });

    it('follow a person whose contacts turn out to be one', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const byNumberAlone = await save(storage, link, { networkId: 'number:1', phoneNumber: ADA });
      const hidden = await save(storage, link, { networkId: 'lid:1' }, NOW + 1);
      const early = await receive(storage, link, byNumberAlone, { from: ADA }, NOW + 1);
      const late = await receive(storage, link, hidden, { from: null }, NOW + 2);
      await fileAll(storage);
      const merged = await save(storage, link, { networkId: 'lid:1', aliases: ['number:1'] }, NOW + 3);
      const latest = await receive(storage, link, merged, { from: ADA }, NOW + 4);
      const expected = [latest.id, late.id, early.id];
      for (const counterpart of [byNumber(ADA), byContact(byNumberAlone.id), byContact(hidden.id)]) {
        expect(await idsWith(storage, link.workspace.id, counterpart)).toEqual(expected);
      }
    });

    it('are found by the registered number and by the dialled one', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const ada = await save(storage, link, {
        networkId: 'lid:1',
        phoneNumber: ADA,
        dialledNumbers: [DIALLED],
      });
      const toDialled = await send(storage, link.instance, { to: DIALLED });
      const fromContact = await receive(storage, link, ada, { from: ADA }, NOW + 1);
      const toRegistered = await send(storage, link.instance, { to: ADA }, NOW + 2);
      const expected = [toRegistered.id, fromContact.id, toDialled.id];
      for (const _ of ['unfiled', 'filed']) {
        for (const counterpart of [byNumber(DIALLED), byNumber(ADA), byContact(ada.id)]) {
          expect(await idsWith(storage, link.workspace.id, counterpart)).toEqual(expected);
          const here = { instanceId: link.instance.id };
          expect(await idsWith(storage, link.workspace.id, counterpart, here)).toEqual(expected);
        }
        const { rows } = await storage.chats.list(link.workspace.id, link.instance.id, ALL);
        expect(rows).toMatchObject([
          { contact: summaryOf(ada), number: ADA, lastMessage: { id: toRegistered.id } },
        ]);
        await fileAll(storage);
      }
      const latest = await send(storage, link.instance, { to: DIALLED }, NOW + 3);
      for (const _ of ['unfiled', 'filed']) {
        const { rows } = await storage.chats.list(link.workspace.id, link.instance.id, ALL);
        expect(rows).toMatchObject([{ contact: summaryOf(ada), lastMessage: { id: latest.id } }]);
        await fileAll(storage);
      }
    });

    it('belong to the present owner of their number, not to a person that it once reached', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const ada = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA, dialledNumbers: [BO] });
      const toAda = await send(storage, link.instance, { to: ADA });
      const bo = await save(storage, link, { networkId: 'lid:2', phoneNumber: BO });
      const toBo = await send(storage, link.instance, { to: BO }, NOW + 1);
      for (const _ of ['unfiled', 'filed']) {
        for (const counterpart of [byNumber(ADA), byContact(ada.id)])
          expect(await idsWith(storage, link.workspace.id, counterpart)).toEqual([toAda.id]);
        for (const counterpart of [byNumber(BO), byContact(bo.id)])
          expect(await idsWith(storage, link.workspace.id, counterpart)).toEqual([toBo.id]);
        const { rows } = await storage.chats.list(link.workspace.id, link.instance.id, ALL);
        expect(rows).toMatchObject([{ contact: summaryOf(bo) }, { contact: summaryOf(ada) }]);
        await fileAll(storage);
      }
    });

    it('are found by a number for its present owner only', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const before = await save(storage, link, {
        networkId: 'lid:1',
        aliases: ['number:1'],
        phoneNumber: ADA,
      });
      const first = await receive(storage, link, before, { from: ADA }, NOW + 1);
      const now = await save(storage, link, {
        networkId: 'lid:2',
        aliases: ['number:1'],
        phoneNumber: ADA,
      });
      expect(now.id).not.toBe(before.id);
      const second = await receive(storage, link, now, { from: ADA }, NOW + 2);
      for (const _ of ['unfiled', 'filed']) {
        expect(await idsWith(storage, link.workspace.id, byNumber(ADA))).toEqual([second.id]);
        expect(await idsWith(storage, link.workspace.id, byContact(before.id))).toEqual([first.id]);
        await fileAll(storage);
      }
    });

    it('are found by number in all instances of the workspace, by contact in its own only', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const lease = await takeLease(storage, neighbour);
      const ada = await save(
        storage,
        { instance: neighbour, lease },
        { networkId: 'lid:1', phoneNumber: ADA },
      );
      const here = await send(storage, instance, { to: ADA });
      const there = await receive(storage, { instance: neighbour, lease }, ada, { from: null }, NOW + 1);
      for (const _ of ['unfiled', 'filed']) {
        expect(await idsWith(storage, workspace.id, byNumber(ADA))).toEqual([there.id, here.id]);
        expect(await idsWith(storage, workspace.id, byNumber(ADA), { instanceId: instance.id })).toEqual([
          here.id,
        ]);
        expect(await idsWith(storage, workspace.id, byContact(ada.id), { instanceId: instance.id })).toEqual(
          [],
        );
        expect(await idsWith(storage, workspace.id, byContact(ada.id))).toEqual([there.id]);
        await fileAll(storage);
      }
    });

    it('are hidden from other workspaces, and not found by an id of a wrong form', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const other = await storeLeasedInstance(storage);
      const groupId = testId('grp', NOW);
      const ada = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA });
      await receive(storage, link, ada, { from: ADA });
      await send(storage, link.instance, { to: ADA });
      await send(storage, link.instance, { to: null, groupId });
      for (const _ of ['unfiled', 'filed']) {
        for (const counterpart of [byNumber(ADA), byContact(ada.id), byGroup(groupId)]) {
          expect(await idsWith(storage, other.workspace.id, counterpart)).toEqual([]);
          const foreign = { instanceId: link.instance.id };
          expect(await idsWith(storage, other.workspace.id, counterpart, foreign)).toEqual([]);
        }
        expect((await storage.chats.list(other.workspace.id, link.instance.id, ALL)).rows).toEqual([]);
        for (const counterpart of [byContact('con_'), byGroup('grp_no'), byNumber('')]) {
          expect(await idsWith(storage, link.workspace.id, counterpart)).toEqual([]);
        }
        await fileAll(storage);
      }
    });

    it('outlive their instance', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const [filed] = [await send(storage, instance, { to: ADA })];
      await fileAll(storage);
      const unfiled = await send(storage, instance, { to: ADA }, NOW + 1);
      await storage.instances.delete({ instance, lease, failQueued: QUEUE_FAILURE });
      expect(await idsWith(storage, workspace.id, byNumber(ADA))).toEqual([unfiled.id, filed.id]);
    });

    it('are right for every filter, page and direction, whatever is filed', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        fc.array(fc.record({ kind, isFiled: fc.boolean() }), { maxLength: 25 }),
        filter,
        fc.array(pageRequests, { minLength: 1, maxLength: 4 }),
        async (steps, wanted, requests) => {
          const { workspace, ada, messages } = await storeSteps(storage, steps);
          const rows = messages.filter((message) => isWithAda(message) && passes(message, wanted));
          for (const counterpart of [byNumber(ADA), byContact(ada.id)]) {
            for (const request of requests) {
              const page = request(messages.map(({ id }) => id));
              expect(await storage.messages.list(workspace.id, { ...wanted, counterpart }, page)).toEqual(
                expectedPage(rows, page),
              );
            }
          }
        },
      );
      await fc.assert(property, { numRuns: 20 });
    });
  });

  describe('the chats of an instance', () => {
    it('are listed by their last message, each person and each group once', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const { instance, lease, workspace } = link;
      await storage.groups.save({
        lease,
        workspaceId: workspace.id,
        groups: [{ networkId: 'g1', name: 'Berlin 👋', participantsCount: 3 }],
        now: NOW,
      });
      const group = must((await storage.groups.list(workspace.id, instance.id))[0]);
      await send(storage, instance, { to: ADA }, NOW + 1);
      const toBo = await send(storage, instance, { to: BO }, NOW + 2);
      const inGroup = await send(storage, instance, { to: null, groupId: group.id }, NOW + 3);
      const ada = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA, name: 'Ada' });
      const fromAda = await receive(storage, link, ada, { from: null }, NOW + 4);
      const unknown = anInboundMessage(instance, { from: null, createdAt: NOW + 5 });
      await storage.messages.receive(lease, { message: unknown, senderId: 'x', event: anEvent(workspace) });

      const common = { instanceId: instance.id, groupId: null, contact: null, number: null, groupName: null };
      const expected: readonly ChatSummary[] = [
        { ...common, contact: summaryOf(ada), number: ADA, lastMessage: fromAda },
        { ...common, groupId: group.id, groupName: group.name, lastMessage: inGroup },
        { ...common, number: BO, lastMessage: toBo },
      ];
      for (const _ of ['unfiled', 'filed']) {
        expect(await storage.chats.list(workspace.id, instance.id, ALL)).toEqual({
          rows: expected,
          hasOlder: false,
          hasNewer: false,
        });
        await fileAll(storage);
      }
      const again = await send(storage, instance, { to: BO }, NOW + 6);
      for (const _ of ['unfiled', 'filed']) {
        const chats = await storage.chats.list(workspace.id, instance.id, ALL);
        expect(chats.rows.map(({ lastMessage }) => lastMessage.id)).toEqual([
          again.id,
          fromAda.id,
          inGroup.id,
        ]);
        await fileAll(storage);
      }
    });

    it('become one when their contacts do, and a number that a contact gets joins it', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const { workspace, instance } = link;
      await send(storage, instance, { to: ADA }, NOW + 1);
      const hidden = await save(storage, link, { networkId: 'lid:1' }, NOW + 1);
      const last = await receive(storage, link, hidden, { from: null }, NOW + 2);
      await fileAll(storage);
      expect((await storage.chats.list(workspace.id, instance.id, ALL)).rows).toHaveLength(2);
      const known = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA });
      const { rows } = await storage.chats.list(workspace.id, instance.id, ALL);
      expect(rows.map((chat) => [chat.contact?.id, chat.number, chat.lastMessage.id])).toEqual([
        [known.id, ADA, last.id],
      ]);
    });

    it('belong to one instance only', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      await send(storage, instance, { to: ADA });
      const there = await send(storage, neighbour, { to: ADA });
      await fileAll(storage);
      const { rows } = await storage.chats.list(workspace.id, neighbour.id, ALL);
      expect(rows.map(({ lastMessage }) => lastMessage.id)).toEqual([there.id]);
    });

    it('appear once each when paging through them in either direction', async () => {
      const storage = await open();
      const property = fc.asyncProperty(
        fc.array(fc.record({ kind, isFiled: fc.boolean() }), { maxLength: 25 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('older' as const, 'newer' as const),
        async (steps, limit, direction) => {
          const { workspace, instance, messages } = await storeSteps(storage, steps);
          const latest = new Map<string, Message>();
          for (const message of messages.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
            latest.set(isWithAda(message) ? ADA : (message.groupId ?? BO), message);
          }
          const seen = await walk(
            direction,
            limit,
            async (request) => {
              const page = await storage.chats.list(workspace.id, instance.id, request);
              return { ...page, rows: page.rows.map(({ lastMessage }) => lastMessage) };
            },
            { between: async () => undefined },
          );
          expect(idsOf(seen)).toEqual(idsOf(expectedPage([...latest.values()], ALL).rows));
        },
      );
      await fc.assert(property, { numRuns: 15 });
    });
  });

  describe('filing messages', () => {
    it('goes through each once, by however many processes, and then there is nothing left', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const sent: Message[] = [];
      for (let index = 0; index < 20; index += 1) {
        sent.push(await send(storage, instance, { to: index % 2 === 0 ? ADA : BO }, NOW + index));
      }
      const passes: number[] = [];
      const run = async (): Promise<void> => {
        for (let pass = await storage.chats.file?.(3); pass?.more; pass = await storage.chats.file?.(3)) {
          if (pass.filed > 0) passes.push(pass.filed);
        }
      };
      await Promise.all([run(), run(), run()]);
      await fileAll(storage);
      expect(passes.every((filed) => filed === 3)).toBe(true);
      const ofAda = sent.filter(({ to }) => to === ADA);
      expect(await idsWith(storage, workspace.id, byNumber(ADA))).toEqual(idsOf(ofAda.toReversed()));
      const nothing = { filed: 0, lastId: null, more: false };
      expect((await storage.chats.file?.(3)) ?? nothing).toEqual(nothing);
    });

    it('takes each message, however it was stored', async () => {
      const storage = await open();
      const link = await storeLeasedInstance(storage);
      const { workspace, instance, lease } = link;
      const ada = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA });
      const contact = summaryOf(ada);
      const sent = await send(storage, instance, { to: ADA, contact });
      // A storage may store these with another statement, because they are counted.
      const onTrial = aMessage(instance, { to: ADA, contact, createdAt: NOW + 1 });
      const acceptance = { message: onTrial, idempotency: null, backlogLimit: 10, trialLimit: 10 };
      expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
      const received = await receive(storage, link, ada, { from: ADA }, NOW + 2);
      const own = { origin: 'device', status: 'sent', queuedAt: null, sentAt: NOW } as const;
      const echo = aMessage(instance, { ...own, to: ADA, contact, createdAt: NOW + 3 });
      const event = anEvent(workspace, NOW, { type: 'message.echo' });
      const recorded = await storage.activities.recordEcho(lease, { message: echo, event, download: null });
      expect(recorded).toBe('recorded');

      const filed = (await storage.chats.file?.(10)) ?? { filed: 4, lastId: echo.id, more: false };
      expect(filed).toEqual({ filed: 4, lastId: echo.id, more: false });
      const expected = idsOf([echo, received, onTrial, sent]);
      expect(await idsWith(storage, workspace.id, byContact(ada.id))).toEqual(expected);
    });

    it('begins with the oldest one, which look-ups do not read while too many later ones are not filed', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const first = await send(storage, instance, { to: ADA });
      await Promise.all(
        Array.from({ length: 1_000 }, async (_, index) =>
          storage.messages.accept({
            message: aMessage(instance, { to: BO, createdAt: NOW + 1 + index }),
            idempotency: null,
            backlogLimit: 10_000,
            trialLimit: null,
          }),
        ),
      );
      if (storage.chats.file) {
        expect(await idsWith(storage, workspace.id, byNumber(ADA))).toEqual([]);
        expect(await storage.chats.file(1)).toEqual({ filed: 1, lastId: first.id, more: true });
      }
      expect(await idsWith(storage, workspace.id, byNumber(ADA))).toEqual([first.id]);
    });
  });
}

const byNumber = (digits: string): Recipient => ({ kind: 'number', digits });
const byContact = (contactId: string): Recipient => ({ kind: 'contact', contactId });
const byGroup = (groupId: string): Recipient => ({ kind: 'group', groupId });

const kind = fc.constantFrom(
  'text to ada',
  'sent to ada',
  'text from ada',
  'image from ada',
  'text to bo',
  'text to group',
);
type Kind = typeof kind extends fc.Arbitrary<infer Value> ? Value : never;

const filter: fc.Arbitrary<MessageFilter> = fc.record(
  {
    direction: fc.constantFrom('inbound' as const, 'outbound' as const),
    type: fc.constantFrom('text' as const, 'image' as const),
    statuses: fc.subarray(['queued', 'sent', 'received'] as const, { minLength: 1 }),
  },
  { requiredKeys: [] },
);

function passes(message: Message, { direction, type, statuses }: MessageFilter): boolean {
  return (
    (direction ?? message.direction) === message.direction &&
    (type ?? message.type) === message.type &&
    (statuses ?? [message.status]).includes(message.status)
  );
}

function isWithAda({ groupId, to, contact }: Message): boolean {
  return groupId === null && (to === ADA || contact !== null);
}

/** Stores these messages in a new instance, in an order that differs from that of their ids, and files some of them. */
async function storeSteps(
  storage: Storage,
  steps: readonly { readonly kind: Kind; readonly isFiled: boolean }[],
) {
  const link = await storeLeasedInstance(storage);
  const { workspace, instance, lease } = link;
  const groupId = testId('grp', NOW);
  const ada = await save(storage, link, { networkId: 'lid:1', phoneNumber: ADA });
  const messages: Message[] = [];
  for (const [index, step] of steps.entries()) {
    const at = NOW + ((index * 7) % 26);
    const isImage = step.kind.startsWith('image');
    if (step.kind.endsWith('from ada')) {
      messages.push(await receive(storage, link, ada, { from: null, type: isImage ? 'image' : 'text' }, at));
    } else if (step.kind === 'text to group') {
      messages.push(await send(storage, instance, { to: null, groupId }, at));
    } else {
      const message = await send(storage, instance, { to: step.kind === 'text to bo' ? BO : ADA }, at);
      const change = sending(message);
      const isSent = step.kind === 'sent to ada';
      if (isSent) expect(await storage.messages.change(lease, change)).toBe('changed');
      messages.push(isSent ? change.message : message);
    }
    if (step.isFiled) await storage.chats.file?.(2);
  }
  return { workspace, instance, ada, messages };
}

async function send(
  storage: Storage,
  instance: Instance,
  changes: Partial<Message>,
  createdAt: number = NOW,
): Promise<Message> {
  const message = aMessage(instance, { ...changes, createdAt });
  await accept(storage, message);
  return message;
}

interface Link {
  readonly instance: Instance;
  readonly lease: Lease;
}

async function save(
  storage: Storage,
  { instance, lease }: Link,
  report: Partial<ContactReport>,
  now: number = NOW,
): Promise<Contact> {
  const whole = { networkId: '', aliases: [], phoneNumber: null, name: null, username: null, ...report };
  const { workspaceId } = instance;
  const saved = await storage.contacts.save({ lease, workspaceId, report: whole, now });
  if (saved === 'fenced') throw new Error('The lease has ended.');
  return saved;
}

async function receive(
  storage: Storage,
  { instance, lease }: Link,
  contact: Contact,
  changes: Partial<Message>,
  createdAt: number = NOW,
): Promise<Message> {
  const message = anInboundMessage(instance, { contact: summaryOf(contact), ...changes, createdAt });
  const event = anEvent({ id: instance.workspaceId });
  const arrival = { message, senderId: contact.networkId, contact, event };
  expect(await storage.messages.receive(lease, arrival)).toBe('received');
  return message;
}

async function fileAll({ chats }: Storage): Promise<void> {
  for (let pass = await chats.file?.(1_000); pass?.more; pass = await chats.file?.(1_000));
}

async function idsWith(
  storage: Storage,
  workspaceId: string,
  counterpart: Recipient,
  others: MessageFilter = {},
): Promise<readonly string[]> {
  const page = await storage.messages.list(workspaceId, { ...others, counterpart }, ALL);
  return idsOf(page.rows);
}

function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id);
}
