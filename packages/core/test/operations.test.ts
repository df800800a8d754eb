import { describe, expect, it } from 'vitest';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import {
  MINUTE,
  SECOND,
  STEP,
  after,
  connectInstance,
  connectScripted,
  connected,
  listen,
  only,
  sendText,
  startWorld,
  told,
  toldTypes,
} from './support/world.ts';

describe('disconnect', () => {
  it('keeps the session: connecting again needs no QR', async () => {
    const world = await startWorld();
    await listen(world);
    const id = await connectInstance(world, { phoneNumber: '34911222333' });
    expect(await world.api.instances.disconnect(id)).toMatchObject({
      status: 'disconnected',
      paired: true,
      phone_number: '34911222333',
      last_error: null,
    });
    await world.clock.advance(MINUTE);
    await world.api.instances.connect(id);
    await world.clock.advance(STEP);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(toldTypes(world)).toEqual([
      'instance.qr_required',
      'instance.connected',
      'instance.disconnected',
      'instance.connected',
    ]);
  });

  it('of an instance that is not live changes nothing', async () => {
    const world = await startWorld();
    await listen(world);
    const created = await world.api.instances.create();
    expect(await world.api.instances.disconnect(created.id)).toEqual(created);
    expect(toldTypes(world)).toEqual([]);
  });

  it('stops a pairing', async () => {
    const world = await startWorld();
    const { id } = await world.api.instances.create();
    await world.api.instances.connect(id);
    await world.clock.advance(STEP);
    expect(await world.api.instances.disconnect(id)).toMatchObject({ status: 'disconnected', paired: false });
    await expect(world.sandbox.phone(id).scan()).rejects.toMatchObject({ code: 'INVALID_INSTANCE_STATE' });
  });
});

describe('logout', () => {
  it('unlinks the number, erases the session and fails what is queued', async () => {
    const gateway = scriptedGateway({ send: silence });
    const world = await startWorld({ gateway });
    await listen(world);
    const id = await connectScripted(world);
    const { session } = gateway.last();
    await session.save(new Map([['device', Uint8Array.of(1, 2, 3)]]));
    const { message } = await sendText(world, id);

    expect(await world.api.instances.logout(id)).toMatchObject({
      status: 'logged_out',
      paired: false,
      phone_number: null,
      last_error: null,
    });
    expect(gateway.last().state).toBe('logged out');
    expect(await session.load()).toEqual(new Map());
    expect(await world.api.messages.get(message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'instance_logged_out' },
    });
    await world.clock.settle();
    expect(toldTypes(world)).toEqual(['instance.connected', 'instance.disconnected', 'message.failed']);
  });

  it('works on an instance that is not connected, and tells of it', async () => {
    const unlinked: string[] = [];
    const gateway = scriptedGateway({
      async unlink({ instanceId }) {
        unlinked.push(instanceId);
      },
    });
    const world = await startWorld({ gateway });
    await listen(world);
    const id = await connectScripted(world);
    await world.api.instances.disconnect(id);
    expect(await world.api.instances.logout(id)).toMatchObject({ status: 'logged_out' });
    await world.clock.settle();
    expect(unlinked).toEqual([id]);
    expect(toldTypes(world)).toEqual([
      'instance.connected',
      'instance.disconnected',
      'instance.disconnected',
    ]);
  });

  it('of an instance that is not paired is refused', async () => {
    const { api } = await startWorld();
    const { id } = await api.instances.create();
    await expect(api.instances.logout(id)).rejects.toMatchObject({
      code: 'INVALID_INSTANCE_STATE',
      status: 409,
    });
  });

  it('is not told twice when the phone unlinks at the same time', async () => {
    const gateway = scriptedGateway({
      // The network ends the connection before it answers the unlinking.
      logout: ({ listener }) => listener.closed({ kind: 'unlinked' }),
    });
    const world = await startWorld({ gateway });
    await listen(world);
    const id = await connectScripted(world);
    expect(await world.api.instances.logout(id)).toMatchObject({ status: 'logged_out', last_error: null });
    await world.clock.advance(MINUTE);
    expect(toldTypes(world)).toEqual(['instance.connected', 'instance.disconnected']);
  });
});

describe('delete', () => {
  it('takes the instance, its groups and its session away, and leaves its messages', async () => {
    const world = await startWorld();
    await listen(world);
    const id = await connectInstance(world);
    const { message } = await sendText(world, id);
    await world.clock.advance(3 * STEP);
    await world.api.instances.delete(id);

    await expect(world.api.instances.get(id)).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
      status: 404,
    });
    await expect(world.api.instances.groups(id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await expect(world.api.messages.list({ instance: id })).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
    });
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'read', instance_id: id });
    expect((await world.api.messages.list()).data).toHaveLength(1);
    expect(toldTypes(world)).not.toContain('instance.disconnected');
  });

  it('fails what is queued, each with its event', async () => {
    const world = await startWorld({ gateway: scriptedGateway({ send: silence }) });
    await listen(world);
    const id = await connectScripted(world);
    const sends = [await sendText(world, id), await sendText(world, id)];
    await world.api.instances.delete(id);
    await world.clock.settle();

    for (const { message } of sends) {
      expect(await world.api.messages.get(message.id)).toMatchObject({
        status: 'failed',
        error: { code: 'instance_deleted' },
      });
    }
    const failed = told(world).filter(({ type }) => type === 'message.failed');
    expect(failed.map(({ data }) => data)).toMatchObject(
      sends.map(({ message }) => ({ message: { id: message.id, status: 'failed' } })),
    );
  });

  it('takes an instance away that was never connected', async () => {
    const { api } = await startWorld();
    const { id } = await api.instances.create();
    await api.instances.delete(id);
    expect(await api.instances.list()).toEqual([]);
  });

  it('succeeds where the network cannot be told', async () => {
    const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('network down')) });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    await world.api.instances.delete(id);
    expect(gateway.last().state).toBe('closed');
    expect(await world.api.instances.list()).toEqual([]);
  });
});

describe('a logout that the network refuses', () => {
  const LISTED = { status: 'logged_out', paired: false, last_error: 'phone_may_still_list_device' };

  it('fails once, and the next one discards the session, with its event and its log line', async () => {
    const gateway = scriptedGateway({ unlink: () => Promise.reject(new Error('banned')) });
    const { world, id, since } = await connected({ gateway });
    const { session, listener } = gateway.last();
    await session.save(new Map([['device', Uint8Array.of(1, 2, 3)]]));
    await listener.closed({ kind: 'failed', code: 'account_banned' });
    await world.clock.settle();

    await expect(world.api.instances.logout(id)).rejects.toMatchObject({
      code: 'GATEWAY_ERROR',
      status: 502,
      message: expect.stringContaining('Another logout removes the session without the network.'),
    });
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'error', paired: true });
    expect(await world.api.instances.logout(id)).toMatchObject(LISTED);
    expect(await session.load()).toEqual(new Map());
    await world.clock.settle();
    expect(since()).toEqual(['instance.error', 'instance.disconnected']);
    expect(world.logs.filter(({ level }) => level === 'warn').at(-1)?.message).toContain('remove it there');
  });

  it('counts where the number is connected, and where the network does not answer', async () => {
    const gateway = scriptedGateway({ logout: silence });
    const { world, id } = await connected({ gateway });
    const first = world.api.instances.logout(id).catch((error: unknown) => error);
    expect(await after(world, 10 * SECOND, first)).toMatchObject({ code: 'GATEWAY_ERROR' });
    await world.clock.settle();
    // It is connected again meanwhile, by the session that the network refused to end.
    expect(gateway.connections).toHaveLength(2);
    expect(await after(world, 10 * SECOND, world.api.instances.logout(id))).toMatchObject(LISTED);
    expect(gateway.last().state).toBe('closed');
  });

  it('is remembered over a restart', async () => {
    const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('refused')) });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    await expect(world.api.instances.logout(id)).rejects.toMatchObject({ status: 502 });
    await world.trunkline.stop();
    const { api } = await world.another({ gateway });
    await world.clock.settle();
    expect(await api.instances.logout(id)).toMatchObject(LISTED);
  });

  it('is forgotten once the instance is connected on request: the network is asked again, and may refuse once', async () => {
    const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('refused')) });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    await expect(world.api.instances.logout(id)).rejects.toMatchObject({ status: 502 });
    await world.clock.settle();
    await world.api.instances.disconnect(id);
    await world.api.instances.connect(id);
    await world.clock.settle();
    await expect(world.api.instances.logout(id)).rejects.toMatchObject({ status: 502 });
  });
});

describe('an operation that is asked for again while it is open', () => {
  it('joins it: both disconnects get the one outcome', async () => {
    let close: () => void = () => {};
    const gateway = scriptedGateway({ close: () => new Promise((resolve) => (close = resolve)) });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    const both = [world.api.instances.disconnect(id), world.api.instances.disconnect(id)];
    await world.clock.settle();
    close();
    await world.clock.settle();
    expect(await Promise.all(both)).toMatchObject([{ status: 'disconnected' }, { status: 'disconnected' }]);
  });

  it('fails as it fails, in another process, too', async () => {
    let refuse: (error: Error) => void = () => {};
    const gateway = scriptedGateway({ logout: () => new Promise((_, reject) => (refuse = reject)) });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    const { api } = await world.another({ roles: only('api') });
    const both = [world.api.instances.logout(id), api.instances.logout(id)].map((logout) =>
      logout.catch((error: unknown) => error),
    );
    await world.clock.settle();
    refuse(new Error('refused'));
    await world.clock.advance(SECOND);
    expect(await Promise.all(both)).toMatchObject([{ status: 502 }, { status: 502 }]);
  });

  it('is how a delete that no gateway carried out is asked for again', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id } = await world.api.instances.create();
    const first = world.api.instances.delete(id);
    await expect(after(world, 15 * SECOND, first)).rejects.toMatchObject({ code: 'GATEWAY_UNAVAILABLE' });
    const second = world.api.instances.delete(id);
    await expect(world.api.instances.logout(id)).rejects.toMatchObject({ code: 'INSTANCE_BUSY' });
    await world.another();
    await after(world, SECOND, second);
    expect(await world.api.instances.list()).toEqual([]);
  });

  describe('in a process that no signal reaches', () => {
    /** A logout that the network refuses, before its process looks for the outcome. */
    async function refusedLogout() {
      const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('network down')) });
      const world = await startWorld({ gateway });
      const id = await connectScripted(world);
      const deaf = { ...world.storage, subscribe: () => () => {} };
      const { api } = await world.another({ roles: only('api'), storage: deaf });
      const logout = api.instances.logout(id).catch((error: unknown) => error);
      await world.clock.settle();
      const disconnect = async (): Promise<void> => {
        await world.api.instances.connect(id);
        await world.clock.settle();
        expect(await world.api.instances.disconnect(id)).toMatchObject({ status: 'disconnected' });
      };
      return { world, logout, disconnect };
    }

    it('gets the outcome of its own operation, however many have ended when it looks', async () => {
      const { world, logout, disconnect } = await refusedLogout();
      for (let i = 0; i < 10; i += 1) await disconnect();
      expect(await after(world, SECOND, logout)).toMatchObject({
        code: 'GATEWAY_ERROR',
        status: 502,
        message: expect.stringContaining('network down'),
      });
    });

    it('is never taken for a success where its outcome is not known any more', async () => {
      const { world, logout, disconnect } = await refusedLogout();
      for (let i = 0; i < 20; i += 1) await disconnect();
      expect(await after(world, SECOND, logout)).toMatchObject({
        code: 'GATEWAY_ERROR',
        status: 502,
        message: expect.stringContaining('not known any more'),
      });
    });
  });
});

describe('while an operation of an instance is open', () => {
  it('every other one is refused as busy', async () => {
    const world = await startWorld({ gateway: scriptedGateway({ close: silence }) });
    const { instances } = world.api;
    const id = await connectScripted(world);
    const disconnecting = instances.disconnect(id).catch((error: unknown) => error);
    await world.clock.settle();

    for (const act of [instances.connect, instances.logout, instances.delete]) {
      await expect(act(id)).rejects.toMatchObject({ code: 'INSTANCE_BUSY', status: 409 });
    }
    await instances.update(id, { name: 'Renamed all the same' });
    await world.clock.advance(20 * SECOND);
    expect(await disconnecting).toMatchObject({ code: 'GATEWAY_ERROR', status: 502 });
    expect(await instances.get(id)).toMatchObject({ name: 'Renamed all the same' });
  });

  it('it is carried out once, even where a look at the storage is answered late', async () => {
    let told: () => void = () => {};
    let unlinks = 0;
    const gateway = scriptedGateway({
      logout: () => new Promise((resolve) => (told = resolve)),
      async unlink() {
        unlinks += 1;
      },
    });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    const { leases } = world.storage;
    const renewLeases = leases.renew.bind(leases);
    leases.renew = async (renewal) => {
      const held = await renewLeases(renewal);
      told();
      await world.clock.settle();
      return held;
    };
    await world.clock.advance(5 * SECOND);
    const logout = world.api.instances.logout(id);
    expect(await after(world, 5 * SECOND, logout)).toMatchObject({ status: 'logged_out' });
    await world.clock.advance(SECOND);
    expect(unlinks).toBe(0);
  });

  it('it is begun immediately, even where it is asked for in the middle of a renewal', async () => {
    const world = await startWorld({ gateway: scriptedGateway() });
    const id = await connectScripted(world);
    const { leases } = world.storage;
    const renewLeases = leases.renew.bind(leases);
    let disconnecting: Promise<unknown> | undefined;
    leases.renew = async (renewal) => {
      const held = await renewLeases(renewal);
      disconnecting ??= world.api.instances.disconnect(id);
      await world.clock.settle();
      return held;
    };
    await world.clock.advance(10 * SECOND);
    await world.clock.settle();
    expect(disconnecting).toBeDefined();
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });
});
