import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { createTrunkline } from '../src/index.ts';
import type { DeliveryDetailResource, TrunklineOptions, WorkspaceApi } from '../src/index.ts';
import { listeningAddresses, nodeDnsResolver, nodeRuntime } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { startNameServer } from './node/name-server.ts';
import { Servers, respondOk } from './node/servers.ts';
import { SECRET_KEY, only, startHarness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const servers = new Servers();
afterAll(() => servers.close());

const EVENTS = ['message.sent'] as const;
const REFUSED = { code: 'INVALID_WEBHOOK_URL', status: 422 };

function names(addresses: Readonly<Record<string, readonly string[]>>): TrunklineOptions['dns'] {
  return { resolve: async (name) => addresses[name] ?? Promise.reject(new Error('NXDOMAIN')) };
}

async function refusalOf(api: WorkspaceApi, url: string): Promise<string | undefined> {
  return api.webhooks.create({ url, events: EVENTS }).then(
    () => undefined,
    (error: unknown) => {
      expect(error).toMatchObject(REFUSED);
      return String(error);
    },
  );
}

describe('With webhookAllow, on create and on update,', () => {
  it.each([
    ['a listed host is accepted over http and on any port', 'http://n8n:5678/hook', true],
    ['a host with its addresses in a listed range is accepted likewise', 'http://flows:5678/', true],
    ['an address in a listed range is accepted likewise', 'http://172.18.0.9:5678/', true],
    ['a listed domain is accepted', 'http://a.internal.test/', true],
    ['a private host that is not listed is refused', 'https://other/', false],
    ['a private address that is not listed is refused', 'https://10.0.0.1/', false],
    ['a public host that is not listed must have https', 'http://hooks.test/', false],
    ['a public host that is not listed must have port 443 or 8443', 'https://hooks.test:5678/', false],
    ['a public host is accepted as before', 'https://hooks.test/', true],
    ['a listed host on a metadata service is refused', 'http://metadata.internal.test/', false],
    ['port 0 is refused', 'http://n8n:0/', false],
    ['a user name is refused', 'http://user@n8n:5678/', false],
    ['another scheme is refused', 'ftp://n8n/', false],
  ])('%s', async (_, url, accepted) => {
    const { api } = await startHarness({
      dns: names({
        n8n: ['10.0.0.7'],
        flows: ['172.18.0.4'],
        other: ['10.0.0.8'],
        'a.internal.test': ['192.168.4.4', 'fd00::4'],
        'metadata.internal.test': ['169.254.169.254'],
        'hooks.test': ['93.184.215.14'],
      }),
      webhookAllow: ['n8n', '*.internal.test', '172.18.0.0/16'],
    });
    const { id } = await api.webhooks.create({ url: 'https://hooks.test/', events: EVENTS });
    const updating = api.webhooks.update(id, { url });
    if (accepted) {
      expect(await refusalOf(api, url)).toBeUndefined();
      expect(await updating).toMatchObject({ url });
    } else {
      expect(await refusalOf(api, url)).toBeDefined();
      await expect(updating).rejects.toMatchObject(REFUSED);
      expect(await api.webhooks.get(id)).toMatchObject({ url: 'https://hooks.test/' });
    }
  });
});

it('What is refused for its addresses has one text, with no address, that names the settings', async () => {
  const { api } = await startHarness({
    dns: names({
      inside: ['10.0.0.1'],
      denied: ['93.184.215.14'],
      range: ['8.8.8.8'],
      own: ['172.18.0.2'],
      public: ['93.184.215.15'],
    }),
    webhookAllow: ['172.18.0.0/16'],
    webhookDeny: ['denied', '8.8.8.0/24'],
    ownAddresses: () => [{ host: '172.18.0.2', port: 443 }],
  });
  const inside = await refusalOf(api, 'https://inside/');
  expect(inside).toContain('WEBHOOK_ALLOW (webhookAllow)');
  expect(inside).not.toMatch(/\d/);
  for (const host of ['nowhere', 'denied', 'range', 'own'])
    expect(await refusalOf(api, `https://${host}/`)).toBe(inside);
  // The refusal does not show whether a name over http resolves, either.
  for (const host of ['nowhere', 'inside', 'public'])
    expect(await refusalOf(api, `http://${host}/`)).toBe(inside);
});

it.each(['http://n8n:5678/', 'https://hooks.test:9000/', 'https://10.0.0.1/', 'http://10.0.0.1:5678/'])(
  'Without lists, the refusal of %s names the setting that the operator may want',
  async (url) => {
    const { api } = await startHarness();
    expect(await refusalOf(api, url)).toContain('WEBHOOK_ALLOW (webhookAllow)');
  },
);

it('webhookDeny has precedence over webhookAllow and over what is public', async () => {
  const { api } = await startHarness({
    dns: names({
      n8n: ['10.0.0.7'],
      'evil.test': ['93.184.215.14'],
      'a.evil.test': ['93.184.215.14'],
      'mixed.test': ['93.184.215.14', '8.8.8.8'],
      'good.test': ['93.184.215.14'],
    }),
    webhookAllow: ['n8n', '10.0.0.0/8', 'a.evil.test'],
    webhookDeny: ['10.0.0.7', 'evil.test', '8.8.8.0/24'],
  });
  for (const url of [
    'http://n8n/',
    'http://10.0.0.7/',
    'https://evil.test/',
    'https://a.evil.test/',
    'https://evil.test./',
    'https://mixed.test/',
    'https://8.8.8.8/',
    'https://[::ffff:8.8.8.8]/',
    'https://[64:ff9b::808:808]/',
  ])
    expect(await refusalOf(api, url), url).toBeDefined();
  expect(await refusalOf(api, 'https://good.test/')).toBeUndefined();
});

it('ownAddresses is asked with the port of the URL', async () => {
  const ports: number[] = [];
  const { api } = await startHarness({
    urlPolicy: 'local',
    ownAddresses: (port) => {
      ports.push(port);
      return [{ host: '127.0.0.1', port: 8080 }];
    },
  });
  expect(await refusalOf(api, 'http://127.0.0.1:8080/')).toBeDefined();
  expect(new Set(ports)).toEqual(new Set([8080]));
  ports.length = 0;
  expect(await refusalOf(api, 'https://127.0.0.1/')).toBeUndefined();
  expect(new Set(ports)).toEqual(new Set([443]));
});

it('ownAddresses is asked for each URL, and a wrong one fails the request rather than let it pass', async () => {
  let own = [{ host: '127.0.0.1', port: 8080 }];
  const { api } = await startHarness({ urlPolicy: 'local', ownAddresses: () => own });
  expect(await refusalOf(api, 'http://127.0.0.1:8080/')).toBeDefined();
  expect(await refusalOf(api, 'http://127.0.0.1:8081/')).toBeUndefined();
  own = [{ host: '127.0.0.1', port: 8081 }];
  expect(await refusalOf(api, 'http://127.0.0.1:8080/')).toBeUndefined();
  expect(await refusalOf(api, 'http://127.0.0.1:8081/')).toBeDefined();
  own = [{ host: 'fe80::1%eth0', port: 8082 }];
  await expect(api.webhooks.create({ url: 'http://127.0.0.1:8082/', events: EVENTS })).rejects.toThrow(
    'the option "ownAddresses" is wrong: it returned "fe80::1%eth0"',
  );
});

describe('Each attempt', () => {
  /** Sends to `http://n8n:<port>/`, whose addresses the test changes, with real sockets and a real name server. */
  async function sendingTo(
    port: number,
    options: Partial<TrunklineOptions>,
  ): Promise<{
    reply(addresses: readonly string[]): void;
    attempted(): Promise<DeliveryDetailResource>;
  }> {
    const dns = await startNameServer();
    dns.reply('n8n', ['127.0.0.1']);
    const trunkline = createTrunkline({
      ...nodeRuntime({ dns: nodeDnsResolver({ servers: [dns.address] }) }),
      storage: memoryStorage(),
      gateways: [createSandbox().gateway],
      secretKey: SECRET_KEY,
      roles: only('api', 'webhooks'),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      ...options,
    });
    await trunkline.start();
    onTestFinished(() => trunkline.stop());
    const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
    const { webhooks, deliveries } = trunkline.workspace(id);
    const webhook = await webhooks.create({ url: `http://n8n:${port}/`, events: EVENTS });
    return {
      reply: (addresses) => dns.reply('n8n', addresses),
      async attempted() {
        const { id: delivery } = await webhooks.test(webhook.id);
        return eventually(async () => {
          const detail = await deliveries.get(delivery);
          expect(detail.attempts).toBe(1);
          return detail;
        });
      },
    };
  }
  const arrived = { status: 'success', error_code: null };
  const unsafe = { status: 'failed', error_code: 'UNSAFE_URL' };

  it('goes to a listed host, and not to an address that a name does not open', async () => {
    const receiver = await servers.raw(respondOk);
    const { reply, attempted } = await sendingTo(receiver.port, { webhookAllow: ['n8n'] });
    expect(await attempted()).toMatchObject(arrived);
    for (const address of [
      '169.254.169.254',
      '168.63.129.16',
      '::ffff:169.254.169.254',
      'fe80::1',
      '0.0.0.0',
    ]) {
      reply(['127.0.0.1', address]);
      expect(await attempted()).toMatchObject(unsafe);
    }
    expect(receiver.connections).toBe(1);
  });

  it('goes to a listed range, until the name means an address outside of it', async () => {
    const receiver = await servers.raw(respondOk);
    const { reply, attempted } = await sendingTo(receiver.port, { webhookAllow: ['127.0.0.0/30'] });
    expect(await attempted()).toMatchObject(arrived);
    for (const address of ['127.0.0.4', '10.0.0.1', '93.184.215.14', '::1', '64:ff9b::7f00:4']) {
      reply(['127.0.0.1', address]);
      expect(await attempted()).toMatchObject(unsafe);
    }
    reply(['127.0.0.1']);
    expect(await attempted()).toMatchObject(arrived);
  });

  it('is refused once the name means a denied address, on an open connection too', async () => {
    const receiver = await servers.raw(respondOk);
    const { reply, attempted } = await sendingTo(receiver.port, {
      webhookAllow: ['n8n'],
      webhookDeny: ['127.0.0.2', '10.0.0.0/8'],
    });
    expect(await attempted()).toMatchObject(arrived);
    for (const addresses of [['127.0.0.2'], ['127.0.0.1', '10.9.9.9'], ['127.0.0.1', '::ffff:10.9.9.9']]) {
      reply(addresses);
      expect(await attempted()).toMatchObject(unsafe);
    }
    expect(receiver.connections).toBe(1);
  });

  it('is refused once the service itself listens there', async () => {
    const receiver = await servers.raw(respondOk);
    let own: { host: string; port: number }[] = [];
    const { attempted } = await sendingTo(receiver.port, {
      webhookAllow: ['n8n'],
      ownAddresses: () => own,
    });
    expect(await attempted()).toMatchObject(arrived);
    own = [{ host: '127.0.0.0/8', port: receiver.port }];
    expect(await attempted()).toMatchObject(unsafe);
    expect(receiver.connections).toBe(1);
  });
});

describe('listeningAddresses', () => {
  it('has the address of a server that listens on one', () => {
    const addresses = listeningAddresses({ address: '10.0.0.5', port: 8080 });
    expect(addresses).toContainEqual({ host: '10.0.0.5', port: 8080 });
    expect(addresses).not.toContainEqual({ host: '127.0.0.0/8', port: 8080 });
  });

  it.each(['0.0.0.0', '::'])('has the addresses of all interfaces for a server on %s', (address) => {
    const hosts = listeningAddresses({ address, port: 8080 }).map(({ host }) => host);
    const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    expect(interfaces.length).toBeGreaterThan(0);
    expect(hosts).toEqual(expect.arrayContaining(interfaces.map((one) => one.address)));
  });

  it('has none for another port than that of the server', () => {
    expect(listeningAddresses({ address: '0.0.0.0', port: 8080 }, 8081)).toEqual([]);
    expect(listeningAddresses({ address: '0.0.0.0', port: 8080 }, 8080)).toEqual(
      listeningAddresses({ address: '0.0.0.0', port: 8080 }),
    );
  });

  it.each(['0.0.0.0', '::'])('has every address that reaches a server on %s', async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    onTestFinished(() => void server.close());
    const address = server.address() as AddressInfo; // the server listens on TCP
    const { api } = await startHarness({
      webhookAllow: ['0.0.0.0/0', '0.0.0.0', '::/0', '::1'],
      ownAddresses: (port) => listeningAddresses(address, port),
    });
    for (const own of ['127.0.0.1', '127.8.8.8', '0.0.0.0', '[::]', '[::1]', '[::ffff:127.0.0.1]'])
      expect(await refusalOf(api, `http://${own}:${address.port}/`), own).toBeDefined();
    expect(await refusalOf(api, `http://127.0.0.1:${address.port === 80 ? 81 : 80}/`)).toBeUndefined();
  });
});
