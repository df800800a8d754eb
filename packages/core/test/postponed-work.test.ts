import { describe, expect, it } from 'vitest';

import {
  HOUR,
  SECOND,
  connectInstance,
  listen,
  only,
  sendText,
  startWorld,
  toldTypes,
} from './support/world.ts';
import type { World } from './support/world.ts';

const stops = {
  'is suspended': {
    stop: ({ trunkline, workspaceId }: World) => trunkline.admin.workspaces.suspend(workspaceId),
    goOn: ({ trunkline, workspaceId }: World) => trunkline.admin.workspaces.resume(workspaceId),
    code: 'WORKSPACE_SUSPENDED',
  },
  'has lost its subscription': {
    stop: ({ trunkline, workspaceId }: World) =>
      trunkline.admin.workspaces.setPlan(workspaceId, { subscription: 'none' }),
    goOn: ({ trunkline, workspaceId }: World) =>
      trunkline.admin.workspaces.setPlan(workspaceId, { subscription: 'active' }),
    code: 'SUBSCRIPTION_REQUIRED',
  },
} as const;

describe.each(Object.entries(stops))('a workspace that %s', (_, { stop, goOn, code }) => {
  it('keeps its connections, stores what arrives, and sends and delivers nothing until it goes on', async () => {
    const world = await startWorld();
    await listen(world);
    const id = await connectInstance(world);
    await world.clock.settle();
    // Queued while the number reconnects: the network has not seen it when the workspace stops.
    await world.sandbox.phone(id).drop();
    const { message } = await sendText(world, id);
    await stop(world);
    await world.clock.advance(5 * SECOND);
    const before = world.sender.requests.length;
    await world.sandbox.phone(id).receive({ from: '34600000009', text: 'Anyone home?' });
    await world.clock.advance(HOUR);

    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'queued', failed_at: null });
    expect((await world.api.messages.list({ direction: 'inbound' })).data).toHaveLength(1);
    expect(world.sender.requests).toHaveLength(before);
    await expect(sendText(world, id)).rejects.toMatchObject({ code });

    await goOn(world);
    await world.clock.advance(SECOND);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(toldTypes(world)).toEqual(
      expect.arrayContaining(['message.received', 'message.sent', 'message.delivered', 'message.read']),
    );
  });

  it('goes on within 5 s in a process that no signal reaches', async () => {
    const world = await startWorld({ roles: only('api') });
    const deaf = { ...world.storage, subscribe: () => () => {} };
    const other = await world.another({ storage: deaf });
    await listen(world);
    const { id } = await world.api.instances.create();
    await world.api.instances.connect(id);
    await world.clock.advance(20 * SECOND);
    await world.sandbox.phone(id).scan();
    await world.clock.advance(10 * SECOND);
    await sendText(world, id);
    await stop(world);
    await world.clock.advance(HOUR);
    const before = other.sender.requests.length;
    await goOn(world);
    await world.clock.advance(5 * SECOND + 200);
    expect((await world.api.messages.list()).data).toMatchObject([{ status: 'read' }]);
    await world.clock.advance(5 * SECOND);
    expect(other.sender.requests.length).toBeGreaterThan(before);
  });
});

describe('a send in process', () => {
  it('of a suspended workspace is refused before everything else about it, a replay too', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    const send = () =>
      world.api.messages.send(
        { instance: id, to: '34600000009', type: 'text', text: 'Hi' },
        { idempotencyKey: 'order-1' },
      );
    await send();
    await world.trunkline.admin.workspaces.suspend(world.workspaceId);
    await expect(send()).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED', status: 403 });
    await expect(sendText(world, 'ins_unknown')).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED' });
  });
});
