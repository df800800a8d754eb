import { describe, expect, it } from 'vitest';
import type { IncomingMessage } from '../src/spi/gateway.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';
import { SECOND, connectInstance, listen, sendText, startWorld, told } from './support/world.ts';
import type { World } from './support/world.ts';

const HI: IncomingMessage = {
  networkId: 'IN1',
  senderId: '34600000009@net',
  from: '34600000009',
  groupNetworkId: null,
  content: { type: 'text', text: 'Hi' },
};

async function listening() {
  const gateway = scriptedGateway();
  const world = await startWorld({ gateway });
  await listen(world);
  const { id } = await world.api.instances.create();
  await world.api.instances.connect(id);
  await world.clock.settle();
  return { world, id, gateway, network: gateway.last().listener };
}

const received = async (world: World) => {
  await world.clock.settle();
  return told(world).filter(({ type }) => type === 'message.received');
};

describe('an inbound message', () => {
  it('is stored and told of with the same message', async () => {
    const { world, id, network } = await listening();
    await network.message(HI);
    const [message] = (await world.api.messages.list({ direction: 'inbound' })).data;
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
    expect((await received(world)).map(({ data }) => data)).toEqual([{ message }]);
  });

  it('is stored and told of once, however often the network delivers it', async () => {
    const { world, network } = await listening();
    await Promise.all([network.message(HI), network.message(HI)]);
    await world.clock.advance(SECOND);
    await network.message(HI);
    expect((await world.api.messages.list()).data).toHaveLength(1);
    expect(await received(world)).toHaveLength(1);
  });

  it('is another one from another sender, or on another instance', async () => {
    const { world, network, gateway } = await listening();
    const { id } = await world.api.instances.create();
    await world.api.instances.connect(id);
    await world.clock.settle();
    await network.message(HI);
    await network.message({ ...HI, senderId: '34600000008@net' });
    await gateway.last().listener.message(HI);
    expect((await world.api.messages.list()).data).toHaveLength(3);
  });

  it('keeps a number that the network hides hidden', async () => {
    const { world, network } = await listening();
    await network.message({ ...HI, senderId: '998877@lid', from: null });
    expect((await world.api.messages.list()).data).toMatchObject([{ from: null }]);
  });

  it('in a group carries the group and its writer', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    const phone = world.sandbox.phone(id);
    const choir = await phone.addGroup({ name: 'Choir', participantsCount: 3 });
    await phone.receive({ from: '34600000009', text: 'La', groupNetworkId: choir });
    await world.clock.advance(SECOND);
    const group = (await world.api.instances.groups(id)).find(({ name }) => name === 'Choir');
    expect((await world.api.messages.list()).data).toMatchObject([
      { from: '34600000009', to: null, group_id: group?.id },
    ]);
  });

  it('in a group that was not reported yet has the group noted, and named once it is', async () => {
    const { world, id, network } = await listening();
    await Promise.all([
      network.message({ ...HI, groupNetworkId: '120363@g.us' }),
      network.message({ ...HI, networkId: 'IN2', groupNetworkId: '120363@g.us' }),
    ]);
    const [group] = await world.api.instances.groups(id);
    expect(group).toMatchObject({ name: '120363@g.us', participants_count: 0 });
    await network.groups([{ networkId: '120363@g.us', name: 'Choir', participantsCount: 3 }]);
    expect(await world.api.instances.groups(id)).toMatchObject([
      { id: group?.id, name: 'Choir', participants_count: 3 },
    ]);
    expect((await world.api.messages.list()).data).toMatchObject([
      { group_id: group?.id },
      { group_id: group?.id },
    ]);
  });

  it('in a group that was left finds it under its id and name, and has it listed again', async () => {
    const { world, id, network } = await listening();
    await network.groups([{ networkId: '120363@g.us', name: 'Choir', participantsCount: 3 }]);
    const [group] = await world.api.instances.groups(id);
    await network.groups([], { full: true });
    expect(await world.api.instances.groups(id)).toEqual([]);
    await network.message({ ...HI, groupNetworkId: '120363@g.us' });
    expect(await world.api.instances.groups(id)).toMatchObject([{ id: group?.id, name: 'Choir' }]);
    expect((await world.api.messages.list()).data).toMatchObject([{ group_id: group?.id }]);
  });

  it('that cannot be stored is not acknowledged', async () => {
    const { world, network } = await listening();
    const { messages } = world.storage;
    const receive = messages.receive.bind(messages);
    messages.receive = () => Promise.reject(new Error('disk full'));
    await expect(network.message(HI)).rejects.toThrow('disk full');
    messages.receive = receive;
    await network.message(HI);
    expect((await world.api.messages.list()).data).toHaveLength(1);
  });

  it('that cannot be stored comes again from the sandbox network, on the same connection', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    const { messages } = world.storage;
    const receive = messages.receive.bind(messages);
    messages.receive = () => Promise.reject(new Error('disk full'));
    await world.sandbox.phone(id).receive({ from: '34600000009', text: 'Hi' });
    await world.clock.advance(SECOND);
    messages.receive = receive;
    await world.clock.advance(2 * SECOND);
    expect((await world.api.messages.list()).data).toMatchObject([{ text: 'Hi' }]);
  });
});

describe('a receipt', () => {
  it('for a message that nobody sent is ignored, and noted at debug', async () => {
    const { world, network } = await listening();
    await network.receipt({ networkId: 'UNKNOWN', status: 'read' });
    expect(world.logs).toContainEqual(expect.objectContaining({ level: 'debug' }));
    expect((await world.api.messages.list()).data).toEqual([]);
  });

  it('that comes late or twice changes nothing', async () => {
    const { world, id, network, gateway } = await listening();
    const { message } = await sendText(world, id);
    await world.clock.settle();
    const networkId = gateway.sent()[0]?.networkId ?? '';
    await network.receipt({ networkId, status: 'read' });
    const read = await world.api.messages.get(message.id);
    await world.clock.advance(SECOND);
    await network.receipt({ networkId, status: 'delivered' });
    await network.receipt({ networkId, status: 'read' });
    expect(await world.api.messages.get(message.id)).toEqual(read);
    expect(told(world).filter(({ type }) => type.startsWith('message.'))).toHaveLength(3);
  });

  it('that overtakes the answer of the send makes the message sent first', async () => {
    const { world, id, gateway } = await listening();
    gateway.script.send = async ({ networkId }, { listener }) => {
      await listener.receipt({ networkId, status: 'delivered' });
      return { kind: 'accepted' };
    };
    const { message } = await sendText(world, id);
    await world.clock.settle();
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'delivered' });
    expect(told(world).map(({ type }) => type)).toEqual([
      'instance.connected',
      'message.sent',
      'message.delivered',
    ]);
  });
});
