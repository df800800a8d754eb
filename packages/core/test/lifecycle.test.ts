import { describe, expect, it } from 'vitest';
import { silence } from './support/scripted-gateway.ts';
import { SECOND, connectInstance, listen, sendText, startWorld, told } from './support/world.ts';

describe('a Trunkline that is started again', () => {
  it('sends, receives and notifies as before', async () => {
    const handled: string[] = [];
    const world = await startWorld({
      prepare: (trunkline) =>
        trunkline.on('message.sent', ({ id }) => void handled.push(id), { name: 'counted' }),
    });
    await listen(world);
    const id = await connectInstance(world);
    await world.trunkline.stop();
    await world.trunkline.start();
    const { message } = await sendText(world, id);
    await world.clock.advance(5 * SECOND);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(told(world).map(({ type }) => type)).toContain('message.read');
    expect(handled).toHaveLength(1);
  });

  it('can be stopped and started many times', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    for (let times = 0; times < 5; times += 1) {
      await world.trunkline.stop();
      await world.trunkline.stop();
      await world.trunkline.start();
    }
    const { message } = await sendText(world, id);
    await world.clock.advance(5 * SECOND);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'read' });
  });
});

describe('starts and stops that come together', () => {
  it('are carried out in turn', async () => {
    const world = await startWorld();
    const id = await connectInstance(world);
    const { trunkline } = world;
    await Promise.all([trunkline.stop(), trunkline.start(), trunkline.stop(), trunkline.start()]);
    const { message } = await sendText(world, id);
    await world.clock.advance(5 * SECOND);
    expect(await world.api.messages.get(message.id)).toMatchObject({ status: 'read' });
  });

  it('are one start, and an error that says so', async () => {
    const { trunkline } = await startWorld();
    await expect(trunkline.start()).rejects.toThrow('already started');
    await trunkline.stop();
    const [first, second] = await Promise.allSettled([trunkline.start(), trunkline.start()]);
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a stop', () => {
  it('does not wait longer than its time for a webhook request that never ends', async () => {
    const world = await startWorld({ stopTimeoutMs: 10 * SECOND });
    world.sender.answer(silence);
    await world.api.webhooks.test((await listen(world)).id);
    await world.clock.settle();
    expect(world.sender.requests).toHaveLength(1);
    let isStopped = false;
    const stopping = world.trunkline.stop().then(() => (isStopped = true));
    await world.clock.advance(10 * SECOND - 1);
    expect(isStopped).toBe(false);
    await world.clock.advance(1);
    expect(isStopped).toBe(true);
    await stopping;
    expect(world.logs).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('Not all work in flight ended'),
      }),
    );
  });

  it('does not wait for a database that does not close', async () => {
    const world = await startWorld();
    const { trunkline } = await world.another({ storage: { ...world.storage, close: silence } });
    let isStopped = false;
    const stopping = trunkline.stop().then(() => (isStopped = true));
    await world.clock.advance(3 * SECOND);
    expect(isStopped).toBe(true);
    await stopping;
    expect(world.logs).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('The database did not close in time'),
      }),
    );
  });
});

it.each([0, -1, 1.5, Number.NaN, '25'])('a stopTimeoutMs of %s is refused by its name', async (wrong) => {
  const options = { stopTimeoutMs: wrong as number }; // as JavaScript may give it
  await expect(startWorld(options)).rejects.toThrow('stopTimeoutMs');
});
