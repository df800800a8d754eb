import { describe, expect, it } from 'vitest';
import { TAKEN } from '../src/testing/index.ts';
import type { Storage } from '../src/index.ts';
import { completingAlone } from './support/completing-alone.ts';
import { MINUTE, SECOND, listen, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const FULL = new Error('database or disk is full');
const linesOf = ({ logs }: Harness, text: string): Harness['logs'] =>
  logs.filter(({ level, message }) => level !== 'debug' && message.includes(text));

type Complete = Storage['deliveries']['complete'];

/** A harness with one due delivery, whose outcome is stored by the given `complete` until `restore` is called. */
async function oneDelivery(complete: (works: Complete) => Complete) {
  const storage = completingAlone(memoryStorage());
  const harness = await startHarness({ storage });
  harness.sender.respond(() => TAKEN);
  const works = storage.deliveries.complete.bind(storage.deliveries);
  storage.deliveries.complete = complete(works);
  const { id } = await listen(harness);
  const delivery = await harness.api.webhooks.test(id);
  const restore = (): void => {
    storage.deliveries.complete = works;
  };
  return { harness, delivery, restore };
}

describe('a webhook whose outcome cannot be recorded', () => {
  it('is sent once, however long that lasts, and then recorded with its outcome', async () => {
    const { harness, delivery, restore } = await oneDelivery(() => () => Promise.reject(FULL));
    await harness.clock.advance(10 * MINUTE);
    expect(harness.sender.requests).toHaveLength(1);
    restore();
    await harness.clock.advance(2 * MINUTE);
    const recorded = await harness.api.deliveries.get(delivery.id);
    expect(recorded).toMatchObject({ status: 'success', attempts: 1 });
    expect(recorded.attempt_log).toMatchObject([{ response_status: 200, error_code: null }]);
    expect(harness.sender.requests).toHaveLength(1);
  });

  it('is logged immediately, and then once a minute', async () => {
    const { harness } = await oneDelivery(() => () => Promise.reject(FULL));
    await harness.clock.settle();
    expect(linesOf(harness, 'the outcome of a webhook attempt could not be recorded')).toHaveLength(1);
    await harness.clock.advance(10 * MINUTE);
    const lines = linesOf(harness, 'the outcome of a webhook attempt could not be recorded');
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.length).toBeLessThan(13);
  });

  it('is sent once and logged if the claim counts as lost', async () => {
    const { harness } = await oneDelivery(() => async () => 0);
    await harness.clock.advance(10 * MINUTE);
    expect(harness.sender.requests).toHaveLength(1);
    const lines = linesOf(harness, 'the claim of a webhook delivery was lost');
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.length).toBeLessThan(13);
  });

  it('does not count as a lost claim if it was erased meanwhile', async () => {
    const { harness, delivery } = await oneDelivery((works) => works);
    const { id: webhook } = await listen(harness, 'https://hooks.example.com/erased');
    harness.sender.respond(async ({ body }) => {
      const { id } = JSON.parse(body) as { id: string }; // the body is an event
      await harness.storage.erasure.deleteEvents(harness.workspaceId, [id]);
      return TAKEN;
    });
    const erased = await harness.api.webhooks.test(webhook);
    await harness.clock.advance(MINUTE);
    expect(harness.sender.requests).toHaveLength(2);
    expect(erased.id).not.toBe(delivery.id);
    await expect(harness.api.deliveries.get(erased.id)).rejects.toThrow();
    expect(linesOf(harness, 'the claim of a webhook delivery was lost')).toEqual([]);
  });

  it('is not sent again because the answer of the database was lost', async () => {
    const { harness, delivery } = await oneDelivery((works) => async (completions, now) => {
      await works(completions, now);
      throw FULL;
    });
    await harness.clock.advance(5 * MINUTE);
    expect(harness.sender.requests).toHaveLength(1);
    expect(await harness.api.deliveries.get(delivery.id)).toMatchObject({ status: 'success', attempts: 1 });
    expect(linesOf(harness, 'the claim of a webhook delivery was lost')).toEqual([]);
  });

  it('is named at a stop', async () => {
    const { harness } = await oneDelivery(() => () => Promise.reject(FULL));
    await harness.clock.advance(SECOND);
    const stopped = harness.trunkline.stop();
    await harness.clock.advance(2 * SECOND);
    await stopped;
    expect(linesOf(harness, 'could not be recorded before the stop')).toMatchObject([
      { facts: { count: 1 } },
    ]);
  });
});

describe('an event whose outcome cannot be recorded', () => {
  async function oneEvent(complete: Storage['subscriptions']['complete']) {
    const storage = memoryStorage();
    const works = storage.subscriptions.complete.bind(storage.subscriptions);
    storage.subscriptions.complete = complete;
    const handled: string[] = [];
    const harness = await startHarness({
      storage,
      prepare: (trunkline) =>
        trunkline.on('instance.error', ({ id }) => void handled.push(id), { name: 'alarms' }),
    });
    const gateway = harness.sandbox;
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(SECOND);
    await gateway.phone(id).scan();
    await gateway.phone(id).fail();
    await harness.clock.settle();
    const restore = (): void => {
      storage.subscriptions.complete = works;
    };
    return { harness, handled, restore };
  }

  it('is handled once, and then recorded', async () => {
    const { harness, handled, restore } = await oneEvent(() => Promise.reject(FULL));
    await harness.clock.advance(10 * MINUTE);
    expect(handled).toEqual([expect.any(String)]);
    restore();
    await harness.clock.advance(3 * MINUTE);
    expect(await harness.trunkline.admin.subscriptions.list()).toMatchObject([{ waiting: 0, exhausted: 0 }]);
    expect(handled).toHaveLength(1);
    expect(linesOf(harness, 'the outcome of an event could not be recorded').length).toBeLessThan(13);
  });

  it('is handled once and logged if the claim counts as lost', async () => {
    const { harness, handled } = await oneEvent(async () => 0);
    await harness.clock.advance(10 * MINUTE);
    expect(handled).toHaveLength(1);
    expect(linesOf(harness, 'the claim of an event was lost').length).toBeGreaterThan(3);
  });

  it('is told apart at a stop from a handler that still runs', async () => {
    const { harness } = await oneEvent(() => Promise.reject(FULL));
    const stopped = harness.trunkline.stop();
    await harness.clock.advance(20 * SECOND);
    await stopped;
    expect(linesOf(harness, 'handlers of events still run')).toEqual([]);
    expect(linesOf(harness, 'outcomes of events could not be recorded')).toMatchObject([
      { facts: { count: 1 } },
    ]);
  });
});
