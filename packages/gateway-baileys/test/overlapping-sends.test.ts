import type { GatewayConnection, OutgoingMessage, SendOutcome, Session } from '@trunkline/core/spi/gateway';
import type { Person } from '@trunkline/fake-whatsapp';
import { openLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { linked, nextProcess, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

const ACCEPTED: SendOutcome = { kind: 'accepted' };

let ids = 0;

function aText(to: string, text = 'Hello'): OutgoingMessage {
  const networkId = `3EB0D${String((ids += 1)).padStart(17, '0')}`;
  return { networkId, to, isGroup: to.endsWith('@g.us'), content: { type: 'text', text } };
}

function people({ network: { wa } }: Linked, count: number): readonly Person[] {
  return Array.from({ length: count }, (_, index) =>
    wa.person(String(5511955500000 + index), index === 0 ? { linkedDevices: 1 } : {}),
  );
}

/** The devices, of others or of the owner, that could not read a message and asked for it again. */
function unreadAnywhere({ network: { wa } }: Linked): readonly unknown[] {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'sent' && node.attrs['type'] === 'retry')
    .map(({ node }) => node.attrs);
}

/** Every frame of a message must be readable on the phone of its recipient. */
function expectRead(harness: Linked, messages: readonly OutgoingMessage[]): void {
  const { wa } = harness.network;
  for (const { networkId, to, isGroup } of messages) {
    const frames = wa.sentMessages({ id: networkId });
    expect(frames.length).toBeGreaterThan(0);
    if (!isGroup) for (const { readableOn } of frames) expect(readableOn).toContain(`${to}:0`);
  }
  expect(unreadAnywhere(harness)).toEqual([]);
}

/** Sends to one chat, one message after another. */
async function sendInOrder(
  connection: GatewayConnection,
  messages: readonly OutgoingMessage[],
): Promise<readonly SendOutcome[]> {
  const outcomes: SendOutcome[] = [];
  for (const message of messages) outcomes.push(await connection.send(message));
  return outcomes;
}

/** Lets this many of the session's next writes with keys of sent messages through, and then hangs the disk. */
function hangAfter(session: Session, writes: number): { readonly hangs: Promise<void>; release(): void } {
  const { promise: hangs, resolve } = Promise.withResolvers<void>();
  const disk = Promise.withResolvers<void>();
  onTestFinished(() => disk.resolve());
  const save = session.save.bind(session);
  let left = writes;
  Object.assign(session, {
    async save(changes: Parameters<Session['save']>[0]) {
      const isOfSend = [...changes.keys()].some((name) => name.startsWith('key.sent.'));
      if (isOfSend) left -= 1;
      if (left < 0) {
        resolve();
        await disk.promise;
      }
      return save(changes);
    },
  } satisfies Partial<Session>);
  return { hangs, release: disk.resolve };
}

/** Lets receipts, which need no write, pass several times, so that every frame on its way has arrived. */
async function settle({ network, link }: Pick<Linked, 'network' | 'link'>, networkId: string): Promise<void> {
  const { wa, account, reader } = network;
  for (let round = 0; round < 10; round += 1) {
    const from = link.reports.length;
    wa.receipt(account, { by: reader, type: 'delivered', ids: [networkId] });
    await link.first('receipt', ({ receipt }) => receipt.networkId === networkId, from);
  }
}

/** The ids of these messages of which a frame has arrived at the network. */
function arrived({ network: { wa } }: Linked, messages: readonly OutgoingMessage[]): readonly string[] {
  const frames = wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.tag === 'message');
  const found = new Set(frames.map(({ node }) => node.attrs['id']));
  return messages.map(({ networkId }) => networkId).filter((id) => found.has(id));
}

describe('sends to several chats at the same time', () => {
  it('are all read, in order in each chat, while others write and a group has the same people', async () => {
    const harness = await linked({ readsByItself: false });
    const { network, link } = harness;
    const { wa, account } = network;
    const chats = people(harness, sized('PEOPLE', { short: 5, long: 20 }));
    const group = wa.group({ subject: 'Team', members: [account, ...chats] });
    const connection = link.connection();
    const toEach = Array.from({ length: sized('TEXTS', { short: 3, long: 10 }) }, (_, i) => `text ${i}`);
    const sent = [...chats.map(({ phoneNumber }) => phoneNumber), group.jid].map((to) =>
      toEach.map((text) => aText(to, text)),
    );
    const texts = chats.flatMap(({ phoneNumber }) =>
      toEach.slice(1).map((text) => `${phoneNumber}, ${text}`),
    );
    const writing = (async () => {
      for (const text of texts) {
        const person = chats.find(({ phoneNumber }) => text.startsWith(phoneNumber));
        if (person) await wa.inbound(person, account, text, text.endsWith('2') ? { group } : {});
        if (person) await wa.fromPhone(account, person, `own ${text}`);
      }
    })();
    const outcomes = await Promise.all(sent.map((messages) => sendInOrder(connection, messages)));
    await writing;
    expect(outcomes.flat()).toEqual(sent.flat().map(() => ACCEPTED));
    await eventually(() => {
      const received = link.all('message').map(({ message }) => textOf(message));
      for (const text of texts) expect(received).toContain(text);
    });
    expectRead(harness, sent.flat());
    for (const person of chats) {
      const inbox = wa.inbox(person).filter(({ group: place }) => place === null);
      expect(inbox.map(({ content }) => textOf({ content }))).toEqual(toEach);
      expect(wa.inbox(person)).toHaveLength(2 * toEach.length);
    }
  });

  it('wait neither for a recipient who does not respond, nor for an upload that stalls', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const [silent, uploading, ...others] = people(harness, 5);
    if (!silent || !uploading) throw new Error('There are five people.');
    const connection = harness.link.connection();
    const ended: string[] = [];
    const send = (message: OutgoingMessage): Promise<unknown> =>
      connection.send(message).finally(() => ended.push(message.to));
    wa.loseNextMessage(account);
    void send(aText(silent.phoneNumber));
    await eventually(() => expect(wa.disturbed()).toHaveLength(1));
    const never = new TransformStream<Uint8Array, Uint8Array>();
    onTestFinished(() => never.writable.abort());
    const isOpen = Promise.withResolvers<void>();
    const file = {
      mimeType: 'application/pdf',
      filename: 'a.pdf',
      size: 1_000_000,
      async open() {
        isOpen.resolve();
        return never.readable;
      },
    };
    void send({ ...aText(uploading.phoneNumber), content: { type: 'document', caption: null, file } });
    await isOpen.promise;
    await Promise.all(others.map(({ phoneNumber }) => send(aText(phoneNumber))));
    expect(ended.toSorted()).toEqual(others.map(({ phoneNumber }) => phoneNumber));
  });

  it('are written only when the keys that encrypt them are stored, and receiving goes on', async () => {
    const harness = await linked({ readsByItself: false });
    const { network, session, link } = harness;
    const { wa, account, reader } = network;
    const chats = people(harness, 2);
    const group = wa.group({ subject: 'Team', members: [account, ...chats] });
    const targets = [...chats.map(({ phoneNumber }) => phoneNumber), group.jid];
    const connection = link.connection();
    // Starts the sessions, and gives the group's key.
    for (const to of targets) expect(await connection.send(aText(to))).toEqual(ACCEPTED);
    const asked = aText(reader.phoneNumber);
    expect(await connection.send(asked)).toEqual(ACCEPTED);
    const { hangs, release } = hangAfter(session, 0);
    const messages = targets.map((to) => aText(to));
    const sending = Promise.all(messages.map((message) => connection.send(message)));
    await hangs;
    await settle(harness, asked.networkId);
    expect(arrived(harness, messages)).toEqual([]);
    release();
    expect(await sending).toEqual(messages.map(() => ACCEPTED));
    expectRead(harness, messages);
  });

  it('report that nothing was sent if their keys cannot be stored', async () => {
    const harness = await linked({ readsByItself: false });
    const { network, session, link } = harness;
    const chats = people(harness, 3);
    const connection = link.connection();
    for (const { phoneNumber } of chats) await connection.send(aText(phoneNumber));
    const before = network.wa.sentMessages().length;
    session.fence();
    const outcomes = await Promise.all(chats.map(({ phoneNumber }) => connection.send(aText(phoneNumber))));
    expect(outcomes).toEqual(chats.map(() => ({ kind: 'not_sent', reason: 'the connection closed' })));
    expect(network.wa.sentMessages()).toHaveLength(before);
  });
});

it.runIf(isLongForm)(
  'after a crash with several sends on their way, the next process repeats them in any order, and all are read',
  async (context) => {
    const random = randomInTest(context);
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const chats = people(harness, 4);
    const group = wa.group({ subject: 'Team', members: [account, ...chats] });
    const targets = [...chats.map(({ phoneNumber }) => phoneNumber), group.jid];
    let { link, session } = harness;
    for (const to of targets) await link.connection().send(aText(to));
    const known = aText(harness.network.reader.phoneNumber);
    await link.connection().send(known);
    const all: OutgoingMessage[] = [];
    for (let run = 0; run < sized('CRASHES', { short: 3, long: 20 }); run += 1) {
      const messages = targets.map((to) => aText(to, `run ${run}`));
      all.push(...messages);
      wa.holdAcks();
      const { hangs, release } = hangAfter(session, run % 2);
      for (const message of messages) void link.connection().send(message);
      await hangs;
      await settle({ network: harness.network, link }, known.networkId);
      // The storage as a process that is killed now leaves it.
      const left = session.copy();
      wa.drop(account);
      wa.releaseAcks();
      release();
      session = left;
      link = await openLink(nextProcess(harness.network), left);
      const { connection } = link;
      onTestFinished(() => connection().close());
      await link.first('connected');
      const again = messages.toSorted(() => random(2) - 1);
      const outcomes = await Promise.all(again.map((message) => connection().send(message)));
      expect(outcomes).toEqual(again.map(() => ACCEPTED));
      expectRead(harness, all);
    }
    for (const person of chats) expect(wa.inbox(person)).toHaveLength((all.length / targets.length) * 2 + 2);
  },
);
