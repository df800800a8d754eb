import { describe, expect, it } from 'vitest';
import type { IncomingMessage } from '../src/spi/gateway.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';
import {
  MINUTE,
  SECOND,
  connectInstance,
  listen,
  sendText,
  startHarness,
  receivedEvents,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const HI: IncomingMessage = {
  networkId: 'IN1',
  senderId: '34600000009@net',
  from: '34600000009',
  groupNetworkId: null,
  content: { type: 'text', text: 'Hi' },
};

async function listening() {
  const gateway = scriptedGateway();
  const harness = await startHarness({ gateway });
  await listen(harness);
  const { id } = await harness.api.instances.create();
  await harness.api.instances.connect(id);
  await harness.clock.settle();
  return { harness, id, gateway, network: gateway.last().listener };
}

const received = async (harness: Harness) => {
  await harness.clock.settle();
  return receivedEvents(harness).filter(({ type }) => type === 'message.received');
};

describe('an inbound message', () => {
  it('is stored and reported with the same message', async () => {
    const { harness, id, network } = await listening();
    await network.message(HI);
    const [message] = (await harness.api.messages.list({ direction: 'inbound' })).data;
    expect(message).toMatchObject({
      instance_id: id,
      direction: 'inbound',
      type: 'text',
      status: 'received',
      from: '34600000009',
      to: PROFILE.phoneNumber,
      text: 'Hi',
      group_id: null,
      queued_at: null,
      sent_at: null,
    });
    expect(message?.received_at).toBe(message?.created_at);
    expect((await received(harness)).map(({ data }) => data)).toEqual([{ message }]);
  });

  it('is stored and reported once, however often the network delivers it', async () => {
    const { harness, network } = await listening();
    await Promise.all([network.message(HI), network.message(HI)]);
    await harness.clock.advance(SECOND);
    await network.message(HI);
    expect((await harness.api.messages.list()).data).toHaveLength(1);
    expect(await received(harness)).toHaveLength(1);
  });

  it('is another one from another sender, or on another instance', async () => {
    const { harness, network, gateway } = await listening();
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    await network.message(HI);
    await network.message({ ...HI, senderId: '34600000008@net' });
    await gateway.last().listener.message(HI);
    expect((await harness.api.messages.list()).data).toHaveLength(3);
  });

  it('keeps a number that the network hides hidden', async () => {
    const { harness, network } = await listening();
    await network.message({ ...HI, senderId: '998877@lid', from: null });
    expect((await harness.api.messages.list()).data).toMatchObject([{ from: null }]);
  });

  it('has its group and its writer', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const phone = harness.sandbox.phone(id);
    const choir = await phone.addGroup({ name: 'Choir', participantsCount: 3 });
    await phone.receive({ from: '34600000009', text: 'La', groupNetworkId: choir });
    await harness.clock.advance(SECOND);
    const group = (await harness.api.instances.groups(id)).data.find(({ name }) => name === 'Choir');
    expect((await harness.api.messages.list()).data).toMatchObject([
      { from: '34600000009', to: null, group_id: group?.id },
    ]);
  });

  it('adds a group that was not reported yet, which is named once it is reported', async () => {
    const { harness, id, network } = await listening();
    await Promise.all([
      network.message({ ...HI, groupNetworkId: '120363@g.us' }),
      network.message({ ...HI, networkId: 'IN2', groupNetworkId: '120363@g.us' }),
    ]);
    const [group] = (await harness.api.instances.groups(id)).data;
    expect(group).toMatchObject({ name: '120363@g.us', participants_count: 0 });
    await network.groups([{ networkId: '120363@g.us', name: 'Choir', participantsCount: 3 }]);
    expect((await harness.api.instances.groups(id)).data).toMatchObject([
      { id: group?.id, name: 'Choir', participants_count: 3 },
    ]);
    expect((await harness.api.messages.list()).data).toMatchObject([
      { group_id: group?.id },
      { group_id: group?.id },
    ]);
  });

  it('lists a group that was left again, under its id and name', async () => {
    const { harness, id, network } = await listening();
    await network.groups([{ networkId: '120363@g.us', name: 'Choir', participantsCount: 3 }]);
    const [group] = (await harness.api.instances.groups(id)).data;
    await network.groups([], { full: true });
    expect((await harness.api.instances.groups(id)).data).toEqual([]);
    await network.message({ ...HI, groupNetworkId: '120363@g.us' });
    expect((await harness.api.instances.groups(id)).data).toMatchObject([{ id: group?.id, name: 'Choir' }]);
    expect((await harness.api.messages.list()).data).toMatchObject([{ group_id: group?.id }]);
  });

  it('is acknowledged only after it is stored', async () => {
    const { harness, network } = await listening();
    const { messages } = harness.storage;
    const receive = messages.receive.bind(messages);
    messages.receive = () => Promise.reject(new Error('disk full'));
    let isAcknowledged = false;
    const reported = network.message(HI).then(() => (isAcknowledged = true));
    await harness.clock.advance(MINUTE);
    expect(isAcknowledged).toBe(false);
    messages.receive = receive;
    await harness.clock.advance(10 * SECOND);
    await reported;
    expect((await harness.api.messages.list()).data).toHaveLength(1);
  });

  it('is stored later on the same connection if it could not be stored', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const { messages } = harness.storage;
    const receive = messages.receive.bind(messages);
    messages.receive = () => Promise.reject(new Error('disk full'));
    await harness.sandbox.phone(id).receive({ from: '34600000009', text: 'Hi' });
    await harness.clock.advance(SECOND);
    messages.receive = receive;
    await harness.clock.advance(2 * SECOND);
    expect((await harness.api.messages.list()).data).toMatchObject([{ text: 'Hi' }]);
  });
});

describe('a receipt', () => {
  it('is ignored for an unknown message, and logged at debug', async () => {
    const { harness, network } = await listening();
    await network.receipt({ networkId: 'UNKNOWN', status: 'read' });
    expect(harness.logs).toContainEqual(expect.objectContaining({ level: 'debug' }));
    expect((await harness.api.messages.list()).data).toEqual([]);
  });

  it('changes nothing if it comes late or twice', async () => {
    const { harness, id, network, gateway } = await listening();
    const { message } = await sendText(harness, id);
    await harness.clock.settle();
    const networkId = gateway.sent()[0]?.networkId ?? '';
    await network.receipt({ networkId, status: 'read' });
    const read = await harness.api.messages.get(message.id);
    await harness.clock.advance(SECOND);
    await network.receipt({ networkId, status: 'delivered' });
    await network.receipt({ networkId, status: 'read' });
    expect(await harness.api.messages.get(message.id)).toEqual(read);
    expect(receivedEvents(harness).filter(({ type }) => type.startsWith('message.'))).toHaveLength(3);
  });

  it('makes the message sent first if it overtakes the response of the send', async () => {
    const { harness, id, gateway } = await listening();
    gateway.script.send = async ({ networkId }, { listener }) => {
      await listener.receipt({ networkId, status: 'delivered' });
      return { kind: 'accepted' };
    };
    const { message } = await sendText(harness, id);
    await harness.clock.settle();
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'delivered' });
    expect(receivedEvents(harness).map(({ type }) => type)).toEqual([
      'instance.connected',
      'message.sent',
      'message.delivered',
    ]);
  });
});
