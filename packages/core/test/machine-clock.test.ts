import { describe, expect, it } from 'vitest';
import { REFUSED } from '../src/testing/index.ts';
import { recordingHandler, startEventHarness } from './support/events.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import { killable } from './support/killable.ts';
import {
  HOUR,
  MINUTE,
  SECOND,
  connectScripted,
  connected,
  listen,
  sendText,
  startHarness,
  receivedEvents,
  receivedTypes,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const statusOf = async (harness: Harness, id: string): Promise<string> =>
  (await harness.api.messages.get(id)).status;

const opened = ({ connections }: ReturnType<typeof scriptedGateway>): number =>
  connections.filter(({ state }) => state === 'open').length;

it("a machine's clock that is set back by six minutes is caught up with in two hours", async () => {
  const { harness, id } = await connected();
  harness.clock.jump(-6 * MINUTE);
  await harness.clock.advance(HOUR);
  const { message } = await sendText(harness, id);
  expect(Date.parse(message.created_at)).toBe(harness.clock.now() + 3 * MINUTE);
  await harness.clock.advance(HOUR);
  const later = await sendText(harness, id);
  expect(Date.parse(later.message.created_at)).toBe(harness.clock.now());
});

describe("a machine's clock that is set back by an hour", () => {
  it('delays nothing in a running process', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    await harness.clock.advance(MINUTE);
    harness.clock.jump(-HOUR);
    const { message } = await sendText(harness, id);
    await harness.clock.advance(SECOND);
    expect(await statusOf(harness, message.id)).toBe('sent');
    expect(receivedEvents(harness).at(-1)).toMatchObject({ type: 'message.sent' });

    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(2 * SECOND);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
    await harness.clock.advance(2 * MINUTE);
    expect(gateway.connections.map(({ state }) => state)).toEqual(['open', 'open']);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('the clock was set back') }),
    );
  });

  it('does not undo the times that were given out', async () => {
    const { harness, id } = await connected();
    const before = await sendText(harness, id);
    harness.clock.jump(-HOUR);
    const after = await sendText(harness, id);
    expect(Date.parse(after.message.created_at)).toBeGreaterThanOrEqual(
      Date.parse(before.message.created_at),
    );
  });

  it('has a message whose outcome is unknown sent again as soon as otherwise', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no response' }) });
    const { harness, id } = await connected({ gateway });
    await sendText(harness, id);
    await harness.clock.settle();
    harness.clock.jump(-HOUR);
    await harness.clock.advance(2 * SECOND);
    expect(gateway.sent()).toHaveLength(2);
  });

  it.each([
    ['within the same second', 0],
    ['three seconds later', 3 * SECOND],
  ])('is no reason for a process that starts %s to take what another one holds', async (_, later) => {
    const storage = memoryStorage();
    const first = scriptedGateway();
    const harness = await startHarness({ storage, gateway: first });
    const id = await connectScripted(harness);
    harness.clock.jump(-HOUR);
    await harness.clock.advance(later);
    const second = scriptedGateway();
    const { api } = await harness.another({ gateway: second });
    const { message } = await api.messages.send({
      instance: id,
      to: '34600000009',
      type: 'text',
      text: 'Hi',
    });
    await harness.clock.advance(SECOND);
    expect(await statusOf(harness, message.id)).toBe('sent');
    await harness.clock.advance(9 * SECOND);
    expect([opened(first), second.connections.length]).toEqual([1, 0]);
    expect(
      harness.logs.filter(({ message: line }) => line.includes('the lease on an instance was lost')),
    ).toEqual([]);
  });
});

describe('a process that starts after the clock was set back by an hour', () => {
  /** Kills a process that holds an instance, sets the clock back, and starts another process. */
  async function restarted(options: Parameters<typeof startHarness>[0] = {}) {
    const storage = memoryStorage();
    const process = killable(storage);
    const harness = await startHarness({ gateway: scriptedGateway(), ...options, storage: process.storage });
    await listen(harness);
    const id = await connectScripted(harness);
    const { message } = await sendText(harness, id);
    await harness.clock.advance(2 * SECOND);
    process.kill();
    harness.clock.jump(-HOUR);
    const gateway = scriptedGateway();
    const second = await harness.another({ storage, gateway });
    return { harness, id, message, gateway, ...second };
  }

  async function toBeKilled() {
    const storage = memoryStorage();
    const process = killable(storage);
    const harness = await startHarness({ gateway: scriptedGateway(), storage: process.storage });
    return { harness, storage, process };
  }

  it('connects the instances of a killed process, and sends', async () => {
    const { harness, id, api, gateway, sender } = await restarted();
    await harness.clock.advance(2 * SECOND);
    expect(gateway.connections).toHaveLength(1);
    const { message } = await api.messages.send({
      instance: id,
      to: '34600000009',
      type: 'text',
      text: 'Hi',
    });
    await harness.clock.advance(SECOND);
    expect(await api.messages.get(message.id)).toMatchObject({ status: 'sent' });
    expect(receivedTypes({ sender })).toEqual(['message.sent']);
    // The service follows the clock again, since no running process is ahead of the clock.
    expect(Date.parse(message.created_at)).toBe(harness.clock.now() - SECOND);
  });

  it('sends messages that were to be sent again', async () => {
    const unknown = scriptedGateway({ send: async () => ({ kind: 'unknown', reason: 'no response' }) });
    const { harness, api, message } = await restarted({ gateway: unknown });
    await harness.clock.advance(5 * SECOND);
    expect(await api.messages.get(message.id)).toMatchObject({ status: 'sent' });
  });

  it('delivers queued webhooks, and retries failed ones on schedule', async () => {
    const { harness, storage, process } = await toBeKilled();
    const { id: webhookId } = await listen(harness);
    const id = await connectScripted(harness);
    harness.sender.respond(() => REFUSED);
    await sendText(harness, id);
    await harness.clock.advance(2 * SECOND);
    // One more delivery than the endpoint has slots, so the last is queued and not attempted.
    harness.sender.respond(() => new Promise<never>(() => undefined));
    for (let sent = 0; sent < 3; sent += 1) await sendText(harness, id);
    await harness.clock.advance(2 * SECOND);
    process.kill();
    harness.clock.jump(-HOUR);
    const { api, sender } = await harness.another({ storage, gateway: scriptedGateway() });
    await harness.clock.advance(SECOND);
    const { data: waiting } = await api.webhooks.deliveries(webhookId, { status: 'retrying' });
    expect(waiting.length).toBeGreaterThan(0);
    for (const { next_retry_at } of waiting)
      expect(Date.parse(next_retry_at ?? '')).toBeLessThanOrEqual(harness.clock.now() + MINUTE);
    await harness.clock.advance(2 * MINUTE);
    expect(receivedEvents({ sender }).filter(({ type }) => type === 'message.sent')).toHaveLength(4);
  });

  it('hands queued events to their handlers', async () => {
    const storage = memoryStorage();
    const process = killable(storage);
    const { harness, arrive } = await startEventHarness({ storage: process.storage });
    const failing = recordingHandler(harness.clock, () => Promise.reject(new Error('no')));
    await failing.on(harness.trunkline, { concurrency: 1 }).registered;
    await arrive();
    const hanging = recordingHandler(harness.clock, () => new Promise(() => undefined));
    await hanging.on(harness.trunkline, { name: 'slow', concurrency: 1 }).registered;
    await arrive();
    await arrive();
    process.kill();
    harness.clock.jump(-HOUR);
    const again = recordingHandler(harness.clock);
    const slow = recordingHandler(harness.clock);
    await harness.another({
      storage,
      gateway: scriptedGateway(),
      prepare(trunkline) {
        again.on(trunkline);
        slow.on(trunkline, { name: 'slow' });
      },
    });
    await harness.clock.advance(SECOND);
    // The killed process still holds a claim on the other event.
    expect(slow.calls).toHaveLength(1);
    await harness.clock.advance(MINUTE);
    expect(slow.calls).toHaveLength(2);
    expect(again.calls).toHaveLength(3);
  });

  it('reports a connection that does not come back after 30 s', async () => {
    const storage = memoryStorage();
    const process = killable(storage);
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway, storage: process.storage });
    const id = await connectScripted(harness);
    gateway.script.opened = silence;
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    process.kill();
    harness.clock.jump(-HOUR);
    const { api } = await harness.another({ storage, gateway: scriptedGateway({ opened: silence }) });
    await harness.clock.advance(25 * SECOND);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connecting' });
    await harness.clock.advance(10 * SECOND);
    expect(await api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });
});

describe("a machine's clock that is set forward by an hour", () => {
  it('is followed, and delays nothing', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    harness.clock.jump(HOUR);
    const { message } = await sendText(harness, id);
    expect(Date.parse(message.created_at)).toBe(harness.clock.now());
    await harness.clock.advance(5 * SECOND);
    expect(await statusOf(harness, message.id)).toBe('sent');
  });
});
