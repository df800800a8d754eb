import { describe, expect, expectTypeOf, it } from 'vitest';
import type { MessageEventType, OptInEventType, WebhookEvent, WebhookEventOf } from '@trunkline/receiver';
import { OPT_IN_EVENT_TYPES } from '../src/index.ts';
import type { SelectedEvent } from '../src/index.ts';
import { recordingHandler, startEventHarness } from './support/events.ts';
import { listen, only, startHarness, receivedEvents } from './support/harness.ts';

describe('a handler', () => {
  it('gets what a webhook gets, and the workspace that it belongs to', async () => {
    const { harness, arrive } = await startEventHarness();
    await listen(harness);
    const handler = recordingHandler(harness.clock);
    await handler.on(harness.trunkline).registered;
    await arrive();
    const [event] = receivedEvents(harness).filter(({ type }) => type === 'message.received');
    expect(handler.calls).toMatchObject([{ event, attempt: 1, workspaceId: harness.workspaceId }]);
    expect(handler.calls[0]?.event).toEqual(event);
  });

  it('gets events of all workspaces, even if no webhook wants them', async () => {
    const events: WebhookEvent[] = [];
    const harness = await startHarness({
      prepare: (trunkline) => void trunkline.on('*', (event) => events.push(event), { name: 'all' }),
    });
    const other = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    for (const api of [harness.api, harness.trunkline.workspace(other.id)]) {
      const { id } = await api.instances.create();
      await api.instances.connect(id);
      await harness.clock.advance(25);
    }
    expect(events.map(({ type }) => type)).toEqual(['instance.qr_required', 'instance.qr_required']);
    expect(events.map((event) => event.workspace_id)).toEqual([harness.workspaceId, other.id]);
  });

  it('gets the types that it asks for, and each of several handlers its own', async () => {
    const { harness, arrive } = await startEventHarness();
    const seen: string[] = [];
    const note = (name: string, types: Parameters<typeof harness.trunkline.on>[0]) =>
      harness.trunkline.on(types, ({ type }) => seen.push(`${name}: ${type}`), { name }).registered;
    await note('a', 'message.received');
    await note('b', ['instance.disconnected', 'message.received', 'message.received']);
    await note('c', ['message.read']);
    await arrive();
    const [instance] = (await harness.api.instances.list()).data;
    await harness.api.instances.disconnect(instance?.id ?? '');
    await harness.clock.settle();
    expect(seen.toSorted()).toEqual([
      'a: message.received',
      'b: instance.disconnected',
      'b: message.received',
    ]);
  });

  it('is called immediately, not when it polls next', async () => {
    const { harness, arrive } = await startEventHarness();
    const handler = recordingHandler(harness.clock);
    await handler.on(harness.trunkline).registered;
    const before = harness.clock.now();
    await arrive();
    expect(handler.calls).toMatchObject([{ at: before }]);
  });

  it('is called by polling if no signal comes', async () => {
    const { harness, arrive } = await startEventHarness();
    const handler = recordingHandler(harness.clock);
    const unresponsive = { ...harness.storage, subscribe: () => () => {}, close: async () => {} };
    await harness.another({
      storage: unresponsive,
      roles: only(),
      prepare: (trunkline) => void handler.on(trunkline),
    });
    await arrive();
    expect(handler.calls).toHaveLength(0);
    await harness.clock.advance(5_000);
    expect(handler.calls).toHaveLength(1);
  });

  it('handles as many concurrently as it may, and the rest after them', async () => {
    const { harness, arrive } = await startEventHarness();
    const gate = Promise.withResolvers<void>();
    const handler = recordingHandler(harness.clock, () => gate.promise);
    await handler.on(harness.trunkline, { concurrency: 3 }).registered;
    for (let count = 0; count < 7; count++) await arrive();
    expect(handler.calls).toHaveLength(3);
    gate.resolve();
    await harness.clock.settle();
    expect(new Set(handler.calls.map(({ event }) => event.id)).size).toBe(7);
    expect(handler.calls).toHaveLength(7);
    expect(await harness.trunkline.admin.subscriptions.list()).toMatchObject([{ waiting: 0 }]);
  });

  it('never handles more concurrently, however many are waiting', async () => {
    const { harness, arrive } = await startEventHarness();
    const idle = recordingHandler(harness.clock).on(harness.trunkline);
    await idle.registered;
    await idle.off();
    for (let count = 0; count < 12; count++) await arrive();
    const running: (() => void)[] = [];
    let most = 0;
    const handler = recordingHandler(
      harness.clock,
      () => new Promise<void>((resolve) => (most = Math.max(most, running.push(resolve)))),
    );
    await handler.on(harness.trunkline, { concurrency: 3 }).registered;
    await harness.clock.settle();
    for (let ended = 0; ended < 12; ended++) {
      running.shift()?.();
      await harness.clock.settle();
    }
    expect(most).toBe(3);
    expect(handler.calls).toHaveLength(12);
  });

  it('gets each event in only one of several processes', async () => {
    const { harness, arrive } = await startEventHarness();
    const handlers = [recordingHandler(harness.clock), recordingHandler(harness.clock)];
    for (const handler of handlers) {
      const prepare = { prepare: (trunkline: typeof harness.trunkline) => void handler.on(trunkline) };
      await harness.another({ roles: only('webhooks'), ...prepare });
    }
    for (let count = 0; count < 10; count++) await arrive();
    await harness.clock.advance(10_000);
    const ids = handlers.flatMap(({ calls }) => calls.map(({ event }) => event.id));
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });
});

describe('a subscription', () => {
  it('is stored when start() resolves', async () => {
    const registrations: Promise<void>[] = [];
    const handler = recordingHandler({ now: () => 0 });
    const { harness } = await startEventHarness({
      prepare: (trunkline) => registrations.push(handler.on(trunkline).registered),
    });
    await Promise.all(registrations);
    expect(await harness.trunkline.admin.subscriptions.list()).toEqual([
      {
        name: 'orders',
        types: ['message.received'],
        waiting: 0,
        exhausted: 0,
        createdAt: expect.any(Number),
      },
    ]);
  });

  it('collects events while it has no handler, and hands them over later', async () => {
    const { harness, arrive } = await startEventHarness();
    const handler = recordingHandler(harness.clock);
    const first = handler.on(harness.trunkline);
    await first.registered;
    await first.off();
    for (let count = 0; count < 20; count++) await arrive();
    expect(handler.calls).toEqual([]);
    expect(await harness.trunkline.admin.subscriptions.list()).toMatchObject([{ waiting: 20 }]);
    await handler.on(harness.trunkline).registered;
    await harness.clock.settle();
    expect(new Set(handler.calls.map(({ event }) => event.id)).size).toBe(20);
  });

  it('follows the types that its handler asks for, and leaves what the handler of another version asked for', async () => {
    const { harness, arrive } = await startEventHarness();
    const handler = recordingHandler(harness.clock);
    const first = handler.on(harness.trunkline);
    await first.registered;
    await first.off();
    await arrive();
    const seen: string[] = [];
    const narrow = harness.trunkline.on('instance.disconnected', ({ type }) => seen.push(type), {
      name: 'orders',
    });
    await narrow.registered;
    const [instance] = (await harness.api.instances.list()).data;
    await harness.api.instances.disconnect(instance?.id ?? '');
    await harness.clock.advance(10_000);
    expect(seen).toEqual(['instance.disconnected']);
    expect(await harness.trunkline.admin.subscriptions.list()).toMatchObject([
      { types: ['instance.disconnected'], waiting: 1 },
    ]);
    await narrow.off();
    handler.on(harness.trunkline);
    await harness.clock.settle();
    expect(handler.calls).toHaveLength(1);
  });

  it('collects no more events when it is deleted, and its queued ones are gone', async () => {
    const { harness, arrive } = await startEventHarness();
    const { admin } = harness.trunkline;
    const handler = recordingHandler(harness.clock);
    const first = handler.on(harness.trunkline);
    await first.registered;
    await first.off();
    await arrive();
    await admin.subscriptions.delete('orders');
    await arrive();
    expect(await admin.subscriptions.list()).toEqual([]);
    await harness.clock.advance(60_000);
    expect(await harness.storage.retention.deleteHistory(0, 10)).toBe(0);
    await handler.on(harness.trunkline).registered;
    await harness.clock.settle();
    expect(handler.calls).toEqual([]);
    await arrive();
    expect(handler.calls).toHaveLength(1);
  });

  it('ends its running handler with a warning when it is deleted', async () => {
    const { harness, arrive } = await startEventHarness();
    const handler = recordingHandler(harness.clock);
    await handler.on(harness.trunkline).registered;
    await harness.trunkline.admin.subscriptions.delete('orders');
    await arrive();
    await harness.clock.advance(60_000);
    expect(handler.calls).toEqual([]);
    const warnings = harness.logs.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([{ facts: { subscription: 'orders' } }]);
  });

  it.each(['delete', 'retryFailedEvents'] as const)(
    'gets NOT_FOUND from %s if it is unknown',
    async (method) => {
      const { trunkline } = await startHarness();
      await expect(trunkline.admin.subscriptions[method]('nobody')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    },
  );
});

describe('trunkline.on', () => {
  const wrong: readonly [string, readonly unknown[]][] = [
    [
      'there is no event type "message.recieved". Did you mean "message.received"?',
      ['message.recieved', () => null, { name: 'a' }],
    ],
    ['there is no event type "webhook.test"', [['message.read', 'webhook.test'], () => null, { name: 'a' }]],
    ['the event type is wrong', [[], () => null, { name: 'a' }]],
    ['there is no event type "*"', [['*'], () => null, { name: 'a' }]],
    [
      'there is no option "concurency". Did you mean "concurrency"?',
      ['*', () => null, { name: 'a', concurency: 1 }],
    ],
    ['the options must be an object', ['*', () => null]],
    ['the event type is wrong', [undefined, () => null, { name: 'a' }]],
    ['the handler must be a function', ['*', null, { name: 'a' }]],
    ['the option "name" is wrong', ['*', () => null, {}]],
    ['the option "name" is wrong', ['*', () => null, { name: '' }]],
    ['the option "name" is wrong', ['*', () => null, { name: 'a b' }]],
    ['the option "name" is wrong', ['*', () => null, { name: 'a\n' }]],
    ['the option "name" is wrong', ['*', () => null, { name: 'x'.repeat(65) }]],
    ['the option "concurrency" is wrong', ['*', () => null, { name: 'a', concurrency: 0 }]],
    ['the option "timeoutMs" is wrong', ['*', () => null, { name: 'a', timeoutMs: Infinity }]],
  ];

  it.each(wrong)('says that %s: %j', async (why, values) => {
    const { trunkline } = await startHarness();
    const call = () => Reflect.apply(trunkline.on, trunkline, values);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(`trunkline.on: ${why}`);
    expect(await trunkline.admin.subscriptions.list()).toEqual([]);
  });

  it('takes a name once in a process, until it is off', async () => {
    const { trunkline } = await startHarness();
    const name = `${'x'.repeat(60)}A.-_`;
    const first = trunkline.on('*', () => null, { name });
    expect(() => trunkline.on('message.sent', () => null, { name })).toThrow(
      new TypeError(
        `trunkline.on: the name "${name}" is already in use in this process: give this handler another one, with the option "name".`,
      ),
    );
    await first.off();
    await trunkline.on('message.sent', () => null, { name }).registered;
    expect(await trunkline.admin.subscriptions.list()).toMatchObject([{ name, types: ['message.sent'] }]);
  });

  it('takes events beyond the specification only by name', async () => {
    const { trunkline } = await startHarness();
    await trunkline.on('*', () => null, { name: 'all' }).registered;
    await trunkline.on(OPT_IN_EVENT_TYPES, () => null, { name: 'more' }).registered;
    const types = async (name: string) =>
      (await trunkline.admin.subscriptions.list()).find((one) => one.name === name)?.types;
    expect(await types('all')).toEqual([
      'message.received',
      'message.sent',
      'message.delivered',
      'message.read',
      'message.failed',
      'instance.connected',
      'instance.disconnected',
      'instance.qr_required',
      'instance.error',
    ]);
    expect(await types('more')).toEqual(OPT_IN_EVENT_TYPES);
  });

  it('types the event by what was asked for', () => {
    expectTypeOf<SelectedEvent<'message.sent'>>().toEqualTypeOf<WebhookEventOf<'message.sent'>>();
    expectTypeOf<SelectedEvent<readonly ['message.sent', 'instance.error']>['type']>().toEqualTypeOf<
      'message.sent' | 'instance.error'
    >();
    expectTypeOf<SelectedEvent<readonly MessageEventType[]>['data']>().toHaveProperty('message');
    expectTypeOf<SelectedEvent<'*'>['type']>().toEqualTypeOf<
      Exclude<WebhookEvent['type'], OptInEventType | 'webhook.test'>
    >();
    expectTypeOf<SelectedEvent<'call.received'>['data']>().toHaveProperty('call');
  });
});
