import { describe, expect, it } from 'vitest';
import { WAITS, recordingHandler, startEventHarness } from './support/events.ts';
import type { Call } from './support/events.ts';
import { killable } from './support/killable.ts';
import { DAY, HOUR, MINUTE, SECOND, jumpAhead, only } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const fail = (): never => {
  throw new Error('no');
};

/** A harness with a handler called `orders`, and one event that the handler was called with. */
async function handling(how: (call: Call) => unknown, options: object = {}) {
  const { harness, arrive } = await startEventHarness();
  const handler = recordingHandler(harness.clock, how);
  const registration = handler.on(harness.trunkline, options);
  await registration.registered;
  await arrive();
  const counts = async () => (await harness.trunkline.admin.subscriptions.list())[0];
  return { harness, arrive, calls: handler.calls, registration, counts };
}

describe('an event that is missing from a damaged database', () => {
  it('is named in the log, and stops no other', async () => {
    const { harness, arrive, calls } = await handling(() => undefined);
    const { subscriptions } = harness.storage;
    const claim = subscriptions.claim.bind(subscriptions);
    subscriptions.claim = async (limits) => {
      subscriptions.claim = claim;
      const result = await claim(limits);
      return result && { ...result, missing: ['evt_damaged'] };
    };
    await arrive();
    expect(calls).toHaveLength(2);
    expect(harness.logs.filter(({ level }) => level === 'error')).toMatchObject([
      {
        facts: { subscription: 'orders', eventId: 'evt_damaged' },
        message: expect.stringMatching(/not in the database/),
      },
    ]);
  });
});

describe('an event whose stored body is damaged', () => {
  const envelope = {
    id: 'evt_1',
    created_at: '2026-01-01T12:00:00.000000Z',
    workspace_id: 'ten_1',
    data: {},
  };

  it.each([
    ['no JSON', '{"id":', /^The stored body of evt_\w+ is not an event \(invalid_json\)/],
    [
      'less than an event',
      '{"type":"message.received"}',
      /^The stored body of evt_\w+ is not an event \(invalid_event\)/,
    ],
    [
      'an event of a type that the handler does not take',
      JSON.stringify({ ...envelope, type: 'message.sent' }),
      /^The event evt_\w+ has the type message\.sent, which this handler/,
    ],
  ])('counts a failed attempt without a call, when the body is %s', async (_, payload, reason) => {
    const { harness, arrive, calls } = await handling(() => undefined);
    const { subscriptions } = harness.storage;
    const claim = subscriptions.claim.bind(subscriptions);
    subscriptions.claim = async (limits) => {
      const result = await claim(limits);
      const damaged = result?.claimed.map((one) => ({ ...one, event: { ...one.event, payload } }));
      return result && { ...result, claimed: damaged ?? [] };
    };
    await arrive();
    expect(calls).toHaveLength(1); // the event from before the damage
    expect(harness.logs.filter(({ level }) => level === 'error')).toMatchObject([
      { facts: { subscription: 'orders', attempt: 1, err: { message: expect.stringMatching(reason) } } },
    ]);
    subscriptions.claim = claim;
    await harness.clock.advance(1 * MINUTE);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});

describe('an event whose handler fails', () => {
  it.each([
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('as it %s, comes again on the schedule of webhooks, then is exhausted', async (_, how) => {
    const { harness, calls, counts } = await handling(how);
    for (const [index, wait] of WAITS.entries()) {
      expect(calls).toHaveLength(index + 1);
      await jumpAhead(harness, wait - 1);
      expect(calls).toHaveLength(index + 1);
      await harness.clock.advance(1);
    }
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(calls.map(({ event }) => event.id)).size).toBe(1);
    expect((calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0)).toBe(44 * HOUR + 36 * MINUTE);
    expect(await counts()).toMatchObject({ waiting: 0, exhausted: 1 });
    await jumpAhead(harness, 25 * HOUR);
    expect(calls).toHaveLength(8);
  });

  it('does not hold up the others', async () => {
    const { calls, arrive } = await handling((call) => (calls.length === 1 ? fail() : call), {
      concurrency: 1,
    });
    await arrive();
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('is tried once more when that is asked for, and handled when it succeeds', async () => {
    let isBroken = true;
    const { harness, calls, counts } = await handling(() => (isBroken ? fail() : null));
    for (const wait of WAITS) await jumpAhead(harness, wait);
    const { retryFailedEvents } = harness.trunkline.admin.subscriptions;
    expect(await retryFailedEvents('orders')).toEqual({ requeued: 1, remaining: 0 });
    await harness.clock.settle();
    expect(calls.at(-1)).toMatchObject({ attempt: 9 });
    expect(await counts()).toMatchObject({ waiting: 0, exhausted: 1 });
    isBroken = false;
    expect(await retryFailedEvents('orders')).toEqual({ requeued: 1, remaining: 0 });
    await harness.clock.settle();
    expect(calls).toHaveLength(10);
    expect(await counts()).toMatchObject({ waiting: 0, exhausted: 0 });
  });

  it('is kept for 30 days, and then deleted with its event', async () => {
    const { harness, counts } = await handling(fail);
    for (const wait of WAITS) await jumpAhead(harness, wait);
    await jumpAhead(harness, 28 * DAY);
    expect(await counts()).toMatchObject({ exhausted: 1 });
    await jumpAhead(harness, DAY);
    expect(await counts()).toMatchObject({ exhausted: 0 });
    expect(await harness.storage.retention.deleteHistory(harness.clock.now(), 10)).toBe(0);
  });
});

describe('a handler that takes long', () => {
  it('keeps its event: no other process gets it meanwhile', async () => {
    const gate = Promise.withResolvers<void>();
    const { harness, calls, counts } = await handling(() => gate.promise, { timeoutMs: 2 * HOUR });
    const other = recordingHandler(harness.clock);
    await harness.another({ roles: only(), prepare: (trunkline) => void other.on(trunkline) });
    await harness.clock.advance(HOUR);
    gate.resolve();
    await harness.clock.settle();
    expect(calls).toHaveLength(1);
    expect(other.calls).toEqual([]);
    expect(await counts()).toMatchObject({ waiting: 0, exhausted: 0 });
  });

  it('has failed when its time is over, and its signal aborts', async () => {
    const { harness, calls, counts } = await handling(() => new Promise(() => {}), {
      timeoutMs: 30 * SECOND,
    });
    await harness.clock.advance(30 * SECOND - 1);
    expect(calls[0]?.signal.aborted).toBe(false);
    await harness.clock.advance(1);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(String(calls[0]?.signal.reason)).toContain('The handler of "orders" took longer than 30000 ms.');
    expect(await counts()).toMatchObject({ waiting: 1 });
    await harness.clock.advance(MINUTE);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});

describe('a process that stops', () => {
  it('waits for the handlers of events, which are notified, and records their outcomes', async () => {
    const gate = Promise.withResolvers<void>();
    const { harness, calls } = await handling(() => gate.promise);
    let isStopped = false;
    const stopped = harness.trunkline.stop().then(() => (isStopped = true));
    await harness.clock.advance(5 * SECOND);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(isStopped).toBe(false);
    gate.resolve();
    await stopped;
    const { trunkline } = await harness.another({ roles: only('api') });
    expect((await trunkline.admin.subscriptions.list())[0]).toMatchObject({ waiting: 0, exhausted: 0 });
  });

  it('does not count a handler that fails because of it: the event is due elsewhere immediately', async () => {
    const { harness, arrive } = await startEventHarness();
    const aborted = ({ signal }: Call) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('I have to go'))));
    const leaving = recordingHandler(harness.clock, aborted);
    const { trunkline } = await harness.another({
      roles: only(),
      prepare: (other) => void leaving.on(other),
    });
    await arrive();
    expect(leaving.calls).toHaveLength(1);
    await trunkline.stop();
    const staying = recordingHandler(harness.clock);
    await staying.on(harness.trunkline).registered;
    await harness.clock.settle();
    expect(staying.calls).toMatchObject([{ attempt: 1 }]);
  });

  it('gives up handlers that do not end: their events come again after the lease', async () => {
    const { harness, arrive } = await startEventHarness();
    const late = Promise.withResolvers<void>();
    const stubborn = recordingHandler(harness.clock, () => late.promise);
    const { trunkline } = await harness.another({
      roles: only(),
      prepare: (other) => void stubborn.on(other, { timeoutMs: DAY }),
    });
    await arrive();
    const stopped = trunkline.stop();
    await harness.clock.advance(10 * SECOND);
    await stopped;
    // The late outcome is ignored, because the storage may be closed.
    late.resolve();
    const staying = recordingHandler(harness.clock);
    await staying.on(harness.trunkline).registered;
    await harness.clock.settle();
    expect(staying.calls).toEqual([]);
    await harness.clock.advance(MINUTE);
    expect(staying.calls).toMatchObject([{ attempt: 1 }]);
  });
});

it('a handler that is off handles no more after off()', async () => {
  const { harness, arrive, calls, registration } = await handling(() => null);
  await registration.off();
  await arrive();
  await harness.clock.advance(MINUTE);
  expect(calls).toHaveLength(1);
});

describe('an event whose process dies within the handler', () => {
  it('comes again after the lease, uncounted five times, and then as a failed attempt', async () => {
    const { harness, arrive } = await startEventHarness();
    const kill: (() => void)[] = [];
    const deadly = recordingHandler(harness.clock, () => {
      kill.at(-1)?.();
      return new Promise(() => {});
    });
    const startDeadly = async () => {
      const process = killable(harness.storage);
      kill.push(process.kill);
      await harness.another({
        storage: process.storage,
        roles: only(),
        prepare: (trunkline) => void deadly.on(trunkline),
      });
    };
    await startDeadly();
    await arrive();
    for (let death = 1; death <= 5; death++) {
      expect(deadly.calls.map(({ attempt }) => attempt)).toEqual(Array<number>(death).fill(1));
      await harness.clock.advance(MINUTE);
      await startDeadly();
      await harness.clock.settle();
    }
    // The sixth claim counts an attempt without calling the handler; the next call is the second attempt.
    expect(deadly.calls).toHaveLength(5);
    await harness.clock.advance(MINUTE);
    expect(deadly.calls.at(-1)).toMatchObject({ attempt: 2 });
  });
});

describe('when the storage is unreachable', () => {
  it('the outcome of an event is recorded once it is back', async () => {
    let isDown = false;
    const storage = memoryStorage();
    const flaky = {
      ...storage,
      subscriptions: new Proxy(storage.subscriptions, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...values: readonly unknown[]): unknown =>
            isDown ? Promise.reject(new Error('EIO')) : Reflect.apply(method, target, values);
        },
      }),
    };
    const { harness, arrive } = await startEventHarness({ storage: flaky });
    const handler = recordingHandler(harness.clock, () => {
      isDown = true;
    });
    await handler.on(harness.trunkline).registered;
    await arrive();
    await harness.clock.advance(20 * SECOND);
    isDown = false;
    await harness.clock.advance(5 * MINUTE);
    expect(handler.calls).toHaveLength(1);
    expect(await harness.trunkline.admin.subscriptions.list()).toMatchObject([{ waiting: 0 }]);
  });

  it('at the start, start() rejects with that', async () => {
    const storage = memoryStorage();
    const register = () => Promise.reject(new Error('EIO'));
    const subscriptions = new Proxy(storage.subscriptions, {
      get: (target, name) => (name === 'register' ? register : (Reflect.get(target, name) as unknown)),
    });
    const handler = recordingHandler({ now: () => 0 });
    const starting = startEventHarness({
      storage: { ...storage, subscriptions },
      prepare: (trunkline) => void handler.on(trunkline),
    });
    await expect(starting).rejects.toThrow('EIO');
  });
});
