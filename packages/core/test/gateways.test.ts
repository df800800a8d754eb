import { describe, expect, it } from 'vitest';
import type { InstanceResource } from '../src/index.ts';
import type { Gateway } from '../src/spi/gateway.ts';
import { MINUTE, only, sendText, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { scriptedGateway, texts } from './support/scripted-gateway.ts';
import type { ScriptedGateway } from './support/scripted-gateway.ts';

const NUMBER = '34600111222';

function gatewayTo(network: string, changes: Partial<Gateway> = {}): ScriptedGateway {
  return { ...scriptedGateway(), network, title: network.toUpperCase(), ...changes };
}

async function connectedOn({ api, clock }: Harness, network?: string): Promise<InstanceResource> {
  const { id } = await api.instances.create({ network });
  await api.instances.connect(id);
  await clock.settle();
  return api.instances.get(id);
}

/** A service with two networks, and a connected instance on each. */
async function onTwoNetworks() {
  const pigeon = gatewayTo('pigeon');
  const carrier = gatewayTo('carrier', { capabilities: ['text'], linking: ['qr'], acceptsProxy: false });
  const harness = await startHarness({ gateways: [pigeon, carrier], instanceProxies: true });
  const [first, second] = [await connectedOn(harness), await connectedOn(harness, 'carrier')];
  return { harness, pigeon, carrier, first, second };
}

describe('a service with two gateways', () => {
  it('connects, sends and receives on the network of each instance', async () => {
    const { harness, pigeon, carrier, first, second } = await onTwoNetworks();
    expect([first, second]).toMatchObject([
      { status: 'connected', network: 'pigeon', capabilities: ['text', 'groups'] },
      { status: 'connected', network: 'carrier', capabilities: ['text'] },
    ]);
    await sendText(harness, first.id, NUMBER, 'by pigeon');
    await sendText(harness, second.id, NUMBER, 'by carrier');
    await harness.clock.settle();
    expect([pigeon, carrier].map((gateway) => texts(gateway.sent()))).toEqual([
      ['by pigeon'],
      ['by carrier'],
    ]);
    for (const [gateway, text] of [
      [pigeon, 'from a pigeon'],
      [carrier, 'from a carrier'],
    ] as const)
      await gateway.last().listener.message({
        networkId: text,
        senderId: '34600',
        from: NUMBER,
        groupNetworkId: null,
        content: { type: 'text', text },
      });
    const received = async ({ id }: InstanceResource) =>
      (await harness.api.messages.list({ instance: id, direction: 'inbound' })).data.map(({ text }) => text);
    expect(await received(first)).toEqual(['from a pigeon']);
    expect(await received(second)).toEqual(['from a carrier']);
  });

  it('lists its networks, the default one first', async () => {
    const { harness } = await onTwoNetworks();
    expect((await harness.api.networks.list()).data).toEqual([
      {
        name: 'pigeon',
        title: 'PIGEON',
        capabilities: ['text', 'groups'],
        linking: ['qr', 'pairing_code'],
        credentials: [],
        simulated: false,
        default: true,
      },
      {
        name: 'carrier',
        title: 'CARRIER',
        capabilities: ['text'],
        linking: ['qr'],
        credentials: [],
        simulated: false,
        default: false,
      },
    ]);
  });

  it('refuses an unknown network, and names the known ones', async () => {
    const { harness } = await onTwoNetworks();
    await expect(harness.api.instances.create({ network: 'sandbox' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { network: ['Must be a network of this service: pigeon, carrier.'] } },
    });
  });

  it('checks groups and proxies against the network of the instance', async () => {
    const { harness, pigeon, first, second } = await onTwoNetworks();
    await pigeon.last().listener.groups([{ networkId: 'g', name: 'Choir', participantsCount: 2 }]);
    const [group] = (await harness.api.instances.groups(first.id)).data;
    const send = (instance: string) =>
      harness.api.messages.send({ instance, to: group?.id ?? '', type: 'text', text: 'Hello' });
    await expect(send(second.id)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
    expect((await send(first.id)).message.status).toBe('queued');

    const proxy = { proxy_url: 'http://proxy.example:8080' };
    expect(await harness.api.instances.update(first.id, proxy)).toMatchObject({ has_proxy: true });
    await expect(harness.api.instances.update(second.id, proxy)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await expect(harness.api.instances.create({ network: 'carrier', ...proxy })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });
});

describe('an instance whose network the process does not have', () => {
  /** Restarts the service without the network `carrier`, with a message in the queue of its instance. */
  async function restarted() {
    const parts = await onTwoNetworks();
    const { harness, pigeon, carrier, second } = parts;
    carrier.script.send = () => new Promise(() => {});
    const { message } = await sendText(harness, second.id, NUMBER, 'by carrier');
    const stopped = harness.trunkline.stop();
    await harness.clock.advance(MINUTE);
    await stopped;
    const connections = carrier.connections.length;
    const { api } = await harness.another({ gateways: [pigeon], instanceProxies: true });
    await harness.clock.advance(2 * MINUTE);
    return { ...parts, api, message: message.id, connections };
  }

  it('is not connected, which the log says once, and is shown without capabilities', async () => {
    const { harness, api, pigeon, carrier, first, second, connections } = await restarted();
    expect(pigeon.connections.map(({ state }) => state)).toEqual(['closed', 'open']);
    expect(carrier.connections).toHaveLength(connections);
    const missing = harness.logs.filter(({ message }) => message.includes('has no gateway for'));
    expect(missing).toMatchObject([{ level: 'warn', facts: { networks: ['carrier'] } }]);
    expect(await api.instances.get(second.id)).toMatchObject({ network: 'carrier', capabilities: [] });
    expect(await api.instances.get(first.id)).toMatchObject({ capabilities: ['text', 'groups'] });
  });

  it('refuses requests that need the network, and keeps its queue', async () => {
    const { api, second, message } = await restarted();
    const { id } = second;
    const refused = {
      code: 'GATEWAY_UNAVAILABLE',
      message: expect.stringContaining('the network "carrier", for which this process has no gateway'),
    };
    for (const request of [
      api.messages.send({ instance: id, to: NUMBER, type: 'text', text: 'Hello' }),
      api.instances.connect(id),
      api.instances.disconnect(id),
      api.instances.logout(id),
      api.instances.delete(id),
      api.instances.update(id, { credentials: { token: 'any' } }),
    ])
      await expect(request).rejects.toMatchObject(refused);
    expect(await api.messages.get(message)).toMatchObject({ status: 'queued' });
    expect(await api.messages.standing(message)).toMatchObject({
      code: 'waiting_for_instance',
      sentence: 'It waits: this process has no gateway for the network of its number (carrier).',
    });
    expect(await api.instances.update(id, { name: 'Still here' })).toMatchObject({ name: 'Still here' });
  });
});

describe('processes with different gateways', () => {
  it('connect the instances of their own networks, and share only those', async () => {
    const harness = await startHarness({
      gateways: [gatewayTo('pigeon'), gatewayTo('carrier')],
      roles: only('api'),
    });
    for (const network of Array.from({ length: 12 }, (_, index) => (index < 8 ? 'pigeon' : 'carrier'))) {
      const { id } = await harness.api.instances.create({ network });
      await harness.api.instances.connect(id);
    }
    const open = (gateway: ScriptedGateway): number =>
      gateway.connections.filter(({ state }) => state === 'open').length;
    const start = async (...gateways: readonly Gateway[]) => {
      await harness.another({ roles: only('gateway'), gateways });
      await harness.clock.advance(MINUTE);
    };
    const pigeons = gatewayTo('pigeon');
    await start(pigeons);
    expect(open(pigeons)).toBe(8);

    const [more, carriers] = [gatewayTo('pigeon'), gatewayTo('carrier')];
    await start(more, carriers);
    expect([pigeons, more, carriers].map(open)).toEqual([4, 4, 4]);
  });

  it('leave a network to others if they only serve requests for it', async () => {
    const harness = await startHarness({
      gateways: [gatewayTo('pigeon', { connectsElsewhere: true }), gatewayTo('carrier')],
    });
    const { id } = await connectedOn(harness);
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    const pigeon = gatewayTo('pigeon');
    await harness.another({ roles: only('gateway'), gateways: [pigeon] });
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    await sendText(harness, id);
    await harness.clock.settle();
    expect(texts(pigeon.sent())).toEqual(['Hello']);
  });
});
