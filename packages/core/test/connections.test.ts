import { describe, expect, it } from 'vitest';
import { PROFILE, scriptedGateway, silence } from './support/scripted-gateway.ts';
import { MINUTE, SECOND, connectScripted, connected, only, sendText, startWorld } from './support/world.ts';

describe('a connection that drops', () => {
  it('and is back within 30 s is not told of', async () => {
    const { world, id, since } = await connected();
    await world.sandbox.phone(id).drop();
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'connecting',
      last_error: 'connection_lost',
    });
    await world.clock.advance(2 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected', last_error: null });
    await world.clock.advance(2 * MINUTE);
    expect(since()).toEqual([]);
  });

  it('sends again what was on its way, and the network takes it once', async () => {
    const { world, id } = await connected();
    const { message } = await sendText(world, id);
    await world.clock.settle();
    await world.sandbox.phone(id).drop();
    await world.clock.advance(5 * SECOND);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(world.sandbox.phone(id).accepted()).toHaveLength(1);
  });

  it('is told of after 30 s, goes on trying, and is told of again when it is back', async () => {
    const gateway = scriptedGateway();
    const { world, id, since } = await connected({ gateway });
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });

    await world.clock.advance(30 * SECOND - 1);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    expect(since()).toEqual([]);
    await world.clock.advance(1);
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      paired: true,
      disconnected_at: '2026-01-01T00:00:30.000+00:00',
    });
    expect(since()).toEqual(['instance.disconnected']);

    const tries = gateway.connections.length;
    await world.clock.advance(10 * MINUTE);
    expect(gateway.connections.length).toBeGreaterThanOrEqual(tries + 10);
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await world.clock.advance(MINUTE);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected', last_error: null });
    expect(since()).toEqual(['instance.disconnected', 'instance.connected']);
  });

  it('waits longer each time that a connection does not open, up to a minute', async () => {
    const { world, gateway } = await unreachable();
    const waits: number[] = [];
    let last = world.clock.now();
    gateway.script.opened = ({ listener }) => {
      waits.push(world.clock.now() - last);
      last = world.clock.now();
      return listener.closed({ kind: 'dropped', detail: 'network_down' });
    };
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await world.clock.advance(10 * MINUTE);
    for (const [i, wait] of waits.entries()) {
      const full = Math.min(MINUTE, SECOND * 2 ** i);
      expect(wait).toBeGreaterThanOrEqual(full / 2);
      expect(wait).toBeLessThanOrEqual(full);
    }
    expect(waits.length).toBeGreaterThan(12);
  });

  it('is tried again at once where the user asks for it', async () => {
    const { world, gateway, id } = await unreachable();
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await world.clock.advance(10 * MINUTE);
    const tries = gateway.connections.length;
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await world.api.instances.connect(id);
    await world.clock.settle();
    expect(gateway.connections).toHaveLength(tries + 1);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('is given up by a POST disconnect while it is tried again, without another word', async () => {
    const { world, gateway, id, since } = await unreachable();
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await world.clock.advance(MINUTE);
    expect(since()).toEqual(['instance.disconnected']);

    expect(await world.api.instances.disconnect(id)).toMatchObject({ status: 'disconnected' });
    await world.clock.settle();
    const tries = gateway.connections.length;
    await world.clock.advance(10 * MINUTE);
    expect(gateway.connections).toHaveLength(tries);
    expect(since()).toEqual(['instance.disconnected']);
  });

  it('tells at once when it is disconnected within the grace', async () => {
    const { world, id, since } = await connected();
    await world.sandbox.phone(id).drop();
    expect(await world.api.instances.disconnect(id)).toMatchObject({ status: 'disconnected' });
    await world.clock.advance(MINUTE);
    expect(since()).toEqual(['instance.disconnected']);
  });

  it('that asks to be opened anew at once, as after pairing, is not told of', async () => {
    const gateway = scriptedGateway();
    const { world, id, since } = await connected({ gateway });
    await gateway.last().listener.closed({ kind: 'restart' });
    await world.clock.settle();
    expect(gateway.connections).toHaveLength(2);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(since()).toEqual([]);
  });

  it('that asks for that again and again is opened less and less often', async () => {
    const gateway = scriptedGateway();
    gateway.script.opened = async ({ listener }) => {
      // Without a pause it would go on for ever within one moment of the clock.
      if (gateway.connections.length < 100) await listener.closed({ kind: 'restart' });
    };
    const world = await startWorld({ gateway });
    await connectScripted(world);
    await world.clock.advance(MINUTE);
    expect(gateway.connections.length).toBeGreaterThan(4);
    expect(gateway.connections.length).toBeLessThan(12);
    await world.clock.advance(10 * MINUTE);
    expect(gateway.connections.length).toBeLessThan(40);
  });

  /** Connected once, and not again. */
  async function unreachable() {
    const gateway = scriptedGateway();
    const parts = await connected({ gateway });
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    return { ...parts, gateway };
  }
});

describe('an instance that cannot be connected', () => {
  const UNREACHABLE = { kind: 'dropped', detail: 'network_unreachable' } as const;
  const warnings = ({ logs }: { readonly logs: readonly { readonly level: string }[] }): number =>
    logs.filter(({ level }) => level === 'warn' || level === 'error').length;

  it('says so after 30 s: in its status, its last error, an event and one log line, and goes on trying', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed(UNREACHABLE) });
    const { world, id, since } = await connected({ gateway });
    await world.clock.advance(30 * SECOND - 1);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connecting', paired: false });
    expect(since()).toEqual([]);
    await world.clock.advance(1);
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'network_unreachable',
    });
    await world.clock.advance(10 * MINUTE);
    expect(since()).toEqual(['instance.disconnected']);
    expect(world.logs.filter(({ level }) => level === 'warn')).toMatchObject([
      { facts: { instanceId: id, lastError: 'network_unreachable' } },
    ]);

    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await world.clock.advance(MINUTE);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected', last_error: null });
    expect(since()).toEqual(['instance.disconnected', 'instance.connected']);
  });

  it.each(['says nothing', 'cannot be tried'] as const)('says so where the network %s', async (network) => {
    const gateway = scriptedGateway({ opened: silence });
    if (network === 'cannot be tried') gateway.open = () => Promise.reject(new Error('ENETUNREACH'));
    const { world, id } = await connected({ gateway });
    await world.clock.advance(30 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: network === 'says nothing' ? 'connect_timeout' : 'connection_failed',
    });
    await world.clock.advance(10 * MINUTE);
    expect(warnings(world)).toBe(1);
    if (network === 'says nothing') return;
    const line = world.logs.find(({ message }) => message.includes('has not been connected for 30 s'));
    expect(line?.facts).toMatchObject({ instanceId: id, err: { message: 'ENETUNREACH' } });
  });

  it('says so again where it is asked for again', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed(UNREACHABLE) });
    const { world, id, since } = await connected({ gateway });
    await world.clock.advance(MINUTE);
    expect(await world.api.instances.connect(id)).toMatchObject({ status: 'connecting', last_error: null });
    await world.clock.advance(30 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
    expect(since()).toEqual(['instance.disconnected', 'instance.disconnected']);
  });

  it('shows its QR later, where it had none when the network came back', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.closed(UNREACHABLE) });
    const { world, id, since } = await connected({ gateway });
    await world.clock.advance(MINUTE);
    gateway.script.opened = ({ listener }) => listener.qr('code', world.clock.now() + MINUTE);
    await world.clock.advance(MINUTE);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'qr_required' });
    expect(since()).toEqual(['instance.disconnected', 'instance.qr_required']);
  });

  it('does not go on asking for a scan of a QR that is gone with its connection', async () => {
    const gateway = scriptedGateway({ opened: ({ listener }) => listener.qr('code', Infinity) });
    const { world, id, since } = await connected({ gateway });
    gateway.script.opened = ({ listener }) => listener.closed(UNREACHABLE);
    await gateway.last().listener.closed(UNREACHABLE);
    await world.clock.advance(30 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'network_unreachable',
    });
    expect(since()).toEqual(['instance.disconnected']);
  });

  it('has 30 s with the process that takes it, however long there was none', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id } = await world.api.instances.create();
    await world.api.instances.connect(id);
    await world.clock.advance(10 * MINUTE);
    const gateway = scriptedGateway({ opened: silence });
    await world.another({ gateway });
    await world.clock.advance(29 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connecting' });
    await world.clock.advance(2 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });
});

describe('a connection that does not open', () => {
  it('and cannot even be tried is tried again', async () => {
    const gateway = scriptedGateway();
    const open = gateway.open.bind(gateway);
    let failures = 2;
    gateway.open = async (session, listener) => {
      if ((failures -= 1) >= 0) throw new Error('out of sockets');
      return open(session, listener);
    };
    const { world, id } = await connected({ gateway });
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'connecting',
      last_error: 'connection_failed',
    });
    await world.clock.advance(5 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('and says nothing is given up after a minute, closed, and tried again', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const { world, id } = await connected({ gateway });
    await world.clock.advance(MINUTE);
    expect(gateway.connections[0]?.state).toBe('closed');
    expect(await world.api.instances.get(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'connect_timeout',
    });
    await world.clock.advance(2 * SECOND);
    expect(gateway.connections).toHaveLength(2);
  });

  it('for the service, since the storage cannot note that it did, is closed and tried again', async () => {
    const gateway = scriptedGateway();
    const { api, clock, storage } = await startWorld({ gateway });
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

  it('has its late reports refused, so that the network tells the next one', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const { world, id } = await connected({ gateway });
    const [late] = gateway.connections;
    await world.clock.advance(2 * MINUTE);
    await expect(late?.listener.connected(PROFILE)).rejects.toThrow();
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });

  it('does not keep others from opening, ten at a time', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const world = await startWorld({ gateway });
    for (let i = 0; i < 12; i++) {
      const { id } = await world.api.instances.create();
      await world.api.instances.connect(id);
    }
    await world.clock.settle();
    expect(gateway.connections).toHaveLength(10);

    let looks = 0;
    const { leases } = world.storage;
    const claimLeases = leases.claim.bind(leases);
    leases.claim = (claim) => {
      looks += 1;
      return claimLeases(claim);
    };
    await world.clock.advance(SECOND);
    expect(looks).toBeLessThan(5);
    await gateway.connections[0]?.listener.connected(PROFILE);
    await world.clock.settle();
    expect(gateway.connections).toHaveLength(11);
  });

  it('leaves its turn to others after five seconds, so that many of them cost a healthy one no more than that', async () => {
    const stuck = 30;
    const gateway = scriptedGateway({
      opened: ({ listener }) =>
        gateway.connections.length <= stuck ? silence() : listener.connected(PROFILE),
    });
    const world = await startWorld({ gateway });
    // Out of step with what a process does every five seconds anyway.
    await world.clock.advance(SECOND);
    for (let i = 0; i < stuck; i++) {
      const { id } = await world.api.instances.create();
      await world.api.instances.connect(id);
    }
    const id = await connectScripted(world);
    await world.clock.advance(15 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(gateway.connections).toHaveLength(stuck + 1);
  });
});

describe('a connected instance', () => {
  it('tells when it was last seen, about once a minute', async () => {
    const { world, id, since } = await connected();
    const start = Date.parse((await world.api.instances.get(id)).last_seen_at ?? '');
    await world.clock.advance(5 * MINUTE);
    const seen = Date.parse((await world.api.instances.get(id)).last_seen_at ?? '');
    expect(seen - start).toBeGreaterThan(3.5 * MINUTE);
    expect(since()).toEqual([]);
  });
});
