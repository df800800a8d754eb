import { until } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import type { WebhookEventOf } from '@trunkline/receiver';
import type { ContactReport, IncomingMessage } from '../src/spi/gateway.ts';
import { MINUTE, SECOND, connected, listen, receivedEvents, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';

const LID = '998877@lid';
const NUMBER = '34600000009@net';
const HIDDEN: ContactReport = {
  networkId: LID,
  aliases: [],
  phoneNumber: null,
  name: 'Ada',
  username: 'ada.l',
};
const KNOWN: ContactReport = { ...HIDDEN, aliases: [NUMBER], phoneNumber: '34600000009' };

const HI: IncomingMessage = {
  networkId: 'IN1',
  senderId: LID,
  from: null,
  groupNetworkId: null,
  contact: HIDDEN,
  content: { type: 'text', text: 'Hi' },
};

async function listening() {
  const gateway = scriptedGateway();
  const { harness, id } = await connected({ gateway });
  return { harness, id, gateway, network: gateway.last().listener };
}

async function received(harness: Harness) {
  await harness.clock.settle();
  return receivedEvents(harness)
    .filter((event): event is WebhookEventOf<'message.received'> => event.type === 'message.received')
    .map(({ data }) => data.message);
}

describe('the contact of an inbound message', () => {
  it('says who wrote it, in REST as in the event', async () => {
    const { harness, network } = await listening();
    await network.message(HI);
    const [message] = (await harness.api.messages.list()).data;
    expect(message?.contact).toEqual({
      id: expect.stringMatching(/^con_[0-9a-z]{26}$/),
      name: 'Ada',
      phone_number: null,
      dialled_numbers: [],
      username: 'ada.l',
    });
    expect(await received(harness)).toEqual([message]);
  });

  it('is null if the network does not say who it is', async () => {
    const { harness, network } = await listening();
    await network.message({ ...HI, contact: null });
    const { contact: _, ...without } = HI;
    await network.message({ ...without, networkId: 'IN2' });
    const messages = (await harness.api.messages.list()).data;
    expect(messages.map(({ contact }) => contact)).toEqual([null, null]);
  });

  it('stays one when its number becomes known, which earlier messages then show', async () => {
    const { harness, network } = await listening();
    await network.message(HI);
    await network.message({ ...HI, networkId: 'IN2', from: '34600000009', contact: KNOWN });
    await network.message({
      ...HI,
      networkId: 'IN3',
      senderId: NUMBER,
      contact: { ...KNOWN, networkId: NUMBER, aliases: [], name: null, username: null },
    });
    const contacts = (await harness.api.messages.list()).data.map(({ contact }) => contact);
    expect(new Set(contacts.map((contact) => contact?.id)).size).toBe(1);
    expect(contacts.map((contact) => contact?.phone_number)).toEqual(Array(3).fill('34600000009'));
    expect(contacts.map((contact) => contact?.name)).toEqual(['Ada', 'Ada', 'Ada']);
  });

  it('makes a message that comes again under another address of its sender a repeat', async () => {
    const { harness, network } = await listening();
    const byNumber = { ...HI, senderId: NUMBER, from: '34600000009', contact: KNOWN };
    await Promise.all([
      network.message({ ...HI, contact: KNOWN }),
      network.message(byNumber),
      network.message(byNumber),
    ]);
    await network.message({ ...HI, contact: KNOWN });
    expect((await harness.api.messages.list()).data).toHaveLength(1);
    expect(await received(harness)).toHaveLength(1);
  });

  it('has bounds, whatever the network reports', async () => {
    const { harness, network } = await listening();
    await network.message({
      ...HI,
      contact: {
        ...HIDDEN,
        aliases: [
          '',
          'a'.repeat(1_000_000),
          ...Array.from({ length: 1_000 }, (_, index) => `alias ${index}`),
        ],
        phoneNumber: '1'.repeat(1_000_000),
        name: `\0\ud800${'😀'.repeat(1_000_000)}`,
        username: ' \0 ',
      },
    });
    const [message] = (await harness.api.messages.list()).data;
    expect(message?.contact).toEqual({
      id: expect.any(String),
      name: expect.stringMatching(/^\ufffd(😀){127}$/u),
      phone_number: null,
      dialled_numbers: [],
      username: null,
    });
    await network.message({
      ...HI,
      networkId: 'IN2',
      contact: { ...HIDDEN, networkId: 'a'.repeat(1_000_000) },
    });
    await network.message({ ...HI, networkId: 'IN3', contact: { ...HIDDEN, networkId: '' } });
    const messages = (await harness.api.messages.list()).data;
    expect(messages.map(({ contact }) => contact === null)).toEqual([true, true, false]);
  });
});

describe('an inbound message', () => {
  it('has the time at which the network says that it was sent, as far as that can be', async () => {
    const { harness, network } = await listening();
    const now = harness.clock.now();
    const times = [
      now - 8 * 60 * MINUTE,
      now + 1,
      Number.MAX_SAFE_INTEGER,
      Infinity,
      now - 0.5,
      0,
      -1,
      Number.NaN,
      Date.UTC(1990, 0, 1),
      null,
    ];
    for (const [index, sentAt] of times.entries()) {
      await network.message({ ...HI, networkId: `IN${index}`, sentAt });
    }
    const sent = (await harness.api.messages.list()).data.map(({ sent_at }) => sent_at).toReversed();
    const iso = (at: number): string => new Date(at).toISOString().replace('Z', '+00:00');
    expect(sent).toEqual([
      iso(now - 8 * 60 * MINUTE),
      ...Array(3).fill(iso(now)),
      iso(now - 1),
      ...Array(5).fill(null),
    ]);
  });

  it('says its kind, with fields that have bounds', async () => {
    const { harness, network } = await listening();
    const location = { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: null };
    await network.message({
      ...HI,
      detail: { kind: 'location', payload: location },
      content: { type: 'text', text: 'Location: Plaza Mayor, 40.41,-3.70' },
    });
    const deep = (depth: number): unknown => (depth === 0 ? 'end' : { in: deep(depth - 1) });
    await network.message({
      ...HI,
      networkId: 'IN2',
      detail: {
        kind: 'form_reply',
        payload: {
          name: `\0\ud800${'n'.repeat(1_000_000)}`,
          values: {
            deep: deep(1_000),
            wide: Array.from({ length: 100_000 }, () => 'x'.repeat(1_000)),
            number: Number.NaN,
            function: () => 1,
            big: 1n,
            ['__proto__']: { polluted: true },
          },
        },
      },
    });
    await network.message({
      ...HI,
      networkId: 'IN3',
      // Only a gateway written in JavaScript can report this.
      detail: { kind: 'X'.repeat(1_000_000), payload: null } as unknown as NonNullable<
        IncomingMessage['detail']
      >,
    });
    const [odd, form, place] = (await harness.api.messages.list()).data;
    expect(place).toMatchObject({ type: 'text', kind: 'location', payload: location });
    expect(form).toMatchObject({
      kind: 'form_reply',
      payload: {
        name: expect.stringMatching(/^\ufffdn{4095}$/),
        values: { number: null, function: null, big: null },
      },
    });
    expect(JSON.stringify(form?.payload).length).toBeLessThan(50_000);
    expect(Object.prototype).not.toHaveProperty('polluted');
    expect(odd).toMatchObject({ kind: 'text', payload: null });
  });

  it('has at most 65,536 characters of text, and more of it is cut and logged', async () => {
    const { harness, network, id } = await listening();
    const text = `x${'😀'.repeat(1_000_000)}`;
    await network.message({ ...HI, content: { type: 'text', text } });
    const [message] = (await harness.api.messages.list()).data;
    expect(message?.text).toBe(text.slice(0, 65_535));
    expect(harness.logs.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        facts: { instanceId: id, messageId: message?.id, length: text.length },
        message: expect.stringContaining('longer than 65536'),
      },
    ]);
  });

  it('names the message of its chat that it replies to, and no other one', async () => {
    const { harness, network, id } = await listening();
    await network.message(HI);
    const { message: sent } = await harness.api.messages.send({
      instance: id,
      to: '34600000001',
      type: 'text',
      text: 'Hello',
    });
    await harness.clock.advance(SECOND);
    const outbound = scriptedIdOf(harness, sent.id);
    const reply = async (networkId: string, replyTo: string, changes: Partial<IncomingMessage> = {}) => {
      await network.message({ ...HI, networkId, replyTo, ...changes });
      return (await harness.api.messages.list()).data[0]?.reply_to;
    };
    const [own] = (await harness.api.messages.list({ direction: 'inbound' })).data;
    expect(await reply('IN2', 'IN1')).toBe(own?.id);
    expect(await reply('IN3', 'NET-unknown')).toBeNull();
    // A forged reply to another person's message.
    const eve = { ...HIDDEN, networkId: '11@lid', name: 'Eve' };
    expect(await reply('IN4', 'IN1', { senderId: '11@lid', contact: eve })).toBeNull();
    expect(await reply('IN5', await outbound)).toBeNull();
    const recipient = { ...KNOWN, networkId: '12@lid', aliases: ['13@net'], phoneNumber: '34600000001' };
    expect(await reply('IN6', await outbound, { senderId: '12@lid', contact: recipient })).toBe(sent.id);
    // Messages of two people have the same network id: each reply finds the message of its own chat.
    expect(await reply('IN1', 'IN1', { senderId: '11@lid', contact: eve })).toBeNull();
    const [second] = (await harness.api.messages.list()).data;
    expect(await reply('IN7', 'IN1', { senderId: '11@lid', contact: eve })).toBe(second?.id);
    expect(await reply('IN8', 'IN1')).toBe(own?.id);
  });

  it('replies to none across the chats of a person: the group, and the two of them', async () => {
    const { harness, network } = await listening();
    await network.groups([{ networkId: 'g1', name: 'Team', participantsCount: 3 }]);
    await network.message({ ...HI, groupNetworkId: 'g1' });
    await network.message({ ...HI, networkId: 'IN2', replyTo: 'IN1' });
    await network.message({ ...HI, networkId: 'IN3', groupNetworkId: 'g1', replyTo: 'IN1' });
    const [inGroup, alone, first] = (await harness.api.messages.list()).data;
    expect(alone?.reply_to).toBeNull();
    expect(inGroup?.reply_to).toBe(first?.id);
  });
});

async function scriptedIdOf({ storage, workspaceId }: Harness, id: string): Promise<string> {
  const message = await storage.messages.find(workspaceId, id);
  return message?.networkId ?? '';
}

describe('a message to a contact', () => {
  it('goes to the network id of a person whose number is unknown', async () => {
    const { harness, network, id, gateway } = await listening();
    await network.message(HI);
    const [{ contact } = { contact: null }] = (await harness.api.messages.list()).data;
    const to = contact?.id ?? '';
    const { message } = await harness.api.messages.send({ instance: id, to, type: 'text', text: 'Hello' });
    expect(message).toMatchObject({ to: null, contact, status: 'queued' });
    await harness.clock.advance(SECOND);
    expect(gateway.sent()).toEqual([
      {
        networkId: expect.any(String),
        to: '',
        isGroup: false,
        contactNetworkId: LID,
        content: { type: 'text', text: 'Hello' },
      },
    ]);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent', to: null, contact });
  });

  it('goes to the number as well, if that is known', async () => {
    const { harness, network, id, gateway } = await listening();
    await network.message({ ...HI, contact: KNOWN });
    const [{ contact } = { contact: null }] = (await harness.api.messages.list()).data;
    await harness.api.messages.send({ instance: id, to: contact?.id ?? '', type: 'text', text: 'Hello' });
    await harness.clock.advance(SECOND);
    expect(gateway.sent()).toMatchObject([{ to: '34600000009', contactNetworkId: LID }]);
  });

  it('is refused if the instance does not know the contact', async () => {
    const { harness, network } = await listening();
    await network.message(HI);
    const [{ contact } = { contact: null }] = (await harness.api.messages.list()).data;
    const { id: neighbour } = await harness.api.instances.create();
    await harness.api.instances.connect(neighbour);
    await harness.clock.settle();
    const { id: workspace } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const other = harness.trunkline.workspace(workspace);
    const stranger = await other.instances.create();
    await other.instances.connect(stranger.id);
    await harness.clock.settle();
    const known = contact?.id ?? '';
    for (const [api, instance, to] of [
      [harness.api, neighbour, known],
      [other, stranger.id, known],
      [harness.api, neighbour, 'con_01k9z000000000000000000000'],
      [harness.api, neighbour, 'con_'],
      [harness.api, neighbour, `con_${'x'.repeat(1_000_000)}`],
    ] as const) {
      const sent = api.messages.send({ instance, to, type: 'text', text: 'Hello' });
      await expect(sent).rejects.toMatchObject({ code: 'INVALID_RECIPIENT' });
    }
  });

  it('reaches the person under a previous id, too', async () => {
    const { harness, network, id, gateway } = await listening();
    await network.message({ ...HI, contact: { ...HIDDEN, networkId: NUMBER } });
    await network.message({ ...HI, networkId: 'IN2' });
    const [late] = (await harness.api.messages.list()).data;
    await network.message({ ...HI, networkId: 'IN3', contact: KNOWN });
    const to = late?.contact?.id ?? '';
    await harness.api.messages.send({ instance: id, to, type: 'text', text: 'Hello' });
    await harness.clock.advance(SECOND);
    expect(gateway.sent()).toMatchObject([{ to: '34600000009', contactNetworkId: LID }]);
    const ids = (await harness.api.messages.list()).data.map(({ contact }) => contact?.id);
    expect(new Set(ids).size).toBe(1);
    expect(ids).not.toContain(to);
  });
});

describe('a reply', () => {
  const replyTo = async (harness: Harness, instance: string, to: string, reply_to: string) =>
    harness.api.messages.send({ instance, to, type: 'text', text: 'Yes', reply_to });

  it('quotes the message, by the network ids of the message and of its author', async () => {
    const { harness, network, id, gateway } = await listening();
    await network.message(HI);
    await network.message({ ...HI, networkId: 'IN2', contact: KNOWN });
    const [, asked] = (await harness.api.messages.list()).data;
    const question = asked?.id ?? '';
    for (const to of [asked?.contact?.id ?? '', '+34 600 000 009']) {
      expect((await replyTo(harness, id, to, question)).message.reply_to).toBe(question);
    }
    const { message: own } = await replyTo(harness, id, '34600000009', question);
    await replyTo(harness, id, '34600000009', own.id);
    await harness.clock.advance(SECOND);
    const quoted = { networkId: 'IN1', senderId: LID, text: 'Hi' };
    expect(gateway.sent().map((sent) => sent.replyTo)).toEqual([
      quoted,
      quoted,
      quoted,
      { networkId: await scriptedIdOf(harness, own.id), senderId: null, text: 'Yes' },
    ]);
  });

  it('is refused unless the message is in the same chat of the same instance', async () => {
    const { harness, network, id } = await listening();
    await network.message(HI);
    const [asked] = (await harness.api.messages.list()).data;
    const question = asked?.id ?? '';
    await network.groups([{ networkId: 'g1', name: 'Team', participantsCount: 3 }]);
    const [group] = (await harness.api.instances.groups(id)).data;
    const { id: neighbour } = await harness.api.instances.create();
    await harness.api.instances.connect(neighbour);
    await harness.clock.settle();
    for (const [instance, to, reply_to] of [
      [id, '34600000009', question],
      [id, group?.id ?? '', question],
      [neighbour, '34600000009', question],
      [id, asked?.contact?.id ?? '', 'msg_01k9z000000000000000000000'],
      [id, asked?.contact?.id ?? '', 'msg_'],
      [id, asked?.contact?.id ?? '', ''],
      [id, asked?.contact?.id ?? '', '\0\ud800'],
    ] as const) {
      await expect(replyTo(harness, instance, to, reply_to)).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { reply_to: [expect.any(String)] } },
      });
    }
  });

  it('is another request than the same message without the reply, and the same again is a replay', async () => {
    const { harness, network, id } = await listening();
    await network.message(HI);
    const [asked] = (await harness.api.messages.list()).data;
    const message = { instance: id, to: asked?.contact?.id ?? '', type: 'text', text: 'Yes' } as const;
    const reply = { ...message, reply_to: asked?.id ?? '' };
    const key = { idempotencyKey: 'one' };
    const first = await harness.api.messages.send(reply, key);
    expect(await harness.api.messages.send(reply, key)).toMatchObject({
      message: { id: first.message.id },
      replayed: true,
    });
    await expect(harness.api.messages.send(message, key)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });
});

describe('the sandbox', () => {
  it('has people who hide their number, and are one contact when they show it', async () => {
    const { harness, id } = await connected();
    const phone = harness.sandbox.phone(id);
    const sender = { networkId: 'lid-1', name: 'Ada', username: 'ada.l' };
    await phone.receive({ from: null, sender, text: 'Hi' });
    await harness.clock.advance(SECOND);
    const [hidden] = (await harness.api.messages.list()).data;
    expect(hidden).toMatchObject({
      from: null,
      contact: { name: 'Ada', phone_number: null, username: 'ada.l' },
      sent_at: hidden?.sent_at,
    });
    const { message } = await harness.api.messages.send({
      instance: id,
      to: hidden?.contact?.id ?? '',
      type: 'text',
      text: 'Hello',
      reply_to: hidden?.id,
    });
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read', to: null });
    const [accepted] = phone.accepted();
    expect(accepted).toMatchObject({ to: '', contactNetworkId: 'lid-1', text: 'Hello' });
    await phone.receive({ from: '15550123', sender, text: 'It is me', replyTo: accepted?.networkId });
    await harness.clock.advance(SECOND);
    const [known] = (await harness.api.messages.list()).data;
    expect(known).toMatchObject({ from: '15550123', reply_to: message.id });
    expect(known?.contact).toEqual({ ...hidden?.contact, phone_number: '15550123' });
    await expect(phone.receive({ from: null, text: 'Boo' })).rejects.toMatchObject({
      code: 'INVALID_INSTANCE_STATE',
    });
  });

  it('has people who share a location, a contact, a button’s answer, stickers and voice messages', async () => {
    const { harness, id } = await connected();
    const phone = harness.sandbox.phone(id);
    const from = '15550123';
    const sentAt = harness.clock.now() - 8 * 60 * MINUTE;
    const content = new Uint8Array([1, 2, 3]);
    await phone.receive({
      from,
      sentAt,
      detail: {
        kind: 'location',
        payload: { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: null },
      },
    });
    const card = { name: 'Ada', phone_numbers: ['+1 555 0199'], vcard: 'BEGIN:VCARD' };
    await phone.receive({ from, detail: { kind: 'contact', payload: { contacts: [card] } } });
    await phone.receive({ from, detail: { kind: 'button_reply', payload: { id: 'yes', title: 'Yes!' } } });
    await phone.receive({
      from,
      file: { type: 'image', content },
      detail: { kind: 'sticker', payload: { animated: true } },
    });
    await phone.receive({
      from,
      file: { type: 'audio', content },
      detail: { kind: 'voice', payload: { seconds: 3 } },
    });
    // Files are read from streams, which take turns of the event loop that the clock does not wait for.
    const messages = await until('all five are stored', async () => {
      await harness.clock.advance(SECOND);
      const { data } = await harness.api.messages.list();
      return data.length === 5 && data;
    });
    const seen = messages.map(({ type, kind, text, payload }) => ({ type, kind, text, payload }));
    expect(seen.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
      { type: 'text', kind: 'button_reply', text: 'Yes!', payload: { id: 'yes', title: 'Yes!' } },
      { type: 'text', kind: 'contact', text: 'Contact: Ada, +1 555 0199', payload: { contacts: [card] } },
      {
        type: 'text',
        kind: 'location',
        text: 'Location: Plaza Mayor, 40.41,-3.70',
        payload: { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: null },
      },
      { type: 'image', kind: 'sticker', text: null, payload: { animated: true } },
      { type: 'audio', kind: 'voice', text: null, payload: { seconds: 3 } },
    ]);
    const place = messages.find(({ kind }) => kind === 'location');
    expect(Date.parse(place?.sent_at ?? '')).toBe(sentAt);
  });

  it('delivers a message again, by the number and by the id of its sender', async () => {
    const harness = await startHarness();
    await listen(harness);
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(SECOND);
    await harness.sandbox.phone(id).scan();
    const phone = harness.sandbox.phone(id);
    const sender = { networkId: 'lid-1' };
    const networkId = await phone.receive({ from: '15550123', sender, text: 'Hi' });
    await harness.clock.advance(SECOND);
    await phone.receive({ from: '15550123', text: 'Hi', networkId });
    await phone.receive({ from: null, sender, text: 'Hi', networkId });
    await harness.clock.advance(SECOND);
    expect(await received(harness)).toHaveLength(1);
  });
});
