import { describe, expect, it, vi } from 'vitest';
import { TAKEN } from '../src/testing/index.ts';
import { completingAlone } from './support/completing-alone.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import {
  MINUTE,
  SECOND,
  connectScripted,
  connected,
  listen,
  sendText,
  startHarness,
} from './support/harness.ts';

/** A harness that cannot write instances under a lease while `disk.isFull`. */
async function fullDisk() {
  const storage = memoryStorage();
  const disk = { isFull: false, writes: 0 };
  const write = storage.instances.write.bind(storage.instances);
  storage.instances.write = (change) => {
    if (!disk.isFull || change.lease === null) return write(change);
    disk.writes += 1;
    return Promise.reject(new Error('database or disk is full'));
  };
  let unlinks = 0;
  const gateway = scriptedGateway({
    async logout() {
      unlinks += 1;
    },
    async unlink() {
      unlinks += 1;
    },
  });
  const harness = await startHarness({ storage, gateway });
  const id = await connectScripted(harness);
  return { harness, id, disk, gateway, unlinks: () => unlinks };
}

describe('a queue whose reads fail', () => {
  it('is looked at again within a second, and so are the instances that were woken meanwhile', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ storage, gateway: scriptedGateway() });
    const id = await connectScripted(harness);
    await harness.clock.advance(100);
    const { messages } = storage;
    vi.spyOn(messages, 'queueHeads').mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    const { message } = await sendText(harness, id);
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('is read again within a second if a message was sent and the next one could not be read', async () => {
    const storage = memoryStorage();
    const { messages } = storage;
    const subscribe = storage.subscribe.bind(storage);
    // Without signals, this process finds messages only when it reads all its queues.
    storage.subscribe = (listener) => subscribe((signal) => signal.topic !== 'queue' && listener(signal));
    const harness = await startHarness({ storage, gateway: scriptedGateway() });
    const id = await connectScripted(harness);
    const sent = [await sendText(harness, id), await sendText(harness, id)].map(({ message }) => message.id);
    const heads = messages.queueHeads.bind(messages);
    vi.spyOn(messages, 'queueHeads')
      .mockImplementationOnce(heads)
      .mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    const isSent = async (message: string | undefined) =>
      (await harness.api.messages.get(message ?? '')).status === 'sent';
    for (let passed = 0; passed < 10 * SECOND && !(await isSent(sent[0])); passed += 100)
      await harness.clock.advance(100);
    expect([await isSent(sent[0]), await isSent(sent[1])]).toEqual([true, false]);
    await harness.clock.advance(SECOND);
    expect(await isSent(sent[1])).toBe(true);
  });
});

describe('leases that cannot be taken', () => {
  it('are tried for again within a second', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ storage, gateway: scriptedGateway() });
    await harness.clock.advance(100);
    const { id } = await harness.api.instances.create();
    vi.spyOn(storage.leases, 'claim').mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    await harness.api.instances.connect(id);
    await harness.clock.advance(SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });
});

describe('leases that cannot be taken, on an instance that no signal reported,', () => {
  it('are tried for again within a second, and not with the next renewal', async () => {
    const storage = memoryStorage();
    vi.spyOn(storage, 'subscribe').mockReturnValue(() => {});
    const harness = await startHarness({ storage, gateway: scriptedGateway() });
    await harness.clock.advance(MINUTE);
    const { id } = await harness.api.instances.create();
    const claims = vi
      .spyOn(storage.leases, 'claim')
      .mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    await harness.api.instances.connect(id);
    for (let passed = 0; passed < MINUTE && claims.mock.calls.length === 0; passed += 100)
      await harness.clock.advance(100);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    await harness.clock.advance(SECOND);
    expect(claims.mock.calls.length).toBeGreaterThan(1);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });
});

describe('an instance whose writes fail', () => {
  it('is tried again less and less often, and continues when they succeed', async () => {
    const { harness, id, disk, gateway } = await fullDisk();
    const { opened } = gateway.script;
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    disk.isFull = true;
    await gateway
      .last()
      .listener.closed({ kind: 'dropped', detail: 'connection_lost' })
      .catch(() => {});
    await harness.clock.advance(MINUTE);
    expect(disk.writes).toBeGreaterThan(2);
    expect(disk.writes).toBeLessThan(60);
    gateway.script.opened = opened;
    disk.isFull = false;
    await harness.clock.advance(MINUTE);
    const { message } = await sendText(harness, id);
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('is unlinked once, however often the outcome cannot be written', async () => {
    const { harness, id, disk, unlinks } = await fullDisk();
    disk.isFull = true;
    const logout = harness.api.instances.logout(id).catch((error: unknown) => error);
    const lines = () =>
      harness.logs.filter(({ message }) => message.includes('the logout operation failed')).length;
    await harness.clock.advance(4 * SECOND);
    expect(disk.writes).toBeGreaterThan(2);
    expect(lines()).toBe(1);
    await harness.clock.advance(MINUTE);
    await logout;
    expect(unlinks()).toBe(1);
    expect(disk.writes).toBeLessThan(20);
    expect(lines()).toBeLessThan(12);

    disk.isFull = false;
    await harness.clock.advance(11 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'logged_out' });
    expect(unlinks()).toBe(1);
  });
});

describe('a message whose outcome cannot be written', () => {
  it('is sent once, and recorded when that is possible again', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ storage, gateway });
    const disk = fullFor(storage.messages, 'change');
    disk.isFull = true;
    const { message } = await sendText(harness, id);
    await harness.clock.advance(30 * SECOND);
    expect(gateway.sent()).toHaveLength(1);
    expect(disk.tries).toBeGreaterThan(10);
    expect(disk.tries).toBeLessThan(40);
    const lines = harness.logs.filter(({ message: line }) => line.includes('could not be recorded'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(10);

    disk.isFull = false;
    await harness.clock.advance(2 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(gateway.sent()).toHaveLength(1);
  });

  it('is sent once, however long that lasts', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ storage, gateway });
    const disk = fullFor(storage.messages, 'change');
    disk.isFull = true;
    await sendText(harness, id);
    await harness.clock.advance(10 * MINUTE);
    expect(gateway.sent()).toHaveLength(1);
  });
});

describe('a queue of messages that cannot be read', () => {
  it('is read again every few seconds, and logged likewise', async () => {
    const storage = memoryStorage();
    const { harness, id } = await connected({ storage, gateway: scriptedGateway() });
    const disk = fullFor(storage.messages, 'queueHeads');
    disk.isFull = true;
    await sendText(harness, id);
    await harness.clock.advance(MINUTE);
    expect(disk.tries).toBeGreaterThan(5);
    expect(disk.tries).toBeLessThan(30);
    expect(harness.logs.filter(({ level }) => level === 'error').length).toBeLessThan(30);
  });
});

describe('webhook deliveries that cannot be written', () => {
  async function fiveEndpoints() {
    const storage = memoryStorage();
    const harness = await startHarness({ storage });
    const ids: string[] = [];
    for (let one = 0; one < 5; one += 1)
      ids.push((await listen(harness, `https://hooks.example.com/${one}`)).id);
    const queue = () => Promise.all(ids.map((id) => harness.api.webhooks.test(id)));
    return { storage, harness, queue };
  }

  it('are claimed again every few seconds while that fails', async () => {
    const { storage, harness, queue } = await fiveEndpoints();
    const disk = fullFor(storage.deliveries, 'claim');
    disk.isFull = true;
    await queue();
    await harness.clock.advance(MINUTE);
    expect(disk.tries).toBeGreaterThan(5);
    expect(disk.tries).toBeLessThan(40);
    expect(harness.logs.filter(({ level }) => level === 'error').length).toBeLessThan(30);
    disk.isFull = false;
    await harness.clock.advance(6 * SECOND);
    expect(harness.sender.requests).toHaveLength(5);
  });

  it('are attempted once while their outcomes wait, and recorded when that is possible again', async () => {
    const { storage, harness, queue } = await fiveEndpoints();
    harness.sender.respond(() => TAKEN);
    const disk = fullFor(completingAlone(storage).deliveries, 'complete');
    disk.isFull = true;
    const deliveries = await queue();
    await harness.clock.advance(30 * SECOND);
    expect(harness.sender.requests).toHaveLength(5);
    expect(disk.tries).toBeLessThan(5 * 40);
    disk.isFull = false;
    await harness.clock.advance(2 * SECOND);
    for (const { id } of deliveries)
      expect(await harness.api.deliveries.get(id)).toMatchObject({ status: 'success', attempts: 1 });
    expect(harness.sender.requests).toHaveLength(5);
  });

  it('flood no log, however many endpoints there are', async () => {
    const { storage, harness, queue } = await fiveEndpoints();
    const disk = fullFor(completingAlone(storage).deliveries, 'complete');
    disk.isFull = true;
    for (let round = 0; round < 10; round += 1) await queue();
    await harness.clock.advance(10 * MINUTE);
    const errors = harness.logs.filter(({ level }) => level === 'error');
    expect(errors.length).toBeGreaterThan(0);
    // Each of the two operations that record outcomes is logged once a minute.
    expect(errors.length).toBeLessThanOrEqual(3 * 10);
    // Each of the two slots of an endpoint tries once a second.
    expect(disk.tries).toBeLessThan(2 * 5 * 630);
  });
});

function fullFor<Store extends object>(
  store: Store,
  method: keyof Store,
): { isFull: boolean; readonly tries: number } {
  const disk = { isFull: false, tries: 0 };
  const works: unknown = Reflect.get(store, method);
  if (typeof works !== 'function') throw new TypeError(`The store has no ${String(method)}.`);
  Reflect.set(store, method, (...args: readonly unknown[]): unknown => {
    if (!disk.isFull) return Reflect.apply(works, store, args);
    disk.tries += 1;
    return Promise.reject(new Error('database or disk is full'));
  });
  return disk;
}
