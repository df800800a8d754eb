import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSealer, proxyUrlPurpose } from '../src/services/sealer.ts';
import { nodeCrypto } from '../src/node/index.ts';
import { seededRandom } from '../src/testing/index.ts';
import { MINUTE, SECRET_KEY, connectScripted, listen, startHarness } from './support/harness.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';

const PROXY = 'http://ada:open%20sesame@proxy.example:8080';
const OTHER = 'socks5://proxy.example';
const NEW_KEY = 'the new key, of 32 characters or more';
const everything = (value: unknown): string => inspect(value, { depth: 20, maxStringLength: null });

async function startAllowing() {
  const gateway = scriptedGateway();
  const harness = await startHarness({ gateway, instanceProxies: true });
  const stored = async (id: string) => {
    const instance = await harness.storage.instances.find(harness.workspaceId, id);
    if (!instance) throw new Error('The instance is gone.');
    return instance;
  };
  return { gateway, harness, stored, api: harness.api, clock: harness.clock };
}

describe('the proxy of an instance', () => {
  it('is where the gateway connects and unlinks through, from the next connection on', async () => {
    const { gateway, api, clock } = await startAllowing();
    const { id } = await api.instances.create({ proxy_url: PROXY });
    await api.instances.connect(id);
    await clock.settle();
    expect(gateway.last().proxyUrl).toBe(PROXY);

    await api.instances.update(id, { proxy_url: OTHER });
    await clock.advance(MINUTE);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected', has_proxy: true });
    expect(gateway.connections).toHaveLength(1);

    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await clock.advance(MINUTE);
    expect(gateway.connections.map(({ proxyUrl }) => proxyUrl)).toEqual([PROXY, OTHER]);

    await api.instances.update(id, { proxy_url: PROXY });
    await api.instances.disconnect(id);
    const unlinkedThrough: unknown[] = [];
    gateway.script.unlink = async (_, options) => void unlinkedThrough.push(options);
    await api.instances.logout(id);
    expect(unlinkedThrough).toEqual([{ proxyUrl: PROXY, credentials: null }]);
  });

  it('stays over a new name and a logout, and is removed by null', async () => {
    const { gateway, api, clock, harness } = await startAllowing();
    const id = await connectScripted(harness);
    expect(gateway.last().proxyUrl).toBeNull();
    expect(await api.instances.update(id, { proxy_url: PROXY })).toMatchObject({ has_proxy: true });
    expect(await api.instances.update(id, { name: 'Desk' })).toMatchObject({ name: 'Desk', has_proxy: true });
    expect(await api.instances.logout(id)).toMatchObject({ status: 'logged_out', has_proxy: true });
    await api.instances.connect(id);
    await clock.settle();
    expect(gateway.last().proxyUrl).toBe(PROXY);

    await api.instances.disconnect(id);
    expect(await api.instances.update(id, { proxy_url: null })).toMatchObject({
      name: 'Desk',
      has_proxy: false,
    });
    await api.instances.connect(id);
    await clock.settle();
    expect(gateway.last().proxyUrl).toBeNull();
  });

  it('is in no log, event, response or database, whatever happens', async () => {
    const { gateway, api, clock, harness, stored } = await startAllowing();
    await listen(harness);
    const { id } = await api.instances.create({ proxy_url: PROXY });
    gateway.script.opened = ({ listener }) =>
      listener.closed({ kind: 'dropped', detail: 'connection_failed' });
    await api.instances.connect(id);
    await clock.advance(MINUTE);
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await clock.advance(10 * MINUTE);
    const seen = [await api.instances.get(id), (await api.instances.list()).data, await stored(id)];
    expect(seen[0]).toMatchObject({ status: 'connected', has_proxy: true });
    expect(harness.sender.requests).not.toEqual([]);
    const all = everything([seen, harness.logs, harness.sender.requests]);
    expect(all).not.toMatch(/proxy\.example|sesame/);
  });

  it('is never passed by: without what opens it, the instance does not connect', async () => {
    const { gateway, api, clock, harness, stored } = await startAllowing();
    const { id } = await api.instances.create({ proxy_url: PROXY });
    const { id: other } = await api.instances.create({ proxy_url: OTHER });
    const { sealedProxyUrl } = await stored(other);
    const stolen = { ...(await stored(id)), sealedProxyUrl };
    await harness.storage.instances.write({ instance: stolen, event: null, lease: null });
    await api.instances.connect(id);
    await clock.advance(MINUTE);
    expect(gateway.connections).toEqual([]);
    expect(await api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'connection_failed',
    });
    expect(everything(harness.logs)).toContain(`The proxy address of ${id} cannot be opened`);

    await api.instances.update(id, { proxy_url: PROXY });
    await clock.advance(10 * MINUTE);
    expect(gateway.last().proxyUrl).toBe(PROXY);
  });

  it('is sealed again with a new key', async () => {
    const { api, clock, harness, stored } = await startAllowing();
    const { id } = await api.instances.create({ proxy_url: PROXY });
    await harness.trunkline.stop();
    const { trunkline } = await harness.another({ secretKey: [NEW_KEY, SECRET_KEY] });
    await clock.settle();
    await trunkline.stop();
    const sealer = createSealer({ secretKeys: [NEW_KEY], crypto: nodeCrypto(), random: seededRandom(7) });
    expect(sealer.openText((await stored(id)).sealedProxyUrl ?? '', proxyUrlPurpose(id))).toBe(PROXY);
  });

  it.each([
    ['without a scheme', 'ada:open@proxy.example:8080'],
    ['with another scheme', 'ftp://ada:open@proxy.example'],
    ['with an older SOCKS', 'socks4://ada:open@proxy.example'],
    ['without a host', 'http://'],
    ['with SOCKS5 and without a host', 'socks5://'],
    ['that is empty', ''],
    ['of 2,049 characters', `http://ada:${'a'.repeat(2_024)}@proxy.example`],
    ['with a half percent code', 'http://ada:100%@proxy.example'],
    ['with NUL', 'http://ada:\0@proxy.example'],
    ['with a password too long for SOCKS5', `socks5://ada:${'s'.repeat(256)}@proxy.example`],
    ['with a name too long for SOCKS5', `socks5://${'%C3%A4'.repeat(128)}@proxy.example`],
    ['that is a number', 5],
    ['that is an object', { href: PROXY }],
  ])('is refused %s, without a word of it', async (_, given) => {
    const { api, stored } = await startAllowing();
    const input = { proxy_url: given as string }; // as a caller without types may pass
    const refusal = { code: 'VALIDATION_FAILED', details: { fields: { proxy_url: [expect.any(String)] } } };
    await expect(api.instances.create(input)).rejects.toMatchObject(refusal);
    const { id } = await api.instances.create({ proxy_url: PROXY });
    await expect(api.instances.update(id, { ...input, name: 'Desk' })).rejects.toMatchObject(refusal);
    expect(await stored(id)).toMatchObject({ version: 0 });
    const error: unknown = await api.instances.create(input).catch((thrown: unknown) => thrown);
    expect(everything(error)).not.toMatch(/ada:|%C3|sesame/);
  });

  it.each([
    ['of 2,048 characters', `http://ada:${'a'.repeat(2_023)}@proxy.example`],
    ['with SOCKS5 and as long a name as it has', `socks5://${'%C3%A4'.repeat(127)}:pass@proxy.example:1080`],
    ['with TLS and an IPv6 address', 'https://[2001:db8::1]:3128/'],
  ])('may be one %s', async (_, given) => {
    const { gateway, api, clock } = await startAllowing();
    const { id } = await api.instances.create({ proxy_url: given });
    await api.instances.connect(id);
    await clock.settle();
    expect(gateway.last().proxyUrl).toBe(given);
  });
});

describe('a service that does not allow proxies', () => {
  it('refuses to give an instance one, and to take none away', async () => {
    const { api } = await startHarness({ gateway: scriptedGateway() });
    const refusal = {
      code: 'VALIDATION_FAILED',
      details: { fields: { proxy_url: [expect.stringMatching(/^Is not allowed here.*INSTANCE_PROXIES/)] } },
    };
    await expect(api.instances.create({ proxy_url: PROXY })).rejects.toMatchObject(refusal);
    const { id } = await api.instances.create({ proxy_url: null });
    await expect(api.instances.update(id, { proxy_url: PROXY })).rejects.toMatchObject(refusal);
    expect(await api.instances.update(id, { proxy_url: null })).toMatchObject({ has_proxy: false });
  });

  it('still connects instances through those that they have, and removes them', async () => {
    const { api, harness, clock } = await startAllowing();
    const { id } = await api.instances.create({ proxy_url: PROXY });
    await harness.trunkline.stop();
    const gateway = scriptedGateway();
    const second = await harness.another({ gateway });
    await second.api.instances.connect(id);
    await clock.settle();
    expect(gateway.last().proxyUrl).toBe(PROXY);
    expect(await second.api.instances.update(id, { proxy_url: null })).toMatchObject({ has_proxy: false });
  });
});

describe('a gateway that does not connect through proxies', () => {
  it('gets no instance with one, whatever is stored', async () => {
    const { api, harness, clock, gateway } = await startAllowing();
    const { id } = await api.instances.create({ proxy_url: PROXY });
    await harness.trunkline.stop();
    const { acceptsProxy: _, ...without } = gateway;
    const second = await harness.another({ gateway: without, instanceProxies: true });
    await expect(second.api.instances.create({ proxy_url: PROXY })).rejects.toMatchObject({
      details: { fields: { proxy_url: [expect.stringMatching(/^Is not possible on the network/)] } },
    });
    await second.api.instances.connect(id);
    await clock.advance(MINUTE);
    expect(gateway.connections).toEqual([]);
    expect(everything(harness.logs)).toContain(`The instance ${id} has a proxy`);
    await second.api.instances.update(id, { proxy_url: null });
    await clock.advance(10 * MINUTE);
    expect(gateway.last().proxyUrl).toBeNull();
  });
});
