import { describe, expect, it } from 'vitest';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import {
  MINUTE,
  SECOND,
  STEP,
  after,
  connectInstance,
  connectScripted,
  listen,
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

describe('while an operation is open', () => {
  it('every other one is refused as busy', async () => {
    const world = await startWorld({ gateway: scriptedGateway({ close: silence }) });
    const { instances } = world.api;
    const id = await connectScripted(world);
    const disconnecting = instances.disconnect(id).catch((error: unknown) => error);
    await world.clock.settle();

    for (const act of [instances.connect, instances.disconnect, instances.logout, instances.delete]) {
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
    const { instances } = world.storage;
    const renewLeases = instances.renewLeases.bind(instances);
    instances.renewLeases = async (renewal) => {
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

  it('it is taken up at once, even where it is asked for in the middle of a renewal', async () => {
    const world = await startWorld({ gateway: scriptedGateway() });
    const id = await connectScripted(world);
    const { instances } = world.storage;
    const renewLeases = instances.renewLeases.bind(instances);
    let disconnecting: Promise<unknown> | undefined;
    instances.renewLeases = async (renewal) => {
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
