import { describe, expect, it } from 'vitest';
import type { Notifier, Storage } from '../src/index.ts';
import type { IncomingMessage } from '../src/spi/gateway.ts';
import { wrapCalls, wrapMethods } from '../src/runtime/wrap-methods.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';
import {
  HOUR,
  MINUTE,
  SECOND,
  connectInstance,
  connected,
  listen,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const AWAY = new Error('the disk is away');
const HI: IncomingMessage = {
  networkId: 'WA-1',
  senderId: '34600000001@s.whatsapp.net',
  from: '34600000001',
  groupNetworkId: null,
  content: { type: 'text', text: 'Hi' },
};
const never = (): Promise<never> => new Promise(() => {});
const linesOf = ({ logs }: Harness, text: string): Harness['logs'] =>
  logs.filter(({ level, message }) => level !== 'debug' && message.includes(text));

describe('a storage call that never settles', () => {
  it('stops no worker: the call is given up, made again, and named in the log', async () => {
    const storage = memoryStorage();
    const { harness, id } = await connected({ storage, gateway: scriptedGateway() });
    const works = storage.messages.queueHeads;
    storage.messages.queueHeads = never;
    const { message } = await sendText(harness, id);
    await harness.clock.advance(SECOND);
    storage.messages.queueHeads = works;
    await harness.clock.advance(90 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(linesOf(harness, 'did not carry out an operation')).toMatchObject([
      { facts: { operation: 'storage.messages.queueHeads', purpose: 'messages' } },
    ]);
  });

  it('gives its request a response', async () => {
    const storage = memoryStorage();
    const { harness } = await connected({ storage, gateway: scriptedGateway() });
    storage.instances.list = never;
    const listed = harness.api.instances.list().then(
      () => null,
      (error: unknown) => error,
    );
    await harness.clock.advance(20 * SECOND);
    expect(await listed).toMatchObject({ name: 'UnavailableError' });
  });
});

describe('a process in which a storage call never settles', () => {
  const hangingIn = (storage: Storage): { readonly storage: Storage; hang(): void } => {
    let hangs = false;
    const messages = wrapMethods(
      storage.messages,
      (name, method) =>
        (...of) =>
          hangs && name === 'queueHeads' ? never() : method(...of),
    );
    return {
      storage: { ...storage, messages },
      hang: () => void (hangs = true),
    };
  };

  it('hands its numbers over to another process within a minute, and takes none', async () => {
    const stored = memoryStorage();
    const own = hangingIn(stored);
    const harness = await startHarness({ storage: own.storage });
    const { api, clock, sandbox } = harness;
    const ids = [await connectInstance(harness), await connectInstance(harness)];
    await harness.another({ storage: stored });
    await clock.advance(30 * SECOND);
    own.hang();
    const sent = await Promise.all(ids.map((id) => sendText(harness, id, '34600000001')));
    await clock.advance(MINUTE);
    for (const { message } of sent)
      expect(await api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(ids.map((id) => sandbox.phone(id).accepted())).toMatchObject([[{ repeats: 0 }], [{ repeats: 0 }]]);
    expect(linesOf(harness, 'hands its instances over to other processes')).toHaveLength(1);
    const held = (): Promise<readonly number[]> =>
      harness.trunkline.admin.processes().then((all) => all.map((one) => one.held));
    await clock.advance(9 * MINUTE);
    expect(Math.max(...(await held()))).toBe(2);
  });

  it('keeps them over an outage in which all calls hang', async () => {
    const stored = memoryStorage();
    let ends = (): void => {};
    let outage: Promise<void> | null = null;
    const storage = wrapCalls(stored, (call) => (outage === null ? call() : outage.then(call)));
    const harness = await startHarness({ storage });
    await connectInstance(harness);
    await harness.another({ storage });
    await harness.clock.advance(30 * SECOND);
    outage = new Promise((resolve) => (ends = resolve));
    await harness.clock.advance(2 * MINUTE);
    outage = null;
    ends();
    await harness.clock.advance(5 * MINUTE);
    expect(linesOf(harness, 'hands its instances over')).toEqual([]);
  });

  it('keeps them if there is no other one', async () => {
    const own = hangingIn(memoryStorage());
    const harness = await startHarness({ storage: own.storage });
    const id = await connectInstance(harness);
    own.hang();
    await harness.clock.advance(5 * MINUTE);
    expect(await harness.api.instances.history(id)).toMatchObject({ data: [{}, {}, {}, {}] });
    expect(linesOf(harness, 'hands its instances over')).toEqual([]);
  });
});

describe('what arrives and cannot be stored', () => {
  it('is stored in order afterwards, on the same connection, and the log names the database', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ storage, gateway });
    const works = storage.messages.receive;
    storage.messages.receive = () => Promise.reject(AWAY);
    const { listener } = gateway.last();
    const reports = ['A', 'B'].map((text) =>
      listener.message({ ...HI, networkId: `WA-${text}`, content: { type: 'text', text } }),
    );
    await harness.clock.advance(5 * MINUTE);
    const { message } = await sendText(harness, id);
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    const lines = linesOf(harness, 'cannot be stored yet');
    expect(lines[0]?.facts).toMatchObject({ instanceId: id, err: AWAY });
    expect(lines.length).toBeLessThan(8);
    storage.messages.receive = works;
    await harness.clock.advance(15 * SECOND);
    await Promise.all(reports);
    const stored = await harness.api.messages.list({ direction: 'inbound' });
    expect(stored.data.map(({ text }) => text)).toEqual(['B', 'A']);
    expect(gateway.connections).toHaveLength(1);
  });
});

describe('an instance that is being written', () => {
  it('is not read again and again meanwhile', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness } = await connected({ storage, gateway });
    gateway.script.opened = never;
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    storage.instances.write = never;
    let reads = 0;
    const find = storage.instances.find.bind(storage.instances);
    storage.instances.find = (...of) => {
      reads += 1;
      return find(...of);
    };
    await harness.clock.advance(31 * SECOND);
    expect(reads).toBeLessThan(50);
  });
});

describe('an instance that cannot be read', () => {
  it.each([
    ['hangs', never],
    ['fails', () => Promise.reject(AWAY)],
  ])('holds up no other one if the read %s, and is read again', async (_what, failing) => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness, id: unreadable } = await connected({ storage, gateway });
    const { api, clock } = harness;
    const { id: other } = await api.instances.create();
    await api.instances.connect(other);
    await clock.settle();
    const works = storage.instances.find.bind(storage.instances);
    let reads = 0;
    storage.instances.find = (workspaceId, id) => {
      if (id === unreadable) reads += 1;
      // The update itself makes the first read.
      return id === unreadable && reads > 1 ? failing() : works(workspaceId, id);
    };
    await api.instances.update(unreadable, { name: 'Sales' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await clock.advance(MINUTE);
    expect(reads).toBeGreaterThan(1);
    expect(reads).toBeLessThan(20);
    expect(await api.instances.get(other)).toMatchObject({ status: 'connected' });
    expect(gateway.connections).toHaveLength(3);
    storage.instances.find = works;
    await api.instances.disconnect(unreadable);
    await clock.advance(10 * SECOND);
    expect(await api.instances.get(unreadable)).toMatchObject({ status: 'disconnected' });
  });
});

describe('a lease that the storage calls lost', () => {
  it('is not claimed and opened again without a pause, which is logged', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ storage, gateway });
    const receive = storage.messages.receive.bind(storage.messages);
    storage.messages.receive = async () => 'fenced';
    gateway.script.opened = async ({ listener }) => {
      await listener.connected(PROFILE);
      await listener.message(HI).catch(() => undefined);
    };
    await gateway
      .last()
      .listener.message(HI)
      .catch(() => undefined);
    await harness.clock.advance(30 * SECOND);
    expect(gateway.connections.length).toBeGreaterThan(2);
    expect(gateway.connections.length).toBeLessThan(10);
    expect(linesOf(harness, 'was lost while something of it was written')[0]?.facts).toMatchObject({
      instanceId: id,
    });
    storage.messages.receive = receive;
    await harness.clock.advance(15 * SECOND);
    expect((await harness.api.messages.list({ direction: 'inbound' })).data).toHaveLength(1);
  });
});

describe('a change that others overtake every time', () => {
  it('pauses, is logged and is given up', async () => {
    const storage = memoryStorage();
    const { harness } = await connected({ storage, gateway: scriptedGateway() });
    const { id } = await listen(harness);
    let writes = 0;
    storage.endpoints.write = async () => {
      writes += 1;
      return 'stale';
    };
    const changed = harness.api.webhooks.update(id, { description: 'new' }).then(
      () => null,
      (error: unknown) => error,
    );
    await harness.clock.advance(MINUTE);
    expect(await changed).toMatchObject({ name: 'UnavailableError' });
    expect(writes).toBeLessThan(200);
    expect(linesOf(harness, 'overtaken by other changes')).toHaveLength(1);
  });
});

describe('a deletion that deletes nothing though more is left', () => {
  it('pauses, and is given up', async () => {
    const storage = memoryStorage();
    const { harness, id } = await connected({ storage, gateway: scriptedGateway() });
    await sendText(harness, id, '34600000001');
    await harness.clock.advance(SECOND);
    let calls = 0;
    storage.erasure.deleteMessages = async () => {
      calls += 1;
      return { messages: 0, events: 0, more: true };
    };
    const erased = harness.trunkline.admin
      .erasePerson({ workspaceId: harness.workspaceId, number: '34600000001' })
      .catch((error: unknown) => error);
    await harness.clock.advance(MINUTE);
    expect(await erased).toMatchObject({ name: 'UnavailableError' });
    expect(calls).toBe(10);
  });
});

describe('a worker that always finds more to do', () => {
  it('pauses, and says so', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ storage });
    let passes = 0;
    storage.deliveries.sweepClosed = async (limit) => {
      passes += 1;
      return limit;
    };
    await harness.clock.advance(70 * SECOND);
    expect(passes).toBeGreaterThan(1_000);
    expect(passes).toBeLessThan(75_000);
    expect(linesOf(harness, 'more to do in each of a thousand passes')[0]?.facts).toEqual({
      worker: 'retention cleaner',
    });
  });
});

describe('a receipt that is stored slowly', () => {
  it('is counted once, though the connection drops meanwhile', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ storage });
    const id = await connectInstance(harness);
    const change = storage.messages.change.bind(storage.messages);
    let isSlow = true;
    storage.messages.change = async (lease, next) => {
      if (isSlow && next.message.status !== 'sent')
        await new Promise<void>((resolve) => harness.clock.setTimer(20 * SECOND, resolve));
      return change(lease, next);
    };
    const { message } = await sendText(harness, id, '34600000011');
    await harness.clock.advance(5 * SECOND);
    await harness.sandbox.phone(id).drop();
    await harness.clock.advance(10 * SECOND);
    isSlow = false;
    await harness.clock.advance(MINUTE);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
  });
});

describe('maintenance of which one step fails', () => {
  it('does the other steps', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ storage });
    storage.deliveries.sweepClosed = () => Promise.reject(AWAY);
    let swept = 0;
    const deleteExpired = storage.spentTokens.deleteExpired.bind(storage.spentTokens);
    storage.spentTokens.deleteExpired = (...of) => {
      swept += 1;
      return deleteExpired(...of);
    };
    await harness.clock.advance(5 * MINUTE);
    expect(swept).toBeGreaterThan(2);
  });
});

describe('an e-mail that cannot be marked as sent', () => {
  it('is sent once', async () => {
    const storage = memoryStorage();
    const emails: unknown[] = [];
    const notifier: Notifier = { notify: async (email) => void emails.push(email) };
    const gateway = scriptedGateway();
    const { harness } = await connected({ storage, gateway, notifier });
    storage.instances.completeNotification = () => Promise.reject(AWAY);
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(HOUR);
    expect(emails).toHaveLength(1);
    expect(linesOf(harness, 'could not be marked as sent').length).toBeGreaterThan(0);
    expect(linesOf(harness, 'check the notifier')).toEqual([]);
  });
});

describe('a stop', () => {
  it('closes the storage though the webhook sender hangs', async () => {
    const storage = memoryStorage();
    let isClosed = false;
    const harness = await startHarness({ storage });
    const { trunkline } = await harness.another({
      webhookSender: { send: never, close: never },
      storage: { ...storage, close: async () => void (isClosed = true) },
    });
    const stopped = trunkline.stop();
    await harness.clock.advance(30 * SECOND);
    await stopped;
    expect(isClosed).toBe(true);
  });
});
