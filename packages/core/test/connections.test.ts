import { describe, expect, it } from 'vitest';
import { PROFILE, scriptedGateway, silence } from './support/scripted-gateway.ts';
import {
  MINUTE,
  SECOND,
  connectScripted,
  connected,
  only,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

describe('a connection that drops', () => {
  it('is not reported if it is back within 30 s', async () => {
    const { harness, id, since } = await connected();
    await harness.sandbox.phone(id).drop();
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'connecting',
      last_error: 'connection_lost',
    });
    await harness.clock.advance(2 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected', last_error: null });
    await harness.clock.advance(2 * MINUTE);
    expect(since()).toEqual([]);
  });

  it('sends again what was on its way, and the network takes it once', async () => {
    const { harness, id } = await connected();
    const { message } = await sendText(harness, id);
    await harness.clock.settle();
    await harness.sandbox.phone(id).drop();
    await harness.clock.advance(5 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(harness.sandbox.phone(id).accepted()).toHaveLength(1);
  });

  it('is reported after 30 s, keeps trying, and is reported again when it is back', async () => {
    const gateway = scriptedGateway();
    const { harness, id, since } = await connected({ gateway });
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });

    await harness.clock.advance(30 * SECOND - 1);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    expect(since()).toEqual([]);
    await harness.clock.advance(1);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      paired: true,
      disconnected_at: '2026-01-01T00:00:30.000+00:00',
    });
    expect(since()).toEqual(['instance.disconnected']);

    const tries = gateway.connections.length;
    await harness.clock.advance(10 * MINUTE);
    expect(gateway.connections.length).toBeGreaterThanOrEqual(tries + 10);
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected', last_error: null });
    expect(since()).toEqual(['instance.disconnected', 'instance.connected']);
  });

  it('waits longer each time that a connection does not open, up to a minute', async () => {
    const { harness, gateway } = await unreachable();
    const waits: number[] = [];
    let last = harness.clock.now();
    gateway.script.opened = ({ listener }) => {
      waits.push(harness.clock.now() - last);
      last = harness.clock.now();
      return listener.closed({ kind: 'dropped', detail: 'network_down' });
    };
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(10 * MINUTE);
    for (const [i, wait] of waits.entries()) {
      const full = Math.min(MINUTE, SECOND * 2 ** i);
      expect(wait).toBeGreaterThanOrEqual(full / 2);
      expect(wait).toBeLessThanOrEqual(full);
    }
    expect(waits.length).toBeGreaterThan(12);
  });

  it('is tried again immediately where the user asks for it', async () => {
    const { harness, gateway, id } = await unreachable();
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(10 * MINUTE);
    const tries = gateway.connections.length;
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    expect(gateway.connections).toHaveLength(tries + 1);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('is given up by a POST disconnect while it is tried again, without another word', async () => {
    const { harness, gateway, id, since } = await unreachable();
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(MINUTE);
    expect(since()).toEqual(['instance.disconnected']);

    expect(await harness.api.instances.disconnect(id)).toMatchObject({ status: 'disconnected' });
    await harness.clock.settle();
    const tries = gateway.connections.length;
    await harness.clock.advance(10 * MINUTE);
    expect(gateway.connections).toHaveLength(tries);
    expect(since()).toEqual(['instance.disconnected']);
  });

  it('reports immediately when it is disconnected within the grace', async () => {
    const { harness, id, since } = await connected();
    await harness.sandbox.phone(id).drop();
    expect(await harness.api.instances.disconnect(id)).toMatchObject({ status: 'disconnected' });
    await harness.clock.advance(MINUTE);
    expect(since()).toEqual(['instance.disconnected']);
  });

  it('is not reported if it asks to be opened again immediately, as after pairing', async () => {
    const gateway = scriptedGateway();
    const { harness, id, since } = await connected({ gateway });
    await gateway.last().listener.closed({ kind: 'restart' });
    await harness.clock.settle();
    expect(gateway.connections).toHaveLength(2);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(since()).toEqual([]);
  });

  it('is opened less and less often if it asks for that repeatedly', async () => {
    const gateway = scriptedGateway();
    gateway.script.opened = async ({ listener }) => {
      // Without a pause between connections, the loop would repeat forever at the same clock time.
      if (gateway.connections.length < 100) await listener.closed({ kind: 'restart' });
    };
    const harness = await startHarness({ gateway });
    await connectScripted(harness);
    await harness.clock.advance(MINUTE);
    expect(gateway.connections.length).toBeGreaterThan(4);
    expect(gateway.connections.length).toBeLessThan(12);
    await harness.clock.advance(10 * MINUTE);
    expect(gateway.connections.length).toBeLessThan(40);
  });

  /** An instance that connected once and cannot connect again. */
  async function unreachable() {
    const gateway = scriptedGateway();
    const parts = await connected({ gateway });
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    return { ...parts, gateway };
  }
});

describe('an instance that cannot be connected', () => {
  const UNREACHABLE = { kind: 'dropped', detail: 'network_unreachable' } as const;
  /**
   * How many warnings and errors about an instance were logged. Failures of the gateway itself are logged separately,
   * once a minute for all instances.
   */
  const warnings = ({ logs }: Pick<Harness, 'logs'>): number =>
    logs.filter(({ level, facts }) => (level === 'warn' || level === 'error') && 'instanceId' in facts)
      .length;

  it('is reported after 30 s by its status, its last error, an event and one log line, and keeps trying', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed(UNREACHABLE) });
    const { harness, id, since } = await connected({ gateway });
    await harness.clock.advance(30 * SECOND - 1);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connecting', paired: false });
    expect(since()).toEqual([]);
    await harness.clock.advance(1);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'network_unreachable',
    });
    await harness.clock.advance(10 * MINUTE);
    expect(since()).toEqual(['instance.disconnected']);
    expect(harness.logs.filter(({ level }) => level === 'warn')).toMatchObject([
      { facts: { instanceId: id, lastError: 'network_unreachable' } },
    ]);

    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected', last_error: null });
    expect(since()).toEqual(['instance.disconnected', 'instance.connected']);
  });

  it.each(['says nothing', 'cannot be tried'] as const)('is reported if the network %s', async (network) => {
    const gateway = scriptedGateway({ opened: silence });
    if (network === 'cannot be tried') gateway.open = () => Promise.reject(new Error('ENETUNREACH'));
    const { harness, id } = await connected({ gateway });
    await harness.clock.advance(30 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: network === 'says nothing' ? 'connect_timeout' : 'connection_failed',
    });
    await harness.clock.advance(10 * MINUTE);
    expect(warnings(harness)).toBe(1);
    if (network === 'says nothing') return;
    const line = harness.logs.find(({ message }) => message.includes('has not been connected for 30 s'));
    expect(line?.facts).toMatchObject({ instanceId: id, err: { message: 'ENETUNREACH' } });
  });

  it('is reported again after another connect', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed(UNREACHABLE) });
    const { harness, id, since } = await connected({ gateway });
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.connect(id)).toMatchObject({ status: 'connecting', last_error: null });
    await harness.clock.advance(30 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
    expect(since()).toEqual(['instance.disconnected', 'instance.disconnected']);
  });

  it('shows its QR later, if it had none when the network came back', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed(UNREACHABLE) });
    const { harness, id, since } = await connected({ gateway });
    await harness.clock.advance(MINUTE);
    gateway.script.opened = ({ listener }) => listener.qr('code', harness.clock.now() + MINUTE);
    await harness.clock.advance(MINUTE);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'qr_required' });
    expect(since()).toEqual(['instance.disconnected', 'instance.qr_required']);
  });

  it('stops asking for a scan of a QR that ended with its connection', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.qr('code', Infinity) });
    const { harness, id, since } = await connected({ gateway });
    gateway.script.opened = ({ listener }) => listener.closed(UNREACHABLE);
    await gateway.last().listener.closed(UNREACHABLE);
    await harness.clock.advance(30 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'network_unreachable',
    });
    expect(since()).toEqual(['instance.disconnected']);
  });

  it('has 30 s with the process that takes it, however long there was none', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(10 * MINUTE);
    const gateway = scriptedGateway({ opened: silence });
    await harness.another({ gateway });
    await harness.clock.advance(29 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    await harness.clock.advance(2 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });
});

describe('a connection that does not open', () => {
  it('is tried again if the attempt could not even begin', async () => {
    const gateway = scriptedGateway();
    const open = gateway.open.bind(gateway);
    let failures = 2;
    gateway.open = async (session, listener) => {
      if ((failures -= 1) >= 0) throw new Error('out of sockets');
      return open(session, listener);
    };
    const { harness, id } = await connected({ gateway });
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'connecting',
      last_error: 'connection_failed',
    });
    await harness.clock.advance(5 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('is given up after a minute of silence, closed, and tried again', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const { harness, id } = await connected({ gateway });
    await harness.clock.advance(MINUTE);
    expect(gateway.connections[0]?.state).toBe('closed');
    expect(await harness.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'connect_timeout',
    });
    await harness.clock.advance(2 * SECOND);
    expect(gateway.connections).toHaveLength(2);
  });

  it('for the service, since the storage cannot note that it did, is closed and tried again', async () => {
    const gateway = scriptedGateway();
    const { api, clock, storage } = await startHarness({ gateway });
    const write = storage.instances.write.bind(storage.instances);
    const { id } = await api.instances.create();
    await api.instances.connect(id);
    storage.instances.write = () => Promise.reject(new Error('the server is starting'));
    await clock.settle();
    expect(gateway.connections.map(({ state }) => state)).toEqual(['closed']);
    storage.instances.write = write;
    await clock.advance(2 * SECOND);
    expect(gateway.connections.map(({ state }) => state)).toEqual(['closed', 'open']);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('has its late reports refused, so that the network reports to the next one', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const { harness, id } = await connected({ gateway });
    const [late] = gateway.connections;
    await harness.clock.advance(2 * MINUTE);
    await expect(late?.listener.connected(PROFILE)).rejects.toThrow();
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });

  it('does not keep others from opening, ten at a time', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const harness = await startHarness({ gateway });
    for (let i = 0; i < 12; i++) {
      const { id } = await harness.api.instances.create();
      await harness.api.instances.connect(id);
    }
    await harness.clock.settle();
    expect(gateway.connections).toHaveLength(10);

    let looks = 0;
    const { leases } = harness.storage;
    const claimLeases = leases.claim.bind(leases);
    leases.claim = (claim) => {
      looks += 1;
      return claimLeases(claim);
    };
    await harness.clock.advance(SECOND);
    expect(looks).toBeLessThan(5);
    await gateway.connections[0]?.listener.connected(PROFILE);
    await harness.clock.settle();
    expect(gateway.connections).toHaveLength(11);
  });

  it('leaves its turn to others after five seconds, so that many of them cost a healthy one no more than that', async () => {
    const stuck = 30;
    const gateway = scriptedGateway({
      opened: ({ listener }) =>
        gateway.connections.length <= stuck ? silence() : listener.connected(PROFILE),
    });
    const harness = await startHarness({ gateway });
    // Get out of step with the work that each process does every five seconds.
    await harness.clock.advance(SECOND);
    for (let i = 0; i < stuck; i++) {
      const { id } = await harness.api.instances.create();
      await harness.api.instances.connect(id);
    }
    const id = await connectScripted(harness);
    await harness.clock.advance(15 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(gateway.connections).toHaveLength(stuck + 1);
  });
});

describe('a connected instance', () => {
  it('shows when it was last seen, about once a minute', async () => {
    const { harness, id, since } = await connected();
    const start = Date.parse((await harness.api.instances.get(id)).last_seen_at ?? '');
    await harness.clock.advance(5 * MINUTE);
    const seen = Date.parse((await harness.api.instances.get(id)).last_seen_at ?? '');
    expect(seen - start).toBeGreaterThan(3.5 * MINUTE);
    expect(since()).toEqual([]);
  });
});
