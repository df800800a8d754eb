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
  startHarness,
  receivedEvents,
  receivedTypes,
} from './support/harness.ts';

describe('disconnect', () => {
  it('keeps the session: connecting again needs no QR', async () => {
    const harness = await startHarness();
    await listen(harness);
    const id = await connectInstance(harness, { phoneNumber: '34911222333' });
    expect(await harness.api.instances.disconnect(id)).toMatchObject({
      status: 'disconnected',
      paired: true,
      phone_number: '34911222333',
      last_error: null,
    });
    await harness.clock.advance(MINUTE);
    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(receivedTypes(harness)).toEqual([
      'instance.qr_required',
      'instance.connected',
      'instance.disconnected',
      'instance.connected',
    ]);
  });

  it('changes nothing if the instance is not live', async () => {
    const harness = await startHarness();
    await listen(harness);
    const created = await harness.api.instances.create();
    expect(await harness.api.instances.disconnect(created.id)).toEqual(created);
    expect(receivedTypes(harness)).toEqual([]);
  });

  it('stops a pairing', async () => {
    const harness = await startHarness();
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);
    expect(await harness.api.instances.disconnect(id)).toMatchObject({
      status: 'disconnected',
      paired: false,
    });
    await expect(harness.sandbox.phone(id).scan()).rejects.toMatchObject({ code: 'INVALID_INSTANCE_STATE' });
  });
});

describe('logout', () => {
  it('unlinks the number, erases the session and fails queued messages', async () => {
    const gateway = scriptedGateway({ send: silence });
    const harness = await startHarness({ gateway });
    await listen(harness);
    const id = await connectScripted(harness);
    const { session } = gateway.last();
    await session.save(new Map([['device', Uint8Array.of(1, 2, 3)]]));
    const { message } = await sendText(harness, id);

    expect(await harness.api.instances.logout(id)).toMatchObject({
      status: 'logged_out',
      paired: false,
      phone_number: null,
      last_error: null,
    });
    expect(gateway.last().state).toBe('logged out');
    expect(await session.load()).toEqual(new Map());
    expect(await harness.api.messages.get(message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'instance_logged_out' },
    });
    await harness.clock.settle();
    expect(receivedTypes(harness)).toEqual(['instance.connected', 'instance.disconnected', 'message.failed']);
  });

  it('works on an instance that is not connected, and reports it', async () => {
    const unlinked: string[] = [];
    const gateway = scriptedGateway({
      async unlink({ instanceId }) {
        unlinked.push(instanceId);
      },
    });
    const harness = await startHarness({ gateway });
    await listen(harness);
    const id = await connectScripted(harness);
    await harness.api.instances.disconnect(id);
    expect(await harness.api.instances.logout(id)).toMatchObject({ status: 'logged_out' });
    await harness.clock.settle();
    expect(unlinked).toEqual([id]);
    expect(receivedTypes(harness)).toEqual([
      'instance.connected',
      'instance.disconnected',
      'instance.disconnected',
    ]);
  });

  it('is refused if the instance is not paired', async () => {
    const { api } = await startHarness();
    const { id } = await api.instances.create();
    await expect(api.instances.logout(id)).rejects.toMatchObject({
      code: 'INVALID_INSTANCE_STATE',
      status: 409,
    });
  });

  it('is not reported twice when the phone unlinks at the same time', async () => {
    const gateway = scriptedGateway({
      // The network ends the connection before it responds to the unlinking request.
      logout: ({ listener }) => listener.closed({ kind: 'unlinked' }),
    });
    const harness = await startHarness({ gateway });
    await listen(harness);
    const id = await connectScripted(harness);
    expect(await harness.api.instances.logout(id)).toMatchObject({ status: 'logged_out', last_error: null });
    await harness.clock.advance(MINUTE);
    expect(receivedTypes(harness)).toEqual(['instance.connected', 'instance.disconnected']);
  });
});

describe('delete', () => {
  it('takes the instance, its groups and its session away, and leaves its messages', async () => {
    const harness = await startHarness();
    await listen(harness);
    const id = await connectInstance(harness);
    const { message } = await sendText(harness, id);
    await harness.clock.advance(3 * STEP);
    await harness.api.instances.delete(id);

    await expect(harness.api.instances.get(id)).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
      status: 404,
    });
    await expect(harness.api.instances.groups(id)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await expect(harness.api.messages.list({ instance: id })).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
    });
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read', instance_id: id });
    expect((await harness.api.messages.list()).data).toHaveLength(1);
    expect(receivedTypes(harness)).not.toContain('instance.disconnected');
  });

  it('fails queued messages, each with its event', async () => {
    const harness = await startHarness({ gateway: scriptedGateway({ send: silence }) });
    await listen(harness);
    const id = await connectScripted(harness);
    const sends = [await sendText(harness, id), await sendText(harness, id)];
    await harness.api.instances.delete(id);
    await harness.clock.settle();

    for (const { message } of sends) {
      expect(await harness.api.messages.get(message.id)).toMatchObject({
        status: 'failed',
        error: { code: 'instance_deleted' },
      });
    }
    const failed = receivedEvents(harness).filter(({ type }) => type === 'message.failed');
    expect(failed.map(({ data }) => data)).toMatchObject(
      sends.map(({ message }) => ({ message: { id: message.id, status: 'failed' } })),
    );
  });

  it('takes an instance away that was never connected', async () => {
    const { api } = await startHarness();
    const { id } = await api.instances.create();
    await api.instances.delete(id);
    expect((await api.instances.list()).data).toEqual([]);
  });

  it('unlinks a number that is not connected', async () => {
    const unlinked: string[] = [];
    const gateway = scriptedGateway({
      async unlink({ instanceId }) {
        unlinked.push(instanceId);
      },
    });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await harness.api.instances.disconnect(id);
    const { id: neverLinked } = await harness.api.instances.create();
    for (const instance of [id, neverLinked]) await harness.api.instances.delete(instance);
    expect(unlinked).toEqual([id]);
  });

  it.each(['connected', 'disconnected'] as const)(
    'succeeds even if the network cannot be reached: a number that is %s',
    async (status) => {
      const down = (): Promise<never> => Promise.reject(new Error('network down'));
      const gateway = scriptedGateway({ logout: down, unlink: down });
      const harness = await startHarness({ gateway });
      const id = await connectScripted(harness);
      if (status === 'disconnected') await harness.api.instances.disconnect(id);
      await harness.api.instances.delete(id);
      expect(gateway.last().state).toBe('closed');
      expect((await harness.api.instances.list()).data).toEqual([]);
      expect(harness.logs).toContainEqual(
        expect.objectContaining({ message: expect.stringContaining('the phone still lists the device') }),
      );
    },
  );

  it('succeeds even if the network does not respond to the unlinking request', async () => {
    const gateway = scriptedGateway({ unlink: silence });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await harness.api.instances.disconnect(id);
    await after(harness, 10 * SECOND, harness.api.instances.delete(id));
    expect((await harness.api.instances.list()).data).toEqual([]);
  });
});

describe('a logout that the network refuses', () => {
  const LISTED = { status: 'logged_out', paired: false, last_error: 'phone_may_still_list_device' };

  it('fails once, and the next one discards the session, with its event and its log line', async () => {
    const gateway = scriptedGateway({ unlink: () => Promise.reject(new Error('banned')) });
    const { harness, id, since } = await connected({ gateway });
    const { session, listener } = gateway.last();
    await session.save(new Map([['device', Uint8Array.of(1, 2, 3)]]));
    await listener.closed({ kind: 'failed', code: 'account_banned' });
    await harness.clock.settle();

    await expect(harness.api.instances.logout(id)).rejects.toMatchObject({
      code: 'GATEWAY_ERROR',
      status: 502,
      message: expect.stringContaining('Another logout removes the session without the network.'),
    });
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'error', paired: true });
    expect(await harness.api.instances.logout(id)).toMatchObject(LISTED);
    expect(await session.load()).toEqual(new Map());
    await harness.clock.settle();
    expect(since()).toEqual(['instance.error', 'instance.disconnected']);
    expect(harness.logs.filter(({ level }) => level === 'warn').at(-1)?.message).toContain('remove it there');
  });

  it('counts where the number is connected, and where the network does not respond', async () => {
    const gateway = scriptedGateway({ logout: silence });
    const { harness, id } = await connected({ gateway });
    const first = harness.api.instances.logout(id).catch((error: unknown) => error);
    expect(await after(harness, 10 * SECOND, first)).toMatchObject({ code: 'GATEWAY_ERROR' });
    await harness.clock.settle();
    // The instance is connected again, with the session that the network did not end.
    expect(gateway.connections).toHaveLength(2);
    expect(await after(harness, 10 * SECOND, harness.api.instances.logout(id))).toMatchObject(LISTED);
    expect(gateway.last().state).toBe('closed');
  });

  it('is remembered over a restart', async () => {
    const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('refused')) });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await expect(harness.api.instances.logout(id)).rejects.toMatchObject({ status: 502 });
    await harness.trunkline.stop();
    const { api } = await harness.another({ gateway });
    await harness.clock.settle();
    expect(await api.instances.logout(id)).toMatchObject(LISTED);
  });

  it('is forgotten once the instance is connected on request: the network is asked again, and may refuse once', async () => {
    const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('refused')) });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await expect(harness.api.instances.logout(id)).rejects.toMatchObject({ status: 502 });
    await harness.clock.settle();
    await harness.api.instances.disconnect(id);
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    await expect(harness.api.instances.logout(id)).rejects.toMatchObject({ status: 502 });
  });
});

describe('an operation that is asked for again while it is open', () => {
  it('joins it: both disconnects get the one outcome', async () => {
    let close: () => void = () => {};
    const gateway = scriptedGateway({ close: () => new Promise((resolve) => (close = resolve)) });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    const both = [harness.api.instances.disconnect(id), harness.api.instances.disconnect(id)];
    await harness.clock.settle();
    close();
    await harness.clock.settle();
    expect(await Promise.all(both)).toMatchObject([{ status: 'disconnected' }, { status: 'disconnected' }]);
  });

  it('fails as it fails, in another process, too', async () => {
    let refuse: (error: Error) => void = () => {};
    const gateway = scriptedGateway({ logout: () => new Promise((_, reject) => (refuse = reject)) });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    const { api } = await harness.another({ roles: only('api') });
    const both = [harness.api.instances.logout(id), api.instances.logout(id)].map((logout) =>
      logout.catch((error: unknown) => error),
    );
    await harness.clock.settle();
    refuse(new Error('refused'));
    await harness.clock.advance(SECOND);
    expect(await Promise.all(both)).toMatchObject([{ status: 502 }, { status: 502 }]);
  });

  it('is how a delete that no gateway carried out is asked for again', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await harness.api.instances.create();
    const first = harness.api.instances.delete(id);
    await expect(after(harness, 15 * SECOND, first)).rejects.toMatchObject({ code: 'GATEWAY_UNAVAILABLE' });
    const second = harness.api.instances.delete(id);
    await expect(harness.api.instances.logout(id)).rejects.toMatchObject({ code: 'INSTANCE_BUSY' });
    await harness.another();
    await after(harness, SECOND, second);
    expect((await harness.api.instances.list()).data).toEqual([]);
  });

  describe('in a process that no signal reaches', () => {
    /** A logout that the network has refused, before the process that requested it looks for the outcome. */
    async function refusedLogout() {
      const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('network down')) });
      const harness = await startHarness({ gateway });
      const id = await connectScripted(harness);
      const unresponsive = { ...harness.storage, subscribe: () => () => {} };
      const { api } = await harness.another({ roles: only('api'), storage: unresponsive });
      const logout = api.instances.logout(id).catch((error: unknown) => error);
      await harness.clock.settle();
      const disconnect = async (): Promise<void> => {
        await harness.api.instances.connect(id);
        await harness.clock.settle();
        expect(await harness.api.instances.disconnect(id)).toMatchObject({ status: 'disconnected' });
      };
      return { harness, logout, disconnect };
    }

    it('gets the outcome of its own operation, however many have ended when it looks', async () => {
      const { harness, logout, disconnect } = await refusedLogout();
      for (let i = 0; i < 10; i += 1) await disconnect();
      expect(await after(harness, SECOND, logout)).toMatchObject({
        code: 'GATEWAY_ERROR',
        status: 502,
        message: expect.stringContaining('network down'),
      });
    });

    it('is never reported as a success if its outcome is no longer known', async () => {
      const { harness, logout, disconnect } = await refusedLogout();
      for (let i = 0; i < 20; i += 1) await disconnect();
      expect(await after(harness, SECOND, logout)).toMatchObject({
        code: 'GATEWAY_ERROR',
        status: 502,
        message: expect.stringContaining('not known any more'),
      });
    });
  });
});

describe('while an operation of an instance is open', () => {
  it('every other one is refused as busy', async () => {
    const harness = await startHarness({ gateway: scriptedGateway({ close: silence }) });
    const { instances } = harness.api;
    const id = await connectScripted(harness);
    const disconnecting = instances.disconnect(id).catch((error: unknown) => error);
    await harness.clock.settle();

    for (const act of [instances.connect, instances.logout, instances.delete]) {
      await expect(act(id)).rejects.toMatchObject({ code: 'INSTANCE_BUSY', status: 409 });
    }
    await instances.update(id, { name: 'Renamed anyway' });
    await harness.clock.advance(20 * SECOND);
    expect(await disconnecting).toMatchObject({ code: 'GATEWAY_ERROR', status: 502 });
    expect(await instances.get(id)).toMatchObject({ name: 'Renamed anyway' });
  });

  it('it is carried out once, even if a read of the storage returns late', async () => {
    let respond: () => void = () => {};
    let unlinks = 0;
    const gateway = scriptedGateway({
      logout: () => new Promise((resolve) => (respond = resolve)),
      async unlink() {
        unlinks += 1;
      },
    });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    const { leases } = harness.storage;
    const renewLeases = leases.renew.bind(leases);
    leases.renew = async (renewal) => {
      const held = await renewLeases(renewal);
      respond();
      await harness.clock.settle();
      return held;
    };
    await harness.clock.advance(5 * SECOND);
    const logout = harness.api.instances.logout(id);
    expect(await after(harness, 5 * SECOND, logout)).toMatchObject({ status: 'logged_out' });
    await harness.clock.advance(SECOND);
    expect(unlinks).toBe(0);
  });

  it('it begins immediately, even if it is requested during a renewal', async () => {
    const harness = await startHarness({ gateway: scriptedGateway() });
    const id = await connectScripted(harness);
    const { leases } = harness.storage;
    const renewLeases = leases.renew.bind(leases);
    let disconnecting: Promise<unknown> | undefined;
    leases.renew = async (renewal) => {
      const held = await renewLeases(renewal);
      disconnecting ??= harness.api.instances.disconnect(id);
      await harness.clock.settle();
      return held;
    };
    await harness.clock.advance(10 * SECOND);
    await harness.clock.settle();
    expect(disconnecting).toBeDefined();
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });
});
