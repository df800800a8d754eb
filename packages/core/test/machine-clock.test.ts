import { describe, expect, it } from 'vitest';
import { REFUSED, memoryStorage } from '../src/testing/index.ts';
import { recordingHandler, startEventWorld } from './support/events.ts';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import { mortal } from './support/mortal.ts';
import {
  HOUR,
  MINUTE,
  SECOND,
  connectScripted,
  connected,
  listen,
  sendText,
  startWorld,
  told,
  toldTypes,
} from './support/world.ts';
import type { World } from './support/world.ts';

const statusOf = async (world: World, id: string): Promise<string> =>
  (await world.api.messages.get(id)).status;

const opened = ({ connections }: ReturnType<typeof scriptedGateway>): number =>
  connections.filter(({ state }) => state === 'open').length;

it("a machine's clock that is set back by six minutes is caught up with in two hours", async () => {
  const { world, id } = await connected();
  world.clock.jump(-6 * MINUTE);
  await world.clock.advance(HOUR);
  const { message } = await sendText(world, id);
  expect(Date.parse(message.created_at)).toBe(world.clock.now() + 3 * MINUTE);
  await world.clock.advance(HOUR);
  const later = await sendText(world, id);
  expect(Date.parse(later.message.created_at)).toBe(world.clock.now());
});

describe("a machine's clock that is set back by an hour", () => {
  it('keeps nobody waiting in a process that runs', async () => {
    const gateway = scriptedGateway();
    const { world, id } = await connected({ gateway });
    await world.clock.advance(MINUTE);
    world.clock.jump(-HOUR);
    const { message } = await sendText(world, id);
    await world.clock.advance(SECOND);
    expect(await statusOf(world, message.id)).toBe('sent');
    expect(told(world).at(-1)).toMatchObject({ type: 'message.sent' });

    // Leases are renewed, and what drops is opened again.
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await world.clock.advance(2 * SECOND);
    expect(await world.api.instances.get(id)).toMatchObject({ status: 'connected' });
    await world.clock.advance(2 * MINUTE);
    expect(gateway.connections.map(({ state }) => state)).toEqual(['open', 'open']);
    expect(world.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('the clock was set back') }),
    );
  });

  it('does not undo the times that were given out', async () => {
    const { world, id } = await connected();
    const before = await sendText(world, id);
    world.clock.jump(-HOUR);
    const after = await sendText(world, id);
    expect(Date.parse(after.message.created_at)).toBeGreaterThanOrEqual(
      Date.parse(before.message.created_at),
    );
  });

  it('has a message whose outcome is unknown sent again as soon as otherwise', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no answer' }) });
    const { world, id } = await connected({ gateway });
    await sendText(world, id);
    await world.clock.settle();
    world.clock.jump(-HOUR);
    await world.clock.advance(2 * SECOND);
    expect(gateway.sent()).toHaveLength(2);
  });

  it.each([
    ['within the same second', 0],
    ['three seconds later', 3 * SECOND],
  ])('is no reason for a process that starts %s to take what another one holds', async (_, later) => {
    const storage = memoryStorage();
    const first = scriptedGateway();
    const world = await startWorld({ storage, gateway: first });
    const id = await connectScripted(world);
    world.clock.jump(-HOUR);
    await world.clock.advance(later);
    const second = scriptedGateway();
    const { api } = await world.another({ gateway: second });
    const { message } = await api.messages.send({
      instance: id,
      to: '34600000009',
      type: 'text',
      text: 'Hi',
    });
    await world.clock.advance(SECOND);
    expect(await statusOf(world, message.id)).toBe('sent');
    await world.clock.advance(9 * SECOND);
    expect([opened(first), second.connections.length]).toEqual([1, 0]);
    expect(world.logs.filter(({ message: line }) => line === 'the lease on an instance was lost')).toEqual(
      [],
    );
  });
});

describe('a process that starts after the clock was set back by an hour', () => {
  /** Kills a process that holds an instance, sets the clock back, and starts another one. */
  async function restarted(options: Parameters<typeof startWorld>[0] = {}) {
    const storage = memoryStorage();
    const process = mortal(storage);
    const world = await startWorld({ gateway: scriptedGateway(), ...options, storage: process.storage });
    await listen(world);
    const id = await connectScripted(world);
    const { message } = await sendText(world, id);
    await world.clock.advance(2 * SECOND);
    process.kill();
    world.clock.jump(-HOUR);
    const gateway = scriptedGateway();
    const second = await world.another({ storage, gateway });
    return { world, id, message, gateway, ...second };
  }

  async function toBeKilled() {
    const storage = memoryStorage();
    const process = mortal(storage);
    const world = await startWorld({ gateway: scriptedGateway(), storage: process.storage });
    return { world, storage, process };
  }

  it('connects what one that was killed held, and sends', async () => {
    const { world, id, api, gateway, sender } = await restarted();
    await world.clock.advance(2 * SECOND);
    expect(gateway.connections).toHaveLength(1);
    const { message } = await api.messages.send({
      instance: id,
      to: '34600000009',
      type: 'text',
      text: 'Hi',
    });
    await world.clock.advance(SECOND);
    expect(await api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(toldTypes({ sender })).toEqual(['message.sent']);
    // By the clock again, which no process that runs is ahead of.
    expect(Date.parse(message.created_at)).toBe(world.clock.now() - SECOND);
  });

  it('sends what was to be sent again', async () => {
    const unknown = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no answer' }) });
    const { world, api, message } = await restarted({ gateway: unknown });
    await world.clock.advance(5 * SECOND);
    expect(await api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('delivers what was queued for a webhook, and retries what failed on its schedule', async () => {
    const { world, storage, process } = await toBeKilled();
    const { id: webhookId } = await listen(world);
    const id = await connectScripted(world);
    world.sender.answer(() => REFUSED);
    await sendText(world, id);
    await world.clock.advance(2 * SECOND);
    // Beyond what a window allows: it is queued and not attempted.
    world.sender.answer(() => new Promise<never>(() => undefined));
    for (let sent = 0; sent < 3; sent += 1) await sendText(world, id);
    await world.clock.advance(2 * SECOND);
    process.kill();
    world.clock.jump(-HOUR);
    const { api, sender } = await world.another({ storage, gateway: scriptedGateway() });
    await world.clock.advance(SECOND);
    const { data: waiting } = await api.webhooks.deliveries(webhookId, { status: 'retrying' });
    expect(waiting.length).toBeGreaterThan(0);
    for (const { next_retry_at } of waiting)
      expect(Date.parse(next_retry_at ?? '')).toBeLessThanOrEqual(world.clock.now() + MINUTE);
    await world.clock.advance(2 * MINUTE);
    expect(told({ sender }).filter(({ type }) => type === 'message.sent')).toHaveLength(4);
  });

  it('hands queued events to their handlers', async () => {
    const storage = memoryStorage();
    const process = mortal(storage);
    const { world, arrive } = await startEventWorld({ storage: process.storage });
    const failing = recordingHandler(world.clock, () => Promise.reject(new Error('no')));
    await failing.on(world.trunkline, { concurrency: 1 }).registered;
    await arrive();
    const hanging = recordingHandler(world.clock, () => new Promise(() => undefined));
    await hanging.on(world.trunkline, { name: 'slow', concurrency: 1 }).registered;
    await arrive();
    await arrive();
    process.kill();
    world.clock.jump(-HOUR);
    const again = recordingHandler(world.clock);
    const slow = recordingHandler(world.clock);
    await world.another({
      storage,
      gateway: scriptedGateway(),
      prepare(trunkline) {
        again.on(trunkline);
        slow.on(trunkline, { name: 'slow' });
      },
    });
    await world.clock.advance(SECOND);
    // One is held by the process that was killed.
    expect(slow.calls).toHaveLength(1);
    await world.clock.advance(MINUTE);
    expect(slow.calls).toHaveLength(2);
    expect(again.calls).toHaveLength(3);
  });

  it('reports a connection that does not come back after 30 s', async () => {
    const storage = memoryStorage();
    const process = mortal(storage);
    const gateway = scriptedGateway();
    const world = await startWorld({ gateway, storage: process.storage });
    const id = await connectScripted(world);
    gateway.script.opened = silence;
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    process.kill();
    world.clock.jump(-HOUR);
    const { api } = await world.another({ storage, gateway: scriptedGateway({ opened: silence }) });
    await world.clock.advance(25 * SECOND);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connecting' });
    await world.clock.advance(10 * SECOND);
    expect(await api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });
});

describe("a machine's clock that is set forward by an hour", () => {
  it('is followed, and keeps nobody waiting', async () => {
    const gateway = scriptedGateway();
    const { world, id } = await connected({ gateway });
    world.clock.jump(HOUR);
    const { message } = await sendText(world, id);
    expect(Date.parse(message.created_at)).toBe(world.clock.now());
    await world.clock.advance(5 * SECOND);
    expect(await statusOf(world, message.id)).toBe('sent');
  });
});
