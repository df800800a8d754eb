import { describe, expect, it, vi } from 'vitest';
import { manualClock } from '../src/testing/index.ts';
import type { Storage } from '../src/index.ts';
import type { SendOutcome } from '../src/spi/gateway.ts';
import { PROFILE, scriptedGateway, silence } from './support/scripted-gateway.ts';
import type { ScriptedGateway } from './support/scripted-gateway.ts';
import {
  MINUTE,
  SECOND,
  after,
  listen,
  only,
  sendText,
  startHarness,
  receivedTypes,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const INCOMING = {
  networkId: 'IN1',
  senderId: '34600000009@net',
  from: '34600000009',
  groupNetworkId: null,
  content: { type: 'text', text: 'Hi' },
} as const;

const withoutSignals = (storage: Storage): Storage => ({
  ...storage,
  subscribe: () => () => {},
  close: async () => {},
});

/** One process for requests and webhooks, and instances that wait for a process to connect them. */
async function waiting(instances = 1): Promise<{ harness: Harness; ids: readonly string[] }> {
  const harness = await startHarness({ roles: only('api', 'webhooks') });
  await listen(harness);
  const ids: string[] = [];
  for (let i = 0; i < instances; i++) {
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    ids.push(id);
  }
  return { harness, ids };
}

const gatewayOf = async (
  harness: Harness,
  gateway = scriptedGateway(),
  storage = withoutSignals(harness.storage),
  clock = harness.clock,
) => {
  const { trunkline } = await harness.another({ roles: only('gateway'), gateway, storage, clock });
  await harness.clock.settle();
  return { trunkline, gateway };
};

/** A process that connected an instance and then stopped running, as in a long pause or a crash. */
async function crashed() {
  const { harness, ids } = await waiting();
  const ownClock = manualClock();
  const first = await gatewayOf(harness, scriptedGateway(), withoutSignals(harness.storage), ownClock);
  await first.gateway.last().session.save(new Map([['device', Uint8Array.of(7)]]));
  const [id = ''] = ids;
  return { harness, id, first, ownClock };
}

describe('a process that crashes', () => {
  it('has its instance taken by another once its lease has run out, with its session, and receivers hear nothing', async () => {
    const { harness, id, first } = await crashed();
    const second = await gatewayOf(harness);
    await harness.clock.advance(30 * SECOND - 1);
    expect(second.gateway.connections).toHaveLength(0);
    await harness.clock.advance(10 * SECOND);

    expect(await second.gateway.last().session.load()).toEqual(new Map([['device', Uint8Array.of(7)]]));
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'connected',
      phone_number: PROFILE.phoneNumber,
    });
    await harness.clock.advance(2 * MINUTE);
    expect(receivedTypes(harness)).toEqual(['instance.connected']);
    expect(first.gateway.connections).toHaveLength(1);
  });

  it('leaves its instance disconnected after 30 s if no other process can connect it', async () => {
    const { harness, id } = await crashed();
    await gatewayOf(harness, scriptedGateway({ opened: silence }));
    await harness.clock.advance(35 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'connecting',
      last_error: 'connection_lost',
    });
    await harness.clock.advance(30 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
    expect(receivedTypes(harness)).toEqual(['instance.connected', 'instance.disconnected']);
  });

  it('can write nothing late: it is refused, and closes', async () => {
    const { harness, id, first } = await crashed();
    const second = await gatewayOf(harness);
    await harness.clock.advance(40 * SECOND);
    const { listener, session } = first.gateway.last();

    await expect(session.save(new Map([['device', Uint8Array.of(8)]]))).rejects.toThrow('lease');
    await expect(listener.message(INCOMING)).rejects.toThrow('lease');
    expect(first.gateway.last().state).toBe('closed');
    await expect(listener.receipt({ networkId: 'NET1', status: 'read' })).rejects.toThrow('lease');
    await expect(listener.groups([{ networkId: 'G', name: 'Choir', participantsCount: 2 }])).rejects.toThrow(
      'lease',
    );
    await expect(listener.connected({ ...PROFILE, phoneNumber: '1' })).rejects.toThrow('lease');
    await expect(listener.qr('code', harness.clock.now() + MINUTE)).rejects.toThrow('lease');
    await listener.closed({ kind: 'failed', code: 'replaced' });

    expect((await harness.api.messages.list()).data).toEqual([]);
    expect((await harness.api.instances.groups(id)).data).toEqual([]);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'connected',
      phone_number: PROFILE.phoneNumber,
    });
    await second.gateway.last().listener.message(INCOMING);
    expect((await harness.api.messages.list()).data).toHaveLength(1);
  });

  it('closes what it holds as soon as it runs again', async () => {
    const { harness, first, ownClock } = await crashed();
    await gatewayOf(harness);
    await harness.clock.advance(40 * SECOND);
    await ownClock.advance(10 * SECOND);
    expect(first.gateway.last().state).toBe('closed');
    expect(first.gateway.connections).toHaveLength(1);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('the lease on an instance was lost'),
      }),
    );
  });

  it('has its unfinished send repeated by the next, under the same network id', async () => {
    const { harness, id, first, ownClock } = await crashed();
    let respond: (outcome: SendOutcome) => void = () => {};
    first.gateway.script.send = () => new Promise((resolve) => (respond = resolve));
    const { message } = await sendText(harness, id);
    await ownClock.advance(5 * SECOND);
    expect(first.gateway.sent()).toHaveLength(1);
    const second = await gatewayOf(harness);
    await harness.clock.advance(40 * SECOND);

    expect(second.gateway.sent()).toEqual(first.gateway.sent());
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    // The late response to the first process changes nothing.
    respond({ kind: 'refused', error: { code: 'late', message: 'Late.' } });
    await harness.clock.settle();
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent', error: null });
  });

  it('while a QR was shown has a new one shown by the next, without a second event', async () => {
    const { harness, ids } = await waiting();
    const showQr = (code: string) =>
      scriptedGateway({ opened: ({ listener }) => listener.qr(code, harness.clock.now() + MINUTE) });
    await gatewayOf(harness, showQr('first'), withoutSignals(harness.storage), manualClock());
    const [id = ''] = ids;
    expect(await harness.api.instances.qr(id)).toMatchObject({ code: 'first' });
    const second = showQr('second');
    const { opened } = second.script;
    second.script.opened = silence;
    await gatewayOf(harness, second);
    await harness.clock.advance(40 * SECOND);
    await expect(harness.api.instances.qr(id)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
    await opened(second.last());
    expect(await harness.api.instances.qr(id)).toMatchObject({ code: 'second' });
    expect(receivedTypes(harness)).toEqual(['instance.qr_required']);
  });

  it('while a QR was shown keeps the QR of the next process whose first write had failed', async () => {
    const { harness, ids } = await waiting();
    const showQr = (code: string) =>
      scriptedGateway({ opened: ({ listener }) => listener.qr(code, harness.clock.now() + MINUTE) });
    await gatewayOf(harness, showQr('first'), withoutSignals(harness.storage), manualClock());
    const [id = ''] = ids;
    const write = vi.spyOn(harness.storage.instances, 'write');
    write.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    await gatewayOf(harness, showQr('second'));
    await harness.clock.advance(40 * SECOND);
    expect(write).toHaveBeenCalled();
    expect(await harness.api.instances.qr(id)).toMatchObject({ code: 'second' });
    expect(receivedTypes(harness)).toEqual(['instance.qr_required']);
  });

  it('leaves an operation to the next', async () => {
    const { harness, id } = await crashed();
    const deleting = harness.api.instances.delete(id).catch((error: unknown) => error);
    await harness.clock.advance(15 * SECOND);
    expect(await deleting).toMatchObject({ code: 'GATEWAY_ERROR' });
    await gatewayOf(harness);
    await harness.clock.advance(30 * SECOND);
    expect((await harness.api.instances.list()).data).toEqual([]);
  });
});

describe('a process that deletes an instance', () => {
  it('loses no lease, even if it renews its leases before it has the result of the deletion', async () => {
    const { harness, ids } = await waiting();
    const [id = ''] = ids;
    const { instances } = harness.storage;
    const slow: Storage = {
      ...withoutSignals(harness.storage),
      instances: {
        ...instances,
        async delete(...of) {
          const deleted = await instances.delete(...of);
          await new Promise<void>((resolve) => void harness.clock.setTimer(12 * SECOND, resolve));
          return deleted;
        },
      },
    };
    const { gateway } = await gatewayOf(harness, scriptedGateway(), slow);
    const deleting = harness.api.instances.delete(id);
    await harness.clock.advance(30 * SECOND);
    await deleting;
    expect(gateway.last().state).toBe('logged out');
    expect((await harness.api.instances.list()).data).toEqual([]);
    expect(harness.logs.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

describe('a process that stops', () => {
  it('closes its connections, keeps sessions and statuses, and releases its leases immediately', async () => {
    const { harness, ids } = await waiting();
    const first = await gatewayOf(harness);
    const [id = ''] = ids;
    await first.trunkline.stop();
    expect(first.gateway.last().state).toBe('closed');
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });

    const second = await gatewayOf(harness);
    await harness.clock.settle();
    expect(second.gateway.connections).toHaveLength(1);
    await harness.clock.advance(2 * MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(receivedTypes(harness)).toEqual(['instance.connected']);
  });

  it('finishes the send that is on its way, and begins no other', async () => {
    const { harness, ids } = await waiting();
    let respond: (outcome: SendOutcome) => void = () => {};
    const gateway = scriptedGateway({ send: () => new Promise((resolve) => (respond = resolve)) });
    const { trunkline } = await gatewayOf(harness, gateway, { ...harness.storage, close: async () => {} });
    const [id = ''] = ids;
    await sendText(harness, id, '34600000009', 'one');
    await sendText(harness, id, '34600000009', 'two');
    await harness.clock.settle();
    let stopped = false;
    const stopping = trunkline.stop().then(() => (stopped = true));
    await harness.clock.settle();
    expect(stopped).toBe(false);
    respond({ kind: 'accepted' });
    await stopping;
    expect((await harness.api.messages.list()).data.map(({ status }) => status)).toEqual(['queued', 'sent']);
  });
});

describe('a process that stops while a send hangs', () => {
  it.each([
    [25, {}],
    [5, { stopTimeoutMs: 5 * SECOND }],
  ])('has stopped after %i s, and the next one sends the message again', async (seconds, options) => {
    const { harness, ids } = await waiting();
    const gateway = scriptedGateway({ send: silence });
    const { trunkline } = await harness.another({
      roles: only('gateway'),
      gateway,
      storage: withoutSignals(harness.storage),
      ...options,
    });
    await harness.clock.settle();
    const { message } = await sendText(harness, ids[0] ?? '');
    await harness.clock.advance(5 * SECOND);
    let stopped = false;
    const stopping = trunkline.stop().then(() => (stopped = true));
    // Sends get part of the time; the rest is for closing the connection and releasing its lease.
    await harness.clock.advance(0.5 * seconds * SECOND);
    expect(stopped).toBe(false);
    await harness.clock.advance(0.5 * seconds * SECOND);
    expect(stopped).toBe(true);
    await stopping;
    expect(gateway.last().state).toBe('closed');
    expect(harness.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('sends had not ended') }),
    );

    const next = await gatewayOf(harness);
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(next.gateway.sent()).toEqual(gateway.sent());
  });

  it.each([
    ['begins to open', (): ScriptedGateway => ({ ...scriptedGateway(), open: silence })],
    ['opens or closes', () => scriptedGateway({ opened: silence, close: silence })],
  ])('is not held up by a connection that never %s, and releases its lease', async (_, gateway) => {
    const { harness } = await waiting();
    const { trunkline } = await gatewayOf(harness, gateway());
    let stopped = false;
    const stopping = trunkline.stop().then(() => (stopped = true));
    await harness.clock.advance(20 * SECOND);
    expect(stopped).toBe(true);
    await stopping;
    const next = await gatewayOf(harness);
    expect(next.gateway.connections).toHaveLength(1);
  });
});

describe('several processes', () => {
  it('hold each instance once', async () => {
    const { harness, ids } = await waiting(25);
    const processes = await Promise.all([gatewayOf(harness), gatewayOf(harness), gatewayOf(harness)]);
    await harness.clock.advance(5 * MINUTE);
    const held = processes.flatMap(({ gateway }) =>
      gateway.connections.filter(({ state }) => state === 'open').map(({ session }) => session.instanceId),
    );
    expect(held.toSorted()).toEqual(ids.toSorted());
  });
});

describe('processes that start together', () => {
  it('share the instances by how fast they open them, and the first one does not take them all', async () => {
    const { harness, ids } = await waiting(300);
    const slow = () =>
      scriptedGateway({
        async opened({ listener }) {
          await new Promise<void>((resolve) => void harness.clock.setTimer(SECOND, resolve));
          await listener.connected(PROFILE);
        },
      });
    const first = await gatewayOf(harness, slow());
    await harness.clock.advance(300);
    const second = await gatewayOf(harness, slow());
    await harness.clock.advance(MINUTE);
    const held = [first, second].map(({ gateway }) => gateway.connections.length);
    // Each instance was opened once, so no instance was handed over.
    expect(held.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
    expect(Math.min(...held)).toBeGreaterThan(0.4 * ids.length);
  });

  it('open hundreds of connections in seconds, even if each read of an instance takes a while', async () => {
    const { harness, ids } = await waiting(200);
    const { instances } = harness.storage;
    const find = instances.find.bind(instances);
    vi.spyOn(instances, 'find').mockImplementation(async (...of) => {
      await new Promise<void>((resolve) => void harness.clock.setTimer(20, resolve));
      return find(...of);
    });
    const { gateway } = await gatewayOf(harness);
    await harness.clock.advance(4 * SECOND);
    expect(gateway.connections).toHaveLength(ids.length);
  });

  it('leave to each other what they cannot open soon, and open it all in the end', async () => {
    const { harness, ids } = await waiting(300);
    const gateway = scriptedGateway({ opened: silence });
    await gatewayOf(harness, gateway);
    await harness.clock.advance(4 * SECOND);
    const held = async (): Promise<number> => {
      const leases = ids.map((id) => harness.storage.leases.find(id, harness.clock.now()));
      return (await Promise.all(leases)).filter((lease) => lease !== null).length;
    };
    expect(await held()).toBeGreaterThanOrEqual(100);
    expect(await held()).toBeLessThan(150);
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    for (const { listener } of gateway.connections) await listener.connected(PROFILE);
    await harness.clock.advance(4 * SECOND);
    expect(await held()).toBe(300);
  });

  it('take all instances within seconds, even those whose connections do not open', async () => {
    const { harness, ids } = await waiting(100);
    await gatewayOf(harness, scriptedGateway({ opened: silence }));
    await harness.clock.advance(SECOND);
    const leases = ids.map((id) => harness.storage.leases.find(id, harness.clock.now()));
    expect(await Promise.all(leases)).not.toContain(null);
  });
});

describe('processes that join and leave', () => {
  const opened = (gateway: ScriptedGateway): number =>
    gateway.connections.filter(({ state }) => state === 'open').length;

  it('share the instances evenly, a few at a time, and receivers hear nothing', async () => {
    const { harness } = await waiting(24);
    const first = await gatewayOf(harness);
    await harness.clock.advance(MINUTE);
    expect(opened(first.gateway)).toBe(24);
    const before = receivedTypes(harness);

    const second = await gatewayOf(harness);
    await harness.clock.advance(20 * SECOND);
    expect([opened(first.gateway), opened(second.gateway)]).toEqual([12, 12]);

    const third = await gatewayOf(harness);
    await harness.clock.advance(30 * SECOND);
    expect([first, second, third].map(({ gateway }) => opened(gateway))).toEqual([8, 8, 8]);
    const connections = [first, second, third].flatMap(({ gateway }) => gateway.connections);
    expect(connections).toHaveLength(24 + 12 + 8);
    await harness.clock.advance(5 * MINUTE);
    expect([first, second, third].flatMap(({ gateway }) => gateway.connections)).toHaveLength(
      connections.length,
    );
    expect(receivedTypes(harness)).toEqual(before);

    await second.trunkline.stop();
    await harness.clock.advance(10 * SECOND);
    expect(opened(first.gateway) + opened(third.gateway)).toBe(24);
  });

  it('leave none of the instances without a connection for a second, and no more than five at a time', async () => {
    const { harness } = await waiting(24);
    const first = await gatewayOf(harness);
    await harness.clock.advance(MINUTE);
    const second = await gatewayOf(harness);
    let darkFor = 0;
    for (let passed = 0; passed < 30 * SECOND; passed += 100) {
      await harness.clock.advance(100);
      const dark = 24 - opened(first.gateway) - opened(second.gateway);
      expect(dark).toBeLessThanOrEqual(5);
      darkFor = dark > 0 ? darkFor + 100 : 0;
      expect(darkFor).toBeLessThan(SECOND);
    }
    expect(opened(second.gateway)).toBe(12);
  });

  it('take nothing for a small difference, and ask for nothing while each has its share', async () => {
    const { harness } = await waiting(20);
    const processes = [await gatewayOf(harness), await gatewayOf(harness)] as const;
    await harness.clock.advance(MINUTE);
    const connections = () => processes.map(({ gateway }) => gateway.connections.length);
    expect(processes.map(({ gateway }) => opened(gateway))).toEqual([10, 10]);
    const before = connections();
    for (const { session } of processes[0].gateway.connections.slice(-2))
      await after(harness, 15 * SECOND, harness.api.instances.disconnect(session.instanceId));
    expect(processes.map(({ gateway }) => opened(gateway))).toEqual([8, 10]);
    await harness.clock.advance(5 * MINUTE);
    expect(connections()).toEqual(before);
  });

  it('lose no connection to a process that joins and dies soon after', async () => {
    const { harness } = await waiting(8);
    const first = await gatewayOf(harness);
    await harness.clock.advance(MINUTE);
    const before = first.gateway.connections.length;
    const ownClock = manualClock(harness.clock.now());
    const second = await gatewayOf(harness, scriptedGateway(), withoutSignals(harness.storage), ownClock);
    await harness.clock.advance(2.5 * SECOND);
    await ownClock.advance(2.5 * SECOND);
    await harness.clock.advance(MINUTE);
    expect(second.gateway.connections).toHaveLength(0);
    expect(first.gateway.connections).toHaveLength(before);
    expect(opened(first.gateway)).toBe(8);
  });

  it('lose none to an instance that stops while they are counted', async () => {
    const { harness, ids } = await waiting(2);
    const { processes } = harness.storage;
    const { gateway } = await gatewayOf(harness);
    await harness.clock.advance(10 * SECOND);
    const register = processes.register.bind(processes);
    const counting = vi.spyOn(processes, 'register').mockImplementationOnce(async (...report) => {
      await gateway.last().listener.closed({ kind: 'failed', code: 'banned' });
      return register(...report);
    });
    await harness.clock.advance(10 * SECOND);
    expect(counting).toHaveBeenCalled();
    expect(gateway.connections.map(({ state }) => state)).toEqual(['open', 'open']);
    const { message } = await sendText(harness, ids[0] ?? '');
    await harness.clock.advance(5 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('hand nothing to a process that has crashed', async () => {
    const { harness } = await waiting(3);
    await gatewayOf(
      harness,
      scriptedGateway(),
      withoutSignals(harness.storage),
      manualClock(harness.clock.now()),
    );
    await harness.clock.advance(40 * SECOND);
    const second = await gatewayOf(harness);
    await harness.clock.advance(2 * MINUTE);
    expect(second.gateway.connections).toHaveLength(3);
  });

  it('take instances back if the process that asked for them does not take them within a second, and give it no more', async () => {
    const { harness } = await waiting(4);
    const first = await gatewayOf(harness);
    await harness.clock.advance(14 * SECOND);
    const asksUntil = harness.clock.now() + 5 * MINUTE;
    await harness.storage.processes.register('idle', {
      network: 'sandbox',
      now: harness.clock.now(),
      since: 0,
      asksUntil,
    });
    await harness.clock.advance(SECOND);
    expect(opened(first.gateway)).toBe(2);
    await harness.clock.advance(SECOND);
    expect(opened(first.gateway)).toBe(4);
    const connections = first.gateway.connections.length;
    await harness.clock.advance(MINUTE);
    expect(first.gateway.connections).toHaveLength(connections);
  });

  it('keep their instances if the other process does not ask for them', async () => {
    const { harness } = await waiting(4);
    const first = await gatewayOf(harness);
    for (let passed = 0; passed < MINUTE; passed += 5 * SECOND) {
      await harness.storage.processes.register('idle', {
        network: 'sandbox',
        now: harness.clock.now(),
        since: 0,
      });
      await harness.clock.advance(5 * SECOND);
    }
    expect(first.gateway.connections).toHaveLength(4);
    expect(opened(first.gateway)).toBe(4);
  });

  it('keep an instance whose lease could not be released to another', async () => {
    const { harness } = await waiting(4);
    const first = await gatewayOf(harness);
    const { leases, processes } = harness.storage;
    const release = vi.spyOn(leases, 'release').mockRejectedValueOnce(new Error('disk full'));
    const asksUntil = harness.clock.now() + MINUTE;
    await processes.register('idle', { network: 'sandbox', now: harness.clock.now(), since: 0, asksUntil });
    // The next renewal would find the instance anyway, so check before that.
    await harness.clock.advance(6 * SECOND);
    expect(release).toHaveBeenCalled();
    expect(opened(first.gateway)).toBe(4);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('could not be handed over') }),
    );
  });
});

describe('a process that cannot reach the storage', () => {
  it('closes its connections and the storage all the same when it stops', async () => {
    const { harness } = await waiting();
    const away = (): Promise<never> => Promise.reject(new Error('connection refused'));
    const close = vi.fn(async () => {});
    const storage = { ...withoutSignals(harness.storage), close };
    const { trunkline, gateway } = await gatewayOf(harness, scriptedGateway(), storage);
    Object.assign(harness.storage.processes, { deregister: away });
    Object.assign(harness.storage.leases, { release: away });
    await trunkline.stop();
    expect(gateway.last().state).toBe('closed');
    expect(close).toHaveBeenCalledOnce();
    expect(harness.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('could not release') }),
    );
  });

  it.for([
    ['refuses', () => Promise.reject(new Error('connection refused'))],
    ['is silent', silence],
  ] as const)(
    'since it %s closes its connections before its leases end, and opens them again afterwards',
    async ([, outOfReach]) => {
      const { harness, ids } = await waiting();
      const { leases } = harness.storage;
      const { renew, claim } = leases;
      const { gateway } = await gatewayOf(harness);
      Object.assign(leases, { renew: outOfReach, claim: outOfReach });
      await harness.clock.advance(27 * SECOND);
      expect(gateway.last().state).toBe('open');
      await harness.clock.advance(2 * SECOND);
      expect(gateway.connections.map(({ state }) => state)).toEqual(['closed']);

      Object.assign(leases, { renew, claim });
      await harness.clock.advance(15 * SECOND);
      const [id = ''] = ids;
      expect(gateway.last().state).toBe('open');
      expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    },
  );

  it('opens nothing again before what it closes is closed', async () => {
    const { harness } = await waiting();
    const { leases } = harness.storage;
    const { renew } = leases;
    let close = (): void => {};
    const slow = scriptedGateway({ close: () => new Promise((resolve) => (close = resolve)) });
    await gatewayOf(harness, slow);
    leases.renew = () => Promise.reject(new Error('connection refused'));
    await harness.clock.advance(28 * SECOND);
    leases.renew = renew;
    await harness.clock.advance(5 * SECOND);
    expect(slow.connections).toHaveLength(1);
    close();
    await harness.clock.advance(10 * SECOND);
    expect(slow.connections).toHaveLength(2);
  });

  it('opens one new connection and closes the old one if it was paused past its lease', async () => {
    const { harness } = await waiting();
    const { gateway } = await gatewayOf(harness);
    harness.clock.jump(45 * SECOND);
    await harness.clock.advance(10 * SECOND);
    expect(gateway.connections.map(({ state }) => state)).toEqual(['closed', 'open']);
  });
});

describe('signals of other processes', () => {
  async function twoGateways(instances: number) {
    const { harness, ids } = await waiting(instances);
    const holder = await gatewayOf(harness);
    await harness.clock.advance(2 * SECOND);
    expect(holder.gateway.connections).toHaveLength(instances);
    const { subscribe } = harness.storage;
    await gatewayOf(harness, scriptedGateway(), { ...withoutSignals(harness.storage), subscribe });
    const claims = vi.spyOn(harness.storage.leases, 'claim');
    return { harness, ids, claims, ...holder };
  }

  it('make a process look for instances a few times a second, not once for each change', async () => {
    const { harness, ids, claims, gateway } = await twoGateways(100);
    for (let round = 0; round < 10; round += 1) {
      for (const { listener } of gateway.connections.slice(-ids.length)) {
        await listener.closed({ kind: 'dropped', detail: 'connection_lost' });
        await harness.clock.settle();
      }
      await harness.clock.advance(2 * SECOND);
    }
    // In these 20 seconds: at most a burst of 100 lookups, then five a second, and another five a second while the
    // process asks for its share.
    expect(claims.mock.calls.length).toBeGreaterThan(0);
    expect(claims.mock.calls.length).toBeLessThan(350);
  });

  it('make no process look for instances if the holder of an instance writes it', async () => {
    const { ids, claims, gateway, harness } = await twoGateways(100);
    // The second process has looked for the first time, and does not ask for its share yet.
    await harness.clock.advance(2 * SECOND);
    claims.mockClear();
    for (const { listener } of gateway.connections.slice(-ids.length))
      await listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(2 * SECOND);
    expect(gateway.connections).toHaveLength(2 * ids.length);
    expect(claims).not.toHaveBeenCalled();
  });

  it('are followed within 200 ms if an instance became free, however many went before', async () => {
    const { harness, ids } = await twoGateways(1);
    const [id = ''] = ids;
    for (let change = 0; change < 150; change += 1) {
      await harness.api.instances.update(id, { name: `Renamed ${change}` });
      await harness.clock.settle();
    }
    const { id: created } = await harness.api.instances.create();
    await harness.api.instances.connect(created);
    await harness.clock.advance(200);
    expect(await harness.api.instances.get(created)).toMatchObject({ status: 'connected' });
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });
});

describe('a process that waits before it takes more instances', () => {
  it('is woken by signals of instances that it may take, and not every millisecond until then', async () => {
    const { harness, ids } = await waiting(60);
    const { subscribe } = harness.storage;
    const timers = vi.fn(harness.clock.setTimer);
    const clock = { ...harness.clock, setTimer: timers };
    const opensNothing = scriptedGateway({ opened: silence });
    await gatewayOf(harness, opensNothing, { ...withoutSignals(harness.storage), subscribe }, clock);
    const claims = vi.spyOn(harness.storage.leases, 'claim');
    await harness.api.instances.update(ids.at(-1) ?? '', { name: 'Renamed' });
    await harness.clock.settle();
    timers.mockClear();
    await harness.clock.advance(150);
    expect(timers.mock.calls.length).toBeLessThan(20);
    expect(claims).not.toHaveBeenCalled();
    await harness.clock.advance(100);
    expect(claims).toHaveBeenCalledOnce();
  });
});

describe('a process that holds instances', () => {
  it('asks for no others, and reads no others, when one of its own changes', async () => {
    const { harness, ids } = await waiting(50);
    const { subscribe } = harness.storage;
    const { gateway } = await gatewayOf(harness, scriptedGateway(), {
      ...withoutSignals(harness.storage),
      subscribe,
    });
    await harness.clock.advance(5 * SECOND);
    expect(gateway.connections).toHaveLength(ids.length);
    const claims = vi.spyOn(harness.storage.leases, 'claim');
    const finds = vi.spyOn(harness.storage.instances, 'find');
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(2 * SECOND);
    expect(gateway.connections).toHaveLength(ids.length + 1);
    expect(claims).not.toHaveBeenCalled();
    expect(new Set(finds.mock.calls.map(([, id]) => id)).size).toBe(1);
  });
});
