import { Agent } from 'node:https';
import { inspect } from 'node:util';
import { silentLogger } from '@trunkline/core';
import type { Logger } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { FILES, memorySession, openLink } from '@trunkline/gateway-contract';
import type { WAVersion } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { freePort } from '@trunkline/test-support/free-port';
import { isLongForm } from '@trunkline/test-support/long-form';
import { baileysGateway } from '../src/index.ts';
import { instanceNetwork } from '../src/network/instance-network.ts';
import type { BaileysGatewayOptions } from '../src/index.ts';
import { must, pairByQr, startFlow, untilMessage, untilStatus } from './support/flow.ts';
import { linked, unlinked } from './support/linked.ts';
import { refuseAllBut, startHttpProxy, startSocksProxy } from './support/loopback-proxy.ts';
import type { LoopbackProxy } from './support/loopback-proxy.ts';

const CURRENT: WAVersion = [2, 3000, 1_100_000_000];
const context = { clock: systemClock(), random: systemRandom(), logger: silentLogger };
const portOf = (url: string | URL): number => Number(new URL(url).port);
const anyEnd = ({ reason }: { reason: { kind: string } }): boolean => reason.kind !== 'restart';
const image = { type: 'image', mimeType: 'image/png', bytes: new Uint8Array(30_000).fill(7) } as const;

/** The socket of the network, and its media host. Connections to either may be used again. */
function hostsReached({ targets }: LoopbackProxy): readonly string[] {
  return [...new Set(targets.filter((target) => target.startsWith('127.0.0.1:')))];
}

const PROXIES = [
  ['HTTP', startHttpProxy],
  ['SOCKS5', startSocksProxy],
] as const;

it.each(isLongForm ? PROXIES : PROXIES.slice(0, 1))(
  'the WhatsApp gateway reaches everything through its %s proxy, and nothing past it',
  async (_, start) => {
    const proxy = await start();
    const refused = refuseAllBut(() => [portOf(proxy.url)]);
    const { network, link, open } = await linked({
      gateway: { socket: { proxy: proxy.url } },
      // Through the proxy, the version cannot be looked up.
      before: ({ wa: { linkOldVersions } }) => linkOldVersions(),
    });
    const { wa, account, reader } = network;
    expect(proxy.targets).toContain(`127.0.0.1:${portOf(wa.client.waWebSocketUrl)}`);

    await wa.inbound(reader, account, image);
    const { message } = await link.first('message');
    if (message.content.type === 'text') throw new Error('An image became a text.');
    const bytes = await new Response(await message.content.file.open()).bytes();
    expect(bytes.length).toBe(30_000);
    expect(hostsReached(proxy)).toHaveLength(2);

    const file = {
      mimeType: 'image/png',
      filename: 'a.png',
      size: bytes.length,
      open: async () => new Blob([bytes]).stream(),
    };
    const content = { type: 'image', caption: null, file } as const;
    const networkId = '3EB0AAAAAAAAAAAAAAAA01';
    expect(
      await link.connection().send({ networkId, to: reader.phoneNumber, isGroup: false, content }),
    ).toEqual({ kind: 'accepted' });

    await link.connection().close();
    wa.refuseLogin(account, 405);
    await (await open()).first('closed', anyEnd);
    expect(proxy.targets).toContain('web.whatsapp.com:443');
    expect(refused).toEqual([]);
  },
);

it.each(isLongForm ? PROXIES : PROXIES.slice(1))(
  'an instance goes through the %s proxy that the API gave it, and nowhere else',
  async (_, start) => {
    const { lines, logger } = recordingLogger();
    const others = await startHttpProxy();
    const flow = await startFlow({ logger, gateway: { socket: { proxy: others.url } } });
    const proxy = await start();
    const refused = refuseAllBut(() => [portOf(proxy.url), portOf(flow.receiver.url)]);
    const { wa, account, bob, instance } = flow;
    const { client } = flow.service();
    expect(must(await client.instances.update(instance, { proxy_url: proxy.url }))).toMatchObject({
      has_proxy: true,
    });
    // Through the proxy, the version cannot be looked up.
    wa.linkOldVersions();
    await pairByQr(flow);
    expect(proxy.targets).toContain(`127.0.0.1:${portOf(wa.client.waWebSocketUrl)}`);

    await wa.inbound(bob, account, image);
    const { id: received } = await eventually(async () => {
      const [message] = must(await client.messages.list({ instance })).filter(
        ({ media }) => media?.available,
      );
      if (!message) throw new Error('The image has not arrived.');
      return message;
    });
    expect(received).toMatch(/^msg_/);
    expect(hostsReached(proxy)).toHaveLength(2);

    const [picture] = FILES.filter(({ type }) => type === 'image');
    if (!picture) throw new Error('There is no image to send.');
    const { filename, content } = picture;
    const [to, file] = [bob.phoneNumber, new Blob([content])];
    const { id } = must(await client.messages.send({ instance, to, type: 'image', file, filename }));
    await untilMessage(flow, id, 'sent');

    const before = proxy.tunnels();
    must(await client.instances.disconnect(instance));
    must(await client.instances.logout(instance));
    expect(proxy.tunnels()).toBeGreaterThan(before);
    await untilStatus(flow, 'logged_out');
    expect(must(await client.instances.get(instance))).toMatchObject({ paired: false, has_proxy: true });

    expect(refused).toEqual([]);
    expect(others.targets).toEqual([]);
    const all = inspect([lines, flow.receiver.events], { depth: 20, maxStringLength: null });
    expect(all).not.toContain(String(portOf(proxy.url)));
    expect(all).not.toContain('pass%20word');
  },
);

it.each(['http', 'https', 'socks5'])(
  'a %s proxy that does not respond is reported without a word of its address',
  async (scheme) => {
    const port = await freePort();
    const { fetch } = await instanceNetwork({ proxy: `${scheme}://ada:sesame@localhost:${port}` });
    const error: unknown = await fetch('http://files.example/', {}).catch((thrown: unknown) => thrown);
    const all = inspect(error, { depth: 20, showHidden: true, maxStringLength: null });
    expect(all).toContain('The proxy of the instance did not connect');
    expect(all).not.toMatch(/sesame|localhost/);
    expect(all).not.toContain(String(port));
  },
);

it.runIf(isLongForm)(
  'the WhatsApp gateway downloads through the agent that it was given for uploads',
  async () => {
    let connections = 0;
    class CountingAgent extends Agent {
      override createConnection(...options: Parameters<Agent['createConnection']>) {
        connections += 1;
        return super.createConnection(...options);
      }
    }
    // A given version is not looked up, which would be a connection of its own.
    const socket = { fetchAgent: new CountingAgent(), version: CURRENT };
    const { network, link } = await linked({ gateway: { socket } });
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, image);
    const { message } = await link.first('message');
    if (message.content.type === 'text') throw new Error('An image became a text.');
    expect((await new Response(await message.content.file.open()).bytes()).length).toBe(30_000);
    // Also the history of the phone, over the same connection or another one.
    expect(connections).toBeGreaterThan(0);
  },
);

it('the WhatsApp gateway connects each instance as the function for instances says', async () => {
  const proxies = { ins_one: await startHttpProxy(), ins_two: await startHttpProxy() };
  const { network } = await unlinked();
  const { wa } = network;
  const gateway = baileysGateway({
    socket: async (instanceId) => ({
      waWebSocketUrl: wa.client.waWebSocketUrl,
      proxy: proxies[instanceId === 'ins_one' ? 'ins_one' : 'ins_two'].url,
      deviceName: `Desk ${instanceId}`,
      pace: { messagesPerMinute: 600 },
    }),
  });
  gateway.attach(context);
  for (const [instanceId, proxy] of Object.entries(proxies)) {
    const link = await openLink(gateway, memorySession(instanceId));
    await link.first('qr');
    await link.connection().close();
    expect(proxy.tunnels()).toBe(1);
  }
});

it('the WhatsApp gateway does not connect an instance for which the function fails, and says why', async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, error: (...line: unknown[]) => void lines.push(line) };
  const gateway = baileysGateway({ socket: () => Promise.reject(new Error('The database is away.')) });
  gateway.attach({ ...context, logger });
  await expect(openLink(gateway, memorySession('ins_one'))).rejects.toThrow('The database is away.');
  expect(JSON.stringify(lines)).toContain('The database is away.');
  expect(JSON.stringify(lines)).toContain('ins_one');
});

it.each<[BaileysGatewayOptions['socket'], string]>([
  [{ proxy: 'ftp://secret@proxy.example' }, 'the option "socket.proxy" is wrong'],
  [{ proxy: 'proxy.example:8080' }, 'the option "socket.proxy" is wrong'],
])('the WhatsApp gateway refuses the proxy %o without a word of its address', (socket, why) => {
  const make = (): unknown => baileysGateway({ socket });
  expect(make).toThrow(why);
  expect(make).not.toThrow('secret');
});

function recordingLogger(): { readonly lines: readonly unknown[]; readonly logger: Logger } {
  const lines: unknown[] = [];
  const take = (...line: unknown[]): void => void lines.push(line);
  return { lines, logger: { debug: take, info: take, warn: take, error: take } };
}
