import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import type { Group, Person } from '@trunkline/fake-whatsapp';
import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { hurriedClock, linked, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

function aText(to: string, isGroup: boolean, text = 'to all'): OutgoingMessage {
  const networkId = `3EB0E${String((ids += 1)).padStart(17, '0')}`;
  return { networkId, to, isGroup, content: { type: 'text', text } };
}

async function sent(harness: Linked, message: OutgoingMessage): Promise<string> {
  expect(await harness.link.connection().send(message)).toEqual({ kind: 'accepted' });
  return message.networkId;
}

function aTeam({ network: { wa, account } }: Linked, size: number): { group: Group; members: Person[] } {
  const members = Array.from({ length: size }, (_, i) => wa.person(String(5511933000000 + i)));
  return { members, group: wa.group({ subject: 'Team', members: [account, ...members] }) };
}

/** The stanzas with this id: whom each is for, and how many encrypted copies it has. */
function stanzasOf({ network: { wa } }: Linked, id: string) {
  return wa.transcript().flatMap(({ direction, node }) => {
    if (direction !== 'received' || node.tag !== 'message' || node.attrs['id'] !== id) return [];
    const children = Array.isArray(node.content) ? node.content : [];
    const participants = children.find(({ tag }) => tag === 'participants')?.content;
    const copies =
      children.filter(({ tag }) => tag === 'enc').length +
      (Array.isArray(participants) ? participants.length : 0);
    return [{ participant: node.attrs['participant'], copies }];
  });
}

function acksOf({ network: { wa } }: Linked, id: string) {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.tag === 'ack')
    .filter(({ node }) => node.attrs['class'] === 'receipt' && node.attrs['id'] === id);
}

describe('a person with whom there are two sessions', () => {
  it('reads what is sent with the new one, after a message that came with the old one', async () => {
    const harness = await linked({ readsByItself: false });
    const { network, link } = harness;
    const { wa, account } = network;
    const ann = wa.person('5511944440001');
    const received = (text: string) => link.first('message', ({ message }) => textOf(message) === text);
    await wa.inbound(ann, account, 'hello');
    await received('hello');
    const id = await sent(harness, aText(ann.phoneNumber, false, 'one'));
    await wa.inbound(ann, account, 'answer');
    await received('answer');
    await wa.requestRetry(account, ann, id);
    await eventually(() => expect(wa.sentMessages({ id })).toHaveLength(2));
    // The second request brings keys for a new session, which her phone does not hear of.
    wa.loseNextMessage(account);
    await wa.requestRetry(account, ann, id);
    await eventually(() => expect(stanzasOf(harness, id)).toHaveLength(3));
    await wa.inbound(ann, account, 'with the old one');
    await received('with the old one');
    const next = await sent(harness, aText(ann.phoneNumber, false, 'with the new one'));
    expect(wa.sentMessages({ id: next })).toMatchObject([{ readableBy: [ann.phoneNumber] }]);
    await wa.inbound(ann, account, 'both ways');
    await received('both ways');
    expect(wa.receipts(account).filter(({ type }) => type === 'retry')).toEqual([]);
  });
});

describe('a member whose phone could not read a message of the group', () => {
  it('gets one copy, and nobody else gets any', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const { group, members } = aTeam(harness, 6);
    const [ann, ben] = members;
    if (!ann || !ben) throw new Error('The team is too small.');
    const id = await sent(harness, aText(group.jid, true));
    const before = stanzasOf(harness, id);
    for (const member of [ann, ben]) await wa.requestRetry(account, member, id);
    await eventually(() => expect(acksOf(harness, id)).toHaveLength(2));
    expect(stanzasOf(harness, id).slice(before.length)).toEqual([
      { participant: ann.lidJid, copies: 1 },
      { participant: ben.lidJid, copies: 1 },
    ]);
    expect(wa.sentMessages({ id }).slice(1)).toMatchObject([
      { content: { type: 'text', text: 'to all' }, readableBy: [ann.phoneNumber] },
      { content: { type: 'text', text: 'to all' }, readableBy: [ben.phoneNumber] },
    ]);
    // The copy has not used up the group's key.
    const next = await sent(harness, aText(group.jid, true, 'next'));
    expect(wa.sentMessages({ id: next })[0]?.readableBy).toHaveLength(members.length);
    expect(wa.takeProblems()).toEqual([]);
  });

  it('gets five copies at most, however often it asks', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const { group, members } = aTeam(harness, 1);
    const [ann] = members;
    if (!ann) throw new Error('The team is too small.');
    const id = await sent(harness, aText(group.jid, true));
    for (let times = 1; times <= 8; times += 1) {
      await wa.requestRetry(account, ann, id, { insists: true });
      await eventually(() => expect(acksOf(harness, id)).toHaveLength(times));
    }
    expect(stanzasOf(harness, id).slice(1)).toEqual(
      Array.from({ length: 5 }, () => ({ participant: ann.lidJid, copies: 1 })),
    );
  });
});

describe('a message that somebody asks for', () => {
  it('is not sent to a person whom it was not for', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account, reader } = harness.network;
    const curious = wa.person('5511977770001');
    const id = await sent(harness, aText(reader.phoneNumber, false, 'only for Bob'));
    await sent(harness, aText(curious.phoneNumber, false));
    await wa.requestRetry(account, curious, id);
    await eventually(() => expect(acksOf(harness, id)).toHaveLength(1));
    expect(wa.sentMessages({ id })).toHaveLength(1);
  });

  it('is not sent to a member of another group, who asks for it there', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const { group } = aTeam(harness, 2);
    const curious = wa.person('5511977770002');
    const other = wa.group({ subject: 'Neighbours', members: [account, curious] });
    const id = await sent(harness, aText(group.jid, true, 'only for the team'));
    await sent(harness, aText(other.jid, true));
    wa.deliverStanza(account, {
      tag: 'receipt',
      attrs: { id, from: other.jid, participant: curious.lidJid ?? '', type: 'retry', t: '1' },
      content: [{ tag: 'retry', attrs: { count: '1', id, v: '1', t: '1' } }],
    });
    await eventually(() => expect(acksOf(harness, id)).toHaveLength(1));
    expect(wa.sentMessages({ id })).toHaveLength(1);
  });

  it('is sent again after a restart, and by either of the two addresses of its recipient', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account, reader } = harness.network;
    const id = await sent(harness, aText(reader.phoneNumber, false, 'say again?'));
    await harness.link.connection().close();
    const again = await harness.open();
    await again.first('connected');
    await wa.requestRetry(account, reader, id, { addressing: 'pn' });
    await eventually(() => expect(acksOf(harness, id)).toHaveLength(1));
    expect(wa.sentMessages({ id }).slice(1)).toMatchObject([
      { content: { type: 'text', text: 'say again?' }, readableBy: [reader.phoneNumber] },
    ]);
  });

  it.each([
    { who: 'is only written to by number', options: { writtenToBy: 'pn' } },
    { who: 'only gets messages with a token', options: { needsToken: true } },
  ] as const)('is sent again to a person who $who', async ({ options }) => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const ann = wa.person('5511977770002', options);
    await wa.inbound(ann, account, 'Hello');
    const id = await eventually(() => sent(harness, aText(ann.phoneNumber, false, 'say again?')));
    await wa.requestRetry(account, ann, id);
    await eventually(() => expect(acksOf(harness, id)).toHaveLength(1));
    const accepted = wa.sentMessages({ id }).filter(({ refused }) => refused === null);
    expect(accepted.map(({ readableBy }) => readableBy)).toEqual([[ann.phoneNumber], [ann.phoneNumber]]);
    expect(wa.takeProblems()).toEqual([]);
  });

  it('is sent again later if the network does not hand out the keys of the device at first', async () => {
    const harness = await linked({ readsByItself: false, clock: hurriedClock() });
    const { wa, reader } = harness.network;
    await sent(harness, aText(reader.phoneNumber, false, 'before'));
    wa.reinstall(reader, { isNotified: false });
    wa.refuseQueries('encrypt/get/key', 429);
    const id = await sent(harness, aText(reader.phoneNumber, false, 'say again?'));
    await eventually(() => expect(acksOf(harness, id)).toHaveLength(1));
    expect(wa.sentMessages({ id }).map(({ readableBy }) => readableBy)).toEqual([[], [reader.phoneNumber]]);
  });

  it('is sent again later if the network does not take the copy at first', async () => {
    const harness = await linked({ readsByItself: false, clock: hurriedClock() });
    const { wa, account, reader } = harness.network;
    const id = await sent(harness, aText(reader.phoneNumber, false, 'say again?'));
    wa.refuseNextMessage(account, 429);
    await wa.requestRetry(account, reader, id);
    await eventually(() => expect(acksOf(harness, id)).toHaveLength(1));
    expect(wa.sentMessages({ id }).map(({ refused }) => refused)).toEqual([null, 429, null]);
  });
});
