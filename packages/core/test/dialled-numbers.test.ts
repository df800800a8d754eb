import { must } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { OPT_IN_EVENT_TYPES } from '../src/index.ts';
import type { ContactReport, SendOutcome } from '../src/spi/gateway.ts';
import { connectScripted, receivedTypes, sendText, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';

const REGISTERED = '554788880001';
const DIALLED = '5547988880001';
const EVA: ContactReport = {
  networkId: '998877@lid',
  aliases: [`${REGISTERED}@net`],
  phoneNumber: REGISTERED,
  name: null,
  username: null,
};

/**
 * An instance on a network that registers Eva's number without the ninth digit, and a message sent to the dialled
 * number.
 */
async function writtenTo(outcome: SendOutcome = { kind: 'accepted', recipient: EVA }) {
  const gateway = scriptedGateway({ send: async () => outcome });
  const harness = await startHarness({ gateway });
  await harness.api.webhooks.create({ url: 'https://hooks.example.com/more', events: OPT_IN_EVENT_TYPES });
  const id = await connectScripted(harness);
  const { message } = await sendText(harness, id, DIALLED);
  await harness.clock.settle();
  const { networkId } = must(gateway.sent().at(-1));
  return { harness, id, message, networkId, network: gateway.last().listener };
}

async function lastInbound({ api }: Harness) {
  return must((await api.messages.list({ direction: 'inbound' })).data[0]);
}

describe('a person whose number the network registers otherwise than it was dialled', () => {
  it('is one person: replies, reactions, look-ups and chats are by either number', async () => {
    const { harness, id, message, networkId, network } = await writtenTo();
    const { api, clock } = harness;
    const reply = { senderId: EVA.networkId, from: REGISTERED, groupNetworkId: null, contact: EVA };
    const content = { type: 'text', text: 'Yes' } as const;
    await network.message({ ...reply, networkId: 'IN1', replyTo: networkId, content });
    const target = {
      about: networkId,
      author: null,
      groupNetworkId: null,
      contact: EVA,
      own: false,
      at: null,
    };
    await network.activity?.({ kind: 'reaction', ...target, emoji: '👍' });
    await clock.settle();
    const answer = await lastInbound(harness);
    expect(answer).toMatchObject({
      reply_to: message.id,
      contact: { phone_number: REGISTERED, dialled_numbers: [DIALLED] },
    });
    expect(receivedTypes(harness)).toContain('message.reaction');

    const sent: string[] = [];
    for (const to of [DIALLED, REGISTERED, answer.contact?.id ?? '']) {
      for (const replyTo of [message.id, answer.id]) {
        const input = { instance: id, to, type: 'text', text: 'Fine', reply_to: replyTo } as const;
        sent.unshift((await api.messages.send(input)).message.id);
      }
    }
    expect((await api.messages.get(must(sent.at(-1)))).to).toBe(DIALLED);
    for (const counterpart of [DIALLED, REGISTERED, answer.contact?.id ?? '']) {
      const { data } = await api.messages.list({ instance: id, counterpart });
      expect(data.map((one) => one.id)).toEqual([...sent, answer.id, message.id]);
    }
    const chats = await api.instances.chats(id);
    expect(chats.data).toMatchObject([{ phone_number: REGISTERED, last_message: { id: sent[0] } }]);
  });

  it.each([DIALLED, REGISTERED])('is exported and erased by %s', async (number) => {
    const { harness, network } = await writtenTo();
    const { admin } = harness.trunkline;
    const content = { type: 'text', text: 'Yes' } as const;
    const from = { senderId: EVA.networkId, from: REGISTERED, groupNetworkId: null, contact: EVA };
    await network.message({ ...from, networkId: 'IN1', content });
    const { workspaceId } = harness;
    const exported: unknown[] = [];
    for await (const item of await admin.exportPerson({ workspaceId, number })) exported.push(item);
    expect(exported).toMatchObject([
      { kind: 'contact', contact: { phone_number: REGISTERED, dialled_numbers: [DIALLED] } },
      { kind: 'message', message: { to: DIALLED } },
      { kind: 'message', message: { from: REGISTERED } },
      ...Array.from(exported.slice(3), () => ({ kind: 'event' })),
    ]);
    expect(await admin.erasePerson({ workspaceId, number })).toMatchObject({
      numbers: [REGISTERED, DIALLED],
      messages: 2,
      contacts: 1,
      left: [],
    });
    expect((await harness.api.messages.list()).data).toEqual([]);
  });

  it('is known although the outcome of the send is not', async () => {
    const { harness, message, networkId, network } = await writtenTo({
      kind: 'unknown',
      reason: 'no response',
      recipient: EVA,
    });
    const content = { type: 'text', text: 'Yes' } as const;
    const from = { senderId: EVA.networkId, from: REGISTERED, groupNetworkId: null, contact: EVA };
    await network.message({ ...from, networkId: 'IN1', replyTo: networkId, content });
    expect((await lastInbound(harness)).reply_to).toBe(message.id);
  });

  it('has one number if the network reports the dialled one', async () => {
    const { harness } = await writtenTo({
      kind: 'accepted',
      recipient: { ...EVA, phoneNumber: DIALLED, aliases: [] },
    });
    const { admin } = harness.trunkline;
    const { workspaceId } = harness;
    expect(await admin.erasePerson({ workspaceId, number: DIALLED })).toMatchObject({
      numbers: [DIALLED],
      messages: 1,
    });
  });
});

it('a person who is not reached by a dialled number has no part in the messages sent to it', async () => {
  const { harness, networkId, network } = await writtenTo();
  const eve: ContactReport = { ...EVA, networkId: '666@lid', aliases: [], phoneNumber: '15550666' };
  const content = { type: 'text', text: 'Me, too' } as const;
  const from = { senderId: eve.networkId, from: eve.phoneNumber, groupNetworkId: null, contact: eve };
  await network.message({ ...from, networkId: 'IN1', replyTo: networkId, content });
  const target = { about: networkId, author: null, groupNetworkId: null, contact: eve, own: false, at: null };
  await network.activity?.({ kind: 'reaction', ...target, emoji: '👍' });
  await harness.clock.settle();
  expect((await lastInbound(harness)).reply_to).toBeNull();
  expect(receivedTypes(harness)).not.toContain('message.reaction');
});
