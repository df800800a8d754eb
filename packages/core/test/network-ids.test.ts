import { describe, expect, it } from 'vitest';
import { linesOf, startChild } from '@trunkline/test-support/start-child';
import { createSandbox } from '../src/sandbox/index.ts';
import { manualClock, testRuntime } from '../src/testing/index.ts';
import type { Gateway } from '../src/index.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import type { ScriptedGateway } from './support/scripted-gateway.ts';
import { connectScripted, MINUTE, only, SECRET_KEY, sendText, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const NEW_KEY = 'another secret key of at least 32 characters';
const ID_KEY = 'network_id_key';
const OTHER_ID_KEY = Buffer.alloc(16, 'other').toString('base64');
const { newMessageId } = createSandbox().gateway;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function gatewayOf(changes: Pick<Gateway, 'newMessageId'> = { newMessageId }): ScriptedGateway {
  return Object.assign(scriptedGateway(), changes);
}

async function sendOne(harness: Harness, gateway: ScriptedGateway) {
  const instance = await connectScripted(harness);
  const { message } = await sendText(harness, instance);
  await harness.clock.settle();
  return { instance, message, networkId: gateway.sent().at(-1)?.networkId ?? '' };
}

async function sendAfterKeyChange(gateway: ScriptedGateway) {
  const harness = await startHarness({ gateway });
  const first = await sendOne(harness, gateway);
  const former = await harness.storage.setting(ID_KEY, '');
  await harness.storage.replaceSetting(ID_KEY, `${OTHER_ID_KEY} ${former}`);
  const after = await restart(harness, gateway);
  const { message } = await sendText(after, first.instance);
  await harness.clock.settle();
  const second = { message, networkId: gateway.sent().at(-1)?.networkId ?? '' };
  return { harness, after, first, second };
}

async function restart(harness: Harness, gateway: ScriptedGateway) {
  await harness.trunkline.stop();
  const after = await harness.another({ gateway });
  await harness.clock.advance(MINUTE);
  return after;
}

const statusOf = async (harness: Pick<Harness, 'api'>, id: string) =>
  (await harness.api.messages.get(id)).status;

describe('a report about a sent message', () => {
  it.each<[string, Gateway['newMessageId']]>([
    ['all bytes', newMessageId],
    ['9 bytes, after digits', (bytes) => `3EB0${hex(bytes.subarray(0, 9)).toUpperCase()}`],
    ['all bytes, in small letters', hex],
    ['8 bytes', (bytes) => hex(bytes.subarray(0, 8))],
    ['12 bytes', (bytes) => hex(bytes.subarray(0, 12))],
    ['bytes in another form', (bytes) => Buffer.from(bytes).toString('base64')],
    ['other bytes', () => hex(new Uint8Array(16))],
  ])('finds it by an id of %s', async (_, form) => {
    const gateway = gatewayOf({ newMessageId: form });
    const harness = await startHarness({ gateway });
    const { message, networkId } = await sendOne(harness, gateway);
    await gateway.last().listener.receipt({ networkId, status: 'delivered' });
    expect(await statusOf(harness, message.id)).toBe('delivered');
  });

  it('finds it after the secret key was replaced, and the previous one is gone', async () => {
    const gateway = gatewayOf();
    const harness = await startHarness({ gateway });
    const { message, networkId } = await sendOne(harness, gateway);
    await harness.trunkline.stop();
    for (const secretKey of [[NEW_KEY, SECRET_KEY], NEW_KEY]) {
      const { trunkline } = await harness.another({ gateway, secretKey });
      await harness.clock.advance(MINUTE);
      if (secretKey !== NEW_KEY) await trunkline.stop();
    }
    await gateway.last().listener.receipt({ networkId, status: 'read' });
    expect(await harness.storage.messages.find(harness.workspaceId, message.id)).toMatchObject({
      status: 'read',
    });
  });

  it('finds it after the key of network ids was replaced, if the previous one follows it', async () => {
    const gateway = gatewayOf();
    const { after, first, second } = await sendAfterKeyChange(gateway);
    await gateway.last().listener.receipt({ networkId: first.networkId, status: 'delivered' });
    await gateway.last().listener.receipt({ networkId: second.networkId, status: 'read' });
    expect(await statusOf(after, first.message.id)).toBe('delivered');
    expect(await statusOf(after, second.message.id)).toBe('read');
  });

  it('finds messages sent since the key of network ids was replaced, once the previous one is gone', async () => {
    const gateway = gatewayOf();
    const { harness, after, first, second } = await sendAfterKeyChange(gateway);
    await harness.storage.replaceSetting(ID_KEY, OTHER_ID_KEY);
    await after.trunkline.stop();
    const last = await harness.another({ gateway });
    await harness.clock.advance(MINUTE);
    for (const { networkId } of [first, second])
      await gateway.last().listener.receipt({ networkId, status: 'read' });
    expect(await statusOf(last, first.message.id)).toBe('sent');
    expect(await statusOf(last, second.message.id)).toBe('read');
  });

  it('changes no other message where the key of network ids was lost, and finds those that were sent since', async () => {
    const gateway = gatewayOf();
    const harness = await startHarness({ gateway });
    const { instance, message, networkId } = await sendOne(harness, gateway);
    await harness.storage.replaceSetting(ID_KEY, OTHER_ID_KEY);
    const after = await restart(harness, gateway);
    const second = await sendText(after, instance);
    await harness.clock.settle();
    await gateway.last().listener.receipt({ networkId, status: 'read' });
    expect(await statusOf(after, message.id)).toBe('sent');
    expect(await statusOf(after, second.message.id)).toBe('sent');
    const secondId = gateway.sent().at(-1)?.networkId ?? '';
    await gateway.last().listener.receipt({ networkId: secondId, status: 'read' });
    expect(await statusOf(after, second.message.id)).toBe('read');
  });

  it('finds what another process has accepted', async () => {
    const gateway = gatewayOf();
    const harness = await startHarness({ gateway });
    const instance = await connectScripted(harness);
    const { api } = await harness.another({ roles: only('api'), gateway: gatewayOf() });
    const { message } = await sendText({ api }, instance);
    await harness.clock.advance(MINUTE);
    const networkId = gateway.sent()[0]?.networkId ?? '';
    await gateway.last().listener.receipt({ networkId, status: 'delivered' });
    expect(await statusOf(harness, message.id)).toBe('delivered');
  });

  it.each(['1970-01-02T00:00:00Z', '2019-12-31T23:59:59Z', '2054-11-04T00:00:00Z', '2090-01-01T00:00:00Z'])(
    'finds what was accepted by a clock that shows %s',
    async (time) => {
      const gateway = gatewayOf();
      const harness = await startHarness({ gateway, clock: manualClock(Date.parse(time)) });
      const { message, networkId } = await sendOne(harness, gateway);
      await gateway.last().listener.receipt({ networkId, status: 'delivered' });
      expect(await statusOf(harness, message.id)).toBe('delivered');
    },
  );

  it('finds no message by an id that the network made up', async () => {
    const gateway = gatewayOf();
    const harness = await startHarness({ gateway });
    const { instance, message, networkId } = await sendOne(harness, gateway);
    const { listener } = gateway.last();
    const last = networkId.endsWith('0') ? '1' : '0';
    for (const id of ['', 'SBX', networkId.toLowerCase(), `${networkId.slice(0, -1)}${last}`]) {
      await listener.receipt({ networkId: id, status: 'delivered' });
    }
    expect(await statusOf(harness, message.id)).toBe('sent');
    expect((await harness.api.instances.get(instance)).status).toBe('connected');
  });
});

describe('network ids', () => {
  it('show nothing of the time or of each other', async () => {
    const gateway = gatewayOf();
    const harness = await startHarness({ gateway });
    const instance = await connectScripted(harness);
    // All messages are sent within one millisecond, so their message ids differ only in the last bits of a counter.
    for (let sent = 0; sent < 256; sent += 1) await sendText(harness, instance);
    await harness.clock.settle();
    const ids = gateway.sent().map(({ networkId }) => Buffer.from(networkId.slice(3), 'hex'));
    expect(ids).toHaveLength(256);
    for (let place = 0; place < 16; place += 1) {
      // 256 random bytes have about 162 different values.
      expect(new Set(ids.map((bytes) => bytes[place])).size).toBeGreaterThan(130);
    }
  });

  it('are generated again as soon as their code can be loaded, after it could not', async () => {
    const child = startChild(new URL('support/programs/send-without-files.ts', import.meta.url));
    expect(await linesOf(child)).toEqual(['EMFILE: too many open files', 'queued']);
  });

  it.each(['AAAA', 'no key', '', `${OTHER_ID_KEY} AAAA`])(
    'are refused with %j for a key in the database',
    async (key) => {
      const storage = memoryStorage();
      await storage.open({
        ...testRuntime(),
        newId: () => '',
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      });
      await storage.setting(ID_KEY, key);
      await storage.close();
      await expect(startHarness({ storage })).rejects.toThrow(/"network_id_key" in the database is damaged/);
    },
  );
});
