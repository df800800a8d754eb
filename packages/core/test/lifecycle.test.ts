import { describe, expect, it } from 'vitest';
import { silence } from './support/scripted-gateway.ts';
import {
  SECOND,
  connectInstance,
  listen,
  sendText,
  startHarness,
  receivedEvents,
} from './support/harness.ts';

describe('a Trunkline that is started again', () => {
  it('sends, receives and notifies as before', async () => {
    const handled: string[] = [];
    const harness = await startHarness({
      prepare: (trunkline) =>
        trunkline.on('message.sent', ({ id }) => void handled.push(id), { name: 'counted' }),
    });
    await listen(harness);
    const id = await connectInstance(harness);
    await harness.trunkline.stop();
    await harness.trunkline.start();
    const { message } = await sendText(harness, id);
    await harness.clock.advance(5 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(receivedEvents(harness).map(({ type }) => type)).toContain('message.read');
    expect(handled).toHaveLength(1);
  });

  it('can be stopped and started many times', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    for (let times = 0; times < 5; times += 1) {
      await harness.trunkline.stop();
      await harness.trunkline.stop();
      await harness.trunkline.start();
    }
    const { message } = await sendText(harness, id);
    await harness.clock.advance(5 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
  });
});

describe('starts and stops that come together', () => {
  it('are carried out in turn', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const { trunkline } = harness;
    await Promise.all([trunkline.stop(), trunkline.start(), trunkline.stop(), trunkline.start()]);
    const { message } = await sendText(harness, id);
    await harness.clock.advance(5 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
  });

  it('are one start, and an error that says so', async () => {
    const { trunkline } = await startHarness();
    await expect(trunkline.start()).rejects.toThrow('already started');
    await trunkline.stop();
    const [first, second] = await Promise.allSettled([trunkline.start(), trunkline.start()]);
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a stop', () => {
  it('does not wait longer than its time for a webhook request that never ends', async () => {
    const harness = await startHarness({ stopTimeoutMs: 10 * SECOND });
    harness.sender.respond(silence);
    await harness.api.webhooks.test((await listen(harness)).id);
    await harness.clock.settle();
    expect(harness.sender.requests).toHaveLength(1);
    let isStopped = false;
    const stopping = harness.trunkline.stop().then(() => (isStopped = true));
    await harness.clock.advance(10 * SECOND - 1);
    expect(isStopped).toBe(false);
    await harness.clock.advance(1);
    expect(isStopped).toBe(true);
    await stopping;
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('not all work in flight ended'),
      }),
    );
  });

  it('does not wait for a database that does not close', async () => {
    const harness = await startHarness();
    const { trunkline } = await harness.another({ storage: { ...harness.storage, close: silence } });
    let isStopped = false;
    const stopping = trunkline.stop().then(() => (isStopped = true));
    await harness.clock.advance(3 * SECOND);
    expect(isStopped).toBe(true);
    await stopping;
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('the database did not close in time'),
      }),
    );
  });
});

it.each([0, -1, 1.5, Number.NaN, '25'])('a stopTimeoutMs of %s is refused by its name', async (wrong) => {
  const options = { stopTimeoutMs: wrong as number }; // as JavaScript may pass it
  await expect(startHarness(options)).rejects.toThrow('stopTimeoutMs');
});

describe('a block that declares a Trunkline with await using', () => {
  it('stops it at its end', async () => {
    const { trunkline, workspaceId } = await startHarness();
    {
      await using declared = trunkline;
      expect(await declared.admin.workspaces.find(workspaceId)).toMatchObject({ name: 'Acme' });
    }
    await expect(trunkline.admin.workspaces.find(workspaceId)).rejects.toThrow('is stopped');
  });
});
