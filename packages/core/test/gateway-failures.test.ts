import { describe, expect, it } from 'vitest';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import { SECOND, after, connectInstance, connectScripted, only, startHarness } from './support/harness.ts';

describe('when a gateway fails, hangs, is missing or runs elsewhere:', () => {
  it('a logout gets GATEWAY_ERROR, the connection closed, and the instance as it was', async () => {
    const gateway = scriptedGateway({ logout: () => Promise.reject(new Error('network down')) });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await expect(harness.api.instances.logout(id)).rejects.toMatchObject({
      code: 'GATEWAY_ERROR',
      status: 502,
    });
    expect(gateway.connections[0]?.state).toBe('closed');
    await harness.clock.advance(SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected', paired: true });
    expect(gateway.connections).toHaveLength(2);
  });

  it('a request that the gateway does not respond to ends after 10 s, and the instance is free again', async () => {
    const gateway = scriptedGateway({ logout: silence });
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    const logout = harness.api.instances.logout(id);
    await expect(after(harness, 10 * SECOND, logout)).rejects.toMatchObject({ code: 'GATEWAY_ERROR' });
    gateway.script.logout = async () => {};
    await harness.clock.advance(SECOND);
    expect(await harness.api.instances.logout(id)).toMatchObject({ status: 'logged_out' });
  });

  it('an operation without a gateway is GATEWAY_UNAVAILABLE, and carried out by the next one that starts', async () => {
    const harness = await startHarness({ roles: only('api', 'webhooks') });
    const { id } = await harness.api.instances.create();
    const deleting = harness.api.instances.delete(id);
    await expect(after(harness, 15 * SECOND, deleting)).rejects.toMatchObject({
      code: 'GATEWAY_UNAVAILABLE',
      status: 503,
    });
    await expect(harness.api.instances.connect(id)).rejects.toMatchObject({ code: 'INSTANCE_BUSY' });

    await harness.another({ roles: only('gateway') });
    await harness.clock.settle();
    expect((await harness.api.instances.list()).data).toEqual([]);
  });

  it('a request waits for its response as long as the option says', async () => {
    const harness = await startHarness({ roles: only('api'), operationTimeoutMs: SECOND / 2 });
    const { id } = await harness.api.instances.create();
    await expect(after(harness, 500, harness.api.instances.delete(id))).rejects.toMatchObject({
      code: 'GATEWAY_UNAVAILABLE',
    });
  });

  it('another process carries out an operation and this one responds, with no signal between them', async () => {
    const harness = await startHarness({ roles: only('api') });
    await harness.another({ roles: only('gateway') });
    const id = await connectInstance(harness);
    const silent = { ...harness.storage, subscribe: () => () => {} };
    const api = (await harness.another({ roles: only('api'), storage: silent })).api;
    expect(await after(harness, SECOND, api.instances.disconnect(id))).toMatchObject({
      status: 'disconnected',
    });
  });

  it('a process can stop while a connection never opens, and one that opens late is closed', async () => {
    const gateway = scriptedGateway({ opened: silence });
    const open = gateway.open.bind(gateway);
    let late: () => void = () => {};
    gateway.open = async (session, listener) => {
      await new Promise<void>((resolve) => (late = resolve));
      return open(session, listener);
    };
    const harness = await startHarness({ gateway });
    await connectScripted(harness);
    await after(harness, 60 * SECOND, harness.trunkline.stop());
    late();
    await harness.clock.settle();
    expect(gateway.last().state).toBe('closed');
  });

  it('leases are renewed while connections whose leases were lost do not close', async () => {
    const gateway = scriptedGateway({ close: silence });
    const harness = await startHarness({ gateway });
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await connectScripted(harness));
    const { leases } = harness.storage;
    const renewLeases = leases.renew.bind(leases);
    leases.renew = async (renewal) => (await renewLeases(renewal)).slice(0, 1);
    await harness.clock.advance(10 * SECOND);
    leases.renew = renewLeases;
    await harness.clock.advance(5 * 60 * SECOND);
    const [kept = ''] = ids;
    expect(
      gateway.connections.filter(({ session }) => session.instanceId === kept).map(({ state }) => state),
    ).toEqual(['open']);
  });
});
