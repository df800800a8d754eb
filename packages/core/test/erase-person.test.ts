import { describe, expect, it, vi } from 'vitest';
import { must } from '@trunkline/test-support';
import type { ContactReport, IncomingMessage } from '../src/spi/gateway.ts';
import { connectScripted, receivedEvents, sendText, startHarness } from './support/harness.ts';
import { mediaGateway, startMediaHarness } from './support/media.ts';
import { PNG } from './support/media.ts';
import type { MediaHarness } from './support/media.ts';
import { texts } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';
import type { ExportedItem } from '../src/index.ts';

const ADA_NUMBER = '34600000009';
const ADA: ContactReport = {
  networkId: '998877@lid',
  aliases: [`${ADA_NUMBER}@net`],
  phoneNumber: ADA_NUMBER,
  name: 'Ada Secret',
  username: 'ada.l',
};
const BOB: ContactReport = {
  networkId: '112233@lid',
  aliases: [],
  phoneNumber: '34600000010',
  name: 'Bob',
  username: null,
};

let sent = 0;

function written(by: ContactReport, text: string, changes: Partial<IncomingMessage> = {}): IncomingMessage {
  sent += 1;
  return {
    networkId: `IN${sent}`,
    senderId: by.networkId,
    from: by.phoneNumber,
    groupNetworkId: null,
    contact: by,
    content: { type: 'text', text },
    ...changes,
  };
}

function picture(by: ContactReport): IncomingMessage {
  return written(by, '', {
    content: {
      type: 'image',
      caption: 'a secret picture',
      file: { mimeType: 'image/png', filename: null, open: async () => new Blob([PNG]).stream() },
    },
  });
}

interface Started extends MediaHarness {
  readonly network: ReturnType<MediaHarness['gateway']['last']>['listener'];
}

async function start(script: Partial<Script> = {}): Promise<Started> {
  const media = await startMediaHarness(script);
  const { listener: network } = media.gateway.last();
  await network.groups([{ networkId: 'team@g', name: 'Team', participantsCount: 3 }]);
  return { ...media, network };
}

const allOf = async ({ harness }: MediaHarness) => (await harness.api.messages.list({ limit: 100 })).data;

const person = ({ harness: { workspaceId } }: MediaHarness, number = ADA_NUMBER) => ({ workspaceId, number });

describe('erasing a person', () => {
  it('while a file of theirs is on its way leaves the message with a contact, which a second erasure finds', async () => {
    const all = await start();
    const { harness, network } = all;
    const open = async (): Promise<ReadableStream<Uint8Array>> => {
      // At this moment, the contact is stored and the message is not.
      const { contacts } = await harness.trunkline.admin.erasePerson(person(all));
      expect(contacts).toBe(1);
      return new Blob([PNG]).stream();
    };
    const file = { mimeType: 'image/png', filename: null, open };
    await network.message(written(ADA, '', { content: { type: 'image', caption: null, file } }));
    const [message] = await allOf(all);
    expect(message).toMatchObject({ type: 'image', contact: { name: ADA.name } });
    expect(await harness.trunkline.admin.erasePerson(person(all))).toMatchObject({
      messages: 1,
      contacts: 1,
    });
    expect(await allOf(all)).toEqual([]);
  });

  it('deletes only their chat, their messages in groups, and the files and events of these', async () => {
    const all = await start();
    const { harness, network, instance, media } = all;
    await sendText(harness, instance, ADA_NUMBER, 'secret to Ada');
    await sendText(harness, instance, '34600000010', 'to Bob');
    await network.message(written(ADA, 'secret from Ada'));
    await network.message(picture(ADA));
    await network.message(written(ADA, 'secret in the group', { groupNetworkId: 'team@g' }));
    await network.message(written(BOB, 'Bob in the group', { groupNetworkId: 'team@g' }));
    await network.message(picture(BOB));
    await harness.clock.settle();
    const before = await allOf(all);
    const groupMessage = must(before.find(({ text }) => text === 'Bob in the group'));
    await network.activity?.({
      kind: 'reaction',
      about: 'IN' + String(sent - 1),
      author: BOB.networkId,
      groupNetworkId: 'team@g',
      contact: ADA,
      own: false,
      at: null,
      emoji: '👍',
    });
    await harness.clock.settle();

    const progress: string[] = [];
    const erased = await harness.trunkline.admin.erasePerson(person(all), {
      onProgress: ({ step }) => progress.push(step),
    });
    expect(erased).toMatchObject({
      numbers: [ADA_NUMBER],
      messages: 4,
      files: 1,
      contacts: 1,
      left: [],
    });
    expect(erased.events).toBeGreaterThan(4);
    expect(new Set(progress)).toEqual(new Set(['messages', 'events', 'files', 'database', 'contacts']));
    const left = await allOf(all);
    expect(left.map(({ text, caption }) => text ?? caption)).toEqual([
      'a secret picture',
      'Bob in the group',
      'to Bob',
    ]);
    expect(left.find(({ id }) => id === groupMessage.id)).toEqual(groupMessage);
    expect(media.ids()).toEqual([must(left.find(({ caption }) => caption !== null)).id]);
    const ids = before.filter(({ id }) => !left.some((one) => one.id === id)).map(({ id }) => id);
    for (const id of ids)
      await expect(harness.api.messages.get(id)).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    const rest = JSON.stringify(await everyEvent(all));
    expect(rest).not.toContain(ADA_NUMBER);
    expect(rest).not.toContain('Ada Secret');
    expect(rest).toContain('Bob in the group');
    expect(harness.logs.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    expect(await harness.trunkline.admin.erasePerson(person(all))).toMatchObject({
      messages: 0,
      files: 0,
      events: 0,
      contacts: 0,
    });
  });

  it('finds a person by any number format, and by the id of any contact they ever had', async () => {
    const all = await start();
    const { harness, network } = all;
    // Two contacts, until the network reports that they are one person.
    await network.message(written({ ...ADA, aliases: [], phoneNumber: null }, 'hidden'));
    await network.message(
      written({ ...ADA, networkId: `${ADA_NUMBER}@net`, aliases: [] }, 'by number', {
        senderId: `${ADA_NUMBER}@net`,
      }),
    );
    const [byNumber, hidden] = (await allOf(all)).map(({ contact }) => must(contact).id);
    expect(byNumber).not.toBe(hidden);
    await network.message(written(ADA, 'merged'));
    const { admin } = harness.trunkline;
    const { workspaceId } = harness;
    const ways = [
      { workspaceId, number: '+34 (600) 000-009' },
      { workspaceId, contactId: must(byNumber) },
      { workspaceId, contactId: must(hidden) },
    ];
    for (const way of ways)
      expect(await admin.erasePerson(way, { dryRun: true })).toMatchObject({ messages: 3, contacts: 1 });
    expect(await allOf(all)).toHaveLength(3);
    expect(await admin.erasePerson(must(ways[1]))).toMatchObject({ messages: 3, contacts: 1 });
    expect(await allOf(all)).toEqual([]);
    await expect(admin.erasePerson(must(ways[2]))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('reaches the same person on another instance that knows only the hidden id', async () => {
    const all = await start();
    const { harness, network, gateway } = all;
    await network.message(written(ADA, 'with number'));
    await connectScripted(harness);
    await gateway
      .last()
      .listener.message(written({ ...ADA, aliases: [], phoneNumber: null, name: null }, 'hidden'));
    expect(await harness.trunkline.admin.erasePerson(person(all))).toMatchObject({
      messages: 2,
      contacts: 2,
    });
  });

  it('does not touch a person of another workspace, or one with a similar number', async () => {
    const all = await start();
    const { harness, network } = all;
    await network.message(written({ ...BOB, phoneNumber: `${ADA_NUMBER}1` }, 'longer number'));
    await network.message(written(ADA, 'Ada'));
    const other = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const [ada] = await allOf(all);
    const { admin } = harness.trunkline;
    expect(await admin.erasePerson({ workspaceId: other.id, number: ADA_NUMBER })).toMatchObject({
      messages: 0,
      contacts: 0,
    });
    const contactId = must(must(ada).contact).id;
    await expect(admin.erasePerson({ workspaceId: other.id, contactId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await allOf(all)).toHaveLength(2);
    await admin.erasePerson(person(all));
    expect((await allOf(all)).map(({ text }) => text)).toEqual(['longer number']);
  });

  it.each([
    [{ number: 'abc' }, 'VALIDATION_FAILED'],
    [{}, 'VALIDATION_FAILED'],
    [{ number: ADA_NUMBER, contactId: 'con_1' }, 'VALIDATION_FAILED'],
    [{ contactId: 'con_1' }, 'NOT_FOUND'],
    [{ workspaceId: 'ten_1', number: ADA_NUMBER }, 'NOT_FOUND'],
  ])('refuses %j with %s', async (wrong, code) => {
    const { trunkline, workspaceId } = await startHarness();
    const given = { workspaceId, ...wrong } as Parameters<typeof trunkline.admin.erasePerson>[0]; // wrong on purpose
    await expect(trunkline.admin.erasePerson(given)).rejects.toMatchObject({ code });
  });

  it('erases a message that is being sent, and says nothing of it afterwards', async () => {
    const hold = Promise.withResolvers<void>();
    const all = await start({
      async send() {
        await hold.promise;
        return { kind: 'accepted' };
      },
    });
    const { harness, instance } = all;
    await sendText(harness, instance, ADA_NUMBER, 'secret');
    await harness.clock.settle();
    await harness.trunkline.admin.erasePerson(person(all));
    hold.resolve();
    await harness.clock.settle();
    expect(await allOf(all)).toEqual([]);
    expect(JSON.stringify(await everyEvent(all))).not.toContain(ADA_NUMBER);
    expect(harness.logs.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('does not send what waits for them, and sends what waits behind it', async () => {
    const hold = Promise.withResolvers<void>();
    const all = await start({
      async send() {
        await hold.promise;
        return { kind: 'accepted' };
      },
    });
    const { harness, instance } = all;
    await sendText(harness, instance, '34600000010', 'first');
    await sendText(harness, instance, ADA_NUMBER, 'never');
    await sendText(harness, instance, '34600000010', 'last');
    await harness.clock.settle();
    await harness.trunkline.admin.erasePerson(person(all));
    hold.resolve();
    await harness.clock.settle();
    expect(texts(all.gateway.sent())).toEqual(['first', 'last']);
    expect((await allOf(all)).map(({ status }) => status)).toEqual(['sent', 'sent']);
  });

  it('stops between two steps when it is aborted, and continues with the rest', async () => {
    const all = await start();
    const { harness, network } = all;
    for (let index = 0; index < 120; index += 1) await network.message(written(ADA, `secret ${index}`));
    const { admin } = harness.trunkline;
    const interruption = new AbortController();
    let steps = 0;
    const interrupted = admin.erasePerson(person(all), {
      signal: interruption.signal,
      onProgress({ step }) {
        steps += 1;
        // The first pass over the messages counts them, the second erases them.
        if (step === 'messages' && steps > 2) interruption.abort(new Error('stop'));
      },
    });
    await expect(interrupted).rejects.toThrow('stop');
    const left = await harness.storage.erasure.listContacts(harness.workspaceId, { after: null, limit: 10 });
    expect(left.rows).toHaveLength(1);
    const again = await admin.erasePerson(person(all));
    expect(again.contacts).toBe(1);
    expect(await allOf(all)).toEqual([]);
  });

  it('erases what comes meanwhile, or leaves it whole', async () => {
    const all = await start();
    const { harness, network } = all;
    await network.message(written(ADA, 'before'));
    let cameBack = false;
    const erased = await harness.trunkline.admin.erasePerson(person(all), {
      async onProgress({ step }) {
        if (step !== 'database' || cameBack) return;
        cameBack = true;
        await network.message(written(ADA, 'meanwhile'));
      },
    });
    expect(erased).toMatchObject({ messages: 2, contacts: 1, left: [] });
    expect(await allOf(all)).toEqual([]);
    await network.message(written(ADA, 'afterwards'));
    expect(await allOf(all)).toMatchObject([{ text: 'afterwards', contact: { name: 'Ada Secret' } }]);
  });

  it('erases what is sent to them meanwhile, with its events', async () => {
    const all = await start();
    const { harness, network, instance } = all;
    await network.message(written(ADA, 'before'));
    onceMessagesAreDeleted(all, async () => {
      await sendText(harness, instance, ADA_NUMBER, 'secret to Ada');
      await harness.clock.settle();
    });
    const erased = await harness.trunkline.admin.erasePerson(person(all));
    expect(erased).toMatchObject({ messages: 2, contacts: 1, left: [] });
    expect(await allOf(all)).toEqual([]);
    expect(JSON.stringify(await everyEvent(all))).not.toContain(ADA_NUMBER);
  });

  it('leaves what comes meanwhile whole if it is ended then', async () => {
    const all = await start();
    const { harness, network } = all;
    await network.message(written(ADA, 'before'));
    const interruption = new AbortController();
    let hasCome = false;
    onceMessagesAreDeleted(all, async () => {
      await network.message(written(ADA, 'meanwhile'));
      hasCome = true;
    });
    const erasing = harness.trunkline.admin.erasePerson(person(all), {
      signal: interruption.signal,
      onProgress({ step }) {
        if (step === 'events' && hasCome) interruption.abort(new Error('stop'));
      },
    });
    await expect(erasing).rejects.toThrow('stop');
    const [left, ...others] = await allOf(all);
    expect(left).toMatchObject({ text: 'meanwhile' });
    expect(others).toEqual([]);
    const { data } = await harness.api.messages.events(must(left).id);
    expect(data.map(({ type }) => type)).toEqual(['message.received']);
  });

  it('erases what the gateway keeps of them, and of what was sent to them', async () => {
    const gateway: ScriptedGateway = {
      ...mediaGateway(),
      isSessionValueOf: (name, { numbers, networkIds, messageIds }) =>
        [...numbers, ...networkIds, ...messageIds].some((id) => name === `about.${id}`),
    };
    const harness = await startHarness({ gateway });
    const instance = await connectScripted(harness);
    const { session, listener } = gateway.last();
    await listener.message(written(ADA, 'secret'));
    await sendText(harness, instance, ADA_NUMBER, 'secret to Ada');
    await harness.clock.settle();
    const names = [ADA_NUMBER, '998877@lid', gateway.sent()[0]?.networkId, '34600000010'].map(
      (id) => `about.${id}`,
    );
    await session.save(new Map(names.map((name) => [name, Uint8Array.of(1)])));
    const given = { workspaceId: harness.workspaceId, number: ADA_NUMBER };
    expect(await harness.trunkline.admin.erasePerson(given, { dryRun: true })).toMatchObject({
      sessionValues: 3,
    });
    expect((await session.load()).size).toBe(4);
    expect(await harness.trunkline.admin.erasePerson(given)).toMatchObject({ sessionValues: 3 });
    expect([...(await session.load()).keys()]).toEqual(['about.34600000010']);
  });

  it('reports what is left if a file cannot be deleted, and finds it again', async () => {
    let isBroken = true;
    const all = await startMediaHarness({}, (media) => ({
      ...media,
      delete: (id) => (isBroken ? Promise.reject(new Error('EIO')) : media.delete(id)),
    }));
    await all.gateway.last().listener.message(picture(ADA));
    const { admin } = all.harness.trunkline;
    const erased = await admin.erasePerson(person(all));
    expect(erased).toMatchObject({ messages: 1, left: [expect.stringContaining('check the media store')] });
    expect(all.media.ids()).toHaveLength(1);
    isBroken = false;
    expect(await admin.erasePerson(person(all))).toMatchObject({ messages: 0, left: [] });
    expect(all.media.ids()).toEqual([]);
  });
});

describe('exporting a person', () => {
  it('gives all that is stored about them, with their files', async () => {
    const all = await start();
    const { harness, network, instance } = all;
    await sendText(harness, instance, ADA_NUMBER, 'to Ada');
    await network.message(picture(ADA));
    await network.message(written(BOB, 'from Bob'));
    await harness.clock.settle();
    const items: ExportedItem[] = [];
    for await (const item of await harness.trunkline.admin.exportPerson(person(all))) items.push(item);
    const byKind = Map.groupBy(items, ({ kind }) => kind);
    expect(byKind.get('contact')).toMatchObject([
      {
        contact: {
          name: 'Ada Secret',
          phone_number: ADA_NUMBER,
          network_ids: ['998877@lid', `${ADA_NUMBER}@net`],
        },
      },
    ]);
    const messages = items.flatMap((item) => (item.kind === 'message' ? [item] : []));
    expect(messages.map(({ message }) => message)).toEqual(
      (await allOf(all)).filter(({ text }) => text !== 'from Bob').toReversed(),
    );
    const file = await must(messages.find(({ openFile }) => openFile)).openFile?.();
    expect(await new Response(file).bytes()).toEqual(PNG);
    const events = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
    expect(events).toEqual(
      receivedEvents(harness).filter((event) => JSON.stringify(event).includes(ADA_NUMBER)),
    );
    expect(await allOf(all)).toHaveLength(3);
  });
});

/** Runs `happen` after the first deletion of the person's messages, before their events are deleted. */
function onceMessagesAreDeleted({ harness }: MediaHarness, happen: () => Promise<void>): void {
  const { erasure } = harness.storage;
  const deleteMessages = erasure.deleteMessages.bind(erasure);
  vi.spyOn(erasure, 'deleteMessages').mockImplementationOnce(async (...given) => {
    const deleted = await deleteMessages(...given);
    await happen();
    return deleted;
  });
}

async function everyEvent({ harness: { storage, workspaceId } }: MediaHarness) {
  return (await storage.events.list(workspaceId, {}, { from: null, limit: 1000 }, 0)).rows;
}
