import { describe, expect, it } from 'vitest';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import { SECOND, after, connectInstance, connectScripted, only, startWorld } from './support/world.ts';

describe('where a gateway fails, hangs, is missing or runs elsewhere:', () => {
  it('a logout is answered GATEWAY_ERROR, the connection closed, and the instance as it was', async () => {
    const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('network down')) });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    await expect(world.api.instances.logout(id)).rejects.toMatchObject({
      code: 'GATEWAY_ERROR',
      status: 502,
    });
    expect(gateway.connections[0]?.state).toBe('closed');
    await world.clock.advance(SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected', paired: true });
    expect(gateway.connections).toHaveLength(2);
  });

  it('a request that the gateway does not answer ends after 10 s, and the instance is free again', async () => {
    const gateway = scriptedGateway({ logout: silence });
    const world = await startWorld({ gateway });
    const id = await connectScripted(world);
    const logout = world.api.instances.logout(id);
    await expect(after(world, 10 * SECOND, logout)).rejects.toMatchObject({ code: 'GATEWAY_ERROR' });
    gateway.script.logout = async () => {};
    await world.clock.advance(SECOND);
    expect(await world.api.instances.logout(id)).toMatchObject({ status: 'logged_out' });
  });

  it('an operation without a gateway is GATEWAY_UNAVAILABLE, and carried out by the next one that starts', async () => {
    const world = await startWorld({ roles: only('api', 'webhooks') });
    const { id } = await world.api.instances.create();
    const deleting = world.api.instances.delete(id);
    await expect(after(world, 15 * SECOND, deleting)).rejects.toMatchObject({
      code: 'GATEWAY_UNAVAILABLE',
      status: 503,
    });
    await expect(world.api.instances.connect(id)).rejects.toMatchObject({ code: 'INSTANCE_BUSY' });

    await world.another({ roles: only('gateway') });
    await world.clock.settle();
    expect(await world.api.instances.list()).toEqual([]);
  });

  it('a request waits for its answer as long as the option says', async () => {
    const world = await startWorld({ roles: only('api'), operationTimeoutMs: 500 });
    const { id } = await world.api.instances.create();
    await expect(after(world, 500, world.api.instances.delete(id))).rejects.toMatchObject({
      code: 'GATEWAY_UNAVAILABLE',
    });
  });

  it('another process carries out an operation and this one answers, with no signal between them', async () => {
    const world = await startWorld({ roles: only('api') });
    await world.another({ roles: only('gateway') });
    const id = await connectInstance(world);
    const silent = { ...world.storage, subscribe: () => () => {} };
    const api = (await world.another({ roles: only('api'), storage: silent })).api;
    expect(await after(world, SECOND, api.instances.disconnect(id))).toMatchObject({
      status: 'disconnected',
    });
  });

  it('a process whose connection never opens can stop all the same, and one that opens late is closed', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const open = gateway.open.bind(gateway);
    let late: () => void = () => {};
    gateway.open = async (session, listener) => {
      await new Promise<void>((resolve) => (late = resolve));
      return open(session, listener);
    };
    const world = await startWorld({ gateway });
    await connectScripted(world);
    await after(world, 60 * SECOND, world.trunkline.stop());
    late();
    await world.clock.settle();
    expect(gateway.last().state).toBe('closed');
  });

  it('leases are renewed while connections whose leases were lost do not close', async () => {
    const gateway = scriptedGateway({ close: silence });
    const world = await startWorld({ gateway });
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await connectScripted(world));
    const { leases } = world.storage;
    const renewLeases = leases.renew.bind(leases);
    // Five of the six leases are lost.
    leases.renew = async (renewal) => (await renewLeases(renewal)).slice(0, 1);
    await world.clock.advance(10 * SECOND);
    leases.renew = renewLeases;
    await world.clock.advance(5 * 60 * SECOND);
    const [kept = ''] = ids;
    expect(
      gateway.connections.filter(({ session }) => session.instanceId === kept).map(({ state }) => state),
    ).toEqual(['open']);
  });
});
