import { describe, expect, it } from 'vitest';

import {
  HOUR,
  SECOND,
  connectInstance,
  listen,
  only,
  sendText,
  startHarness,
  receivedTypes,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const stops = {
  'is suspended': {
    stop: ({ trunkline, workspaceId }: Harness) => trunkline.admin.workspaces.suspend(workspaceId),
    goOn: ({ trunkline, workspaceId }: Harness) => trunkline.admin.workspaces.resume(workspaceId),
    code: 'WORKSPACE_SUSPENDED',
  },
  'has lost its subscription': {
    stop: ({ trunkline, workspaceId }: Harness) =>
      trunkline.admin.workspaces.setPlan(workspaceId, { subscription: 'none' }),
    goOn: ({ trunkline, workspaceId }: Harness) =>
      trunkline.admin.workspaces.setPlan(workspaceId, { subscription: 'active' }),
    code: 'SUBSCRIPTION_REQUIRED',
  },
} as const;

describe.each(Object.entries(stops))('a workspace that %s', (_, { stop, goOn, code }) => {
  it('keeps its connections, stores what arrives, and sends and delivers nothing until it resumes', async () => {
    const harness = await startHarness();
    await listen(harness);
    const id = await connectInstance(harness);
    await harness.clock.settle();
    // Drop the connection first, so that the message has not been sent when the workspace's work is postponed.
    await harness.sandbox.phone(id).drop();
    const { message } = await sendText(harness, id);
    await stop(harness);
    await harness.clock.advance(5 * SECOND);
    const before = harness.sender.requests.length;
    await harness.sandbox.phone(id).receive({ from: '34600000009', text: 'Anyone home?' });
    await harness.clock.advance(HOUR);

    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'queued', failed_at: null });
    expect((await harness.api.messages.list({ direction: 'inbound' })).data).toHaveLength(1);
    expect(harness.sender.requests).toHaveLength(before);
    await expect(sendText(harness, id)).rejects.toMatchObject({ code });

    await goOn(harness);
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(receivedTypes(harness)).toEqual(
      expect.arrayContaining(['message.received', 'message.sent', 'message.delivered', 'message.read']),
    );
  });

  it('resumes within 5 s in a process that no signal reaches', async () => {
    const harness = await startHarness({ roles: only('api') });
    const unresponsive = { ...harness.storage, subscribe: () => () => {} };
    const other = await harness.another({ storage: unresponsive });
    await listen(harness);
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(20 * SECOND);
    await harness.sandbox.phone(id).scan();
    await harness.clock.advance(10 * SECOND);
    await sendText(harness, id);
    await stop(harness);
    await harness.clock.advance(HOUR);
    const before = other.sender.requests.length;
    await goOn(harness);
    await harness.clock.advance(5 * SECOND + 200);
    expect((await harness.api.messages.list()).data).toMatchObject([{ status: 'read' }]);
    await harness.clock.advance(5 * SECOND);
    expect(other.sender.requests.length).toBeGreaterThan(before);
  });
});

describe('a send in process', () => {
  it('is refused before any other check if the workspace is suspended, even as a replay', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const send = () =>
      harness.api.messages.send(
        { instance: id, to: '34600000009', type: 'text', text: 'Hi' },
        { idempotencyKey: 'order-1' },
      );
    await send();
    await harness.trunkline.admin.workspaces.suspend(harness.workspaceId);
    await expect(send()).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED', status: 403 });
    await expect(sendText(harness, 'ins_unknown')).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED' });
  });
});
