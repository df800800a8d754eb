import { describe, expect, it, vi } from 'vitest';
import type { Signal } from '../src/spi/storage.ts';
import type { WebhookResponse } from '../src/spi/runtime.ts';
import { REFUSED, TAKEN, manualClock, memoryStorage } from '../src/testing/index.ts';
import { silence } from './support/scripted-gateway.ts';
import { HOUR, MINUTE, SECOND, listen, only, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

const senders = () => startWorld({ roles: only('api', 'webhooks') });

async function queue(
  { api }: Pick<World, 'api'>,
  webhookId: string,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await api.webhooks.test(webhookId)).id);
  return ids;
}

/** Answers that the test gives one by one. */
function held({ sender }: Pick<World, 'sender'>, world: World) {
  const waiting: ((response: WebhookResponse) => void)[] = [];
  sender.answer(() => new Promise((resolve) => waiting.push(resolve)));
  return {
    count: () => waiting.length,
    async answerAll(response: WebhookResponse = TAKEN) {
      for (const answer of waiting.splice(0)) answer(response);
      await world.clock.settle();
    },
  };
}

describe('one endpoint', () => {
  it('gets two requests at once and no more', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const open = held(world, world);
    await queue(world, id, 7);
    const together: number[] = [];
    for (;;) {
      await world.clock.advance(SECOND);
      if (open.count() === 0) break;
      together.push(open.count());
      await open.answerAll();
      expect(open.count()).toBeLessThanOrEqual(2);
    }
    expect(together).toEqual([2, 2, 2, 1]);
  });

  it('gets 120 in any minute; the rest are postponed, and that counts as no attempt', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const starts: number[] = [];
    world.sender.answer(() => {
      starts.push(world.clock.now());
      return TAKEN;
    });
    await queue(world, id, 300);
    await world.clock.settle();
    expect(starts.length).toBe(120);
    const waiting = await world.api.webhooks.deliveries(id, { status: 'pending', limit: 1 });
    expect(waiting.data).toMatchObject([{ attempts: 0, next_retry_at: null, last_attempt_at: null }]);

    await world.clock.advance(3 * MINUTE);
    expect(starts.length).toBe(300);
    for (const [i, start] of starts.entries()) {
      const later = starts[i + 120];
      if (later !== undefined) expect(later - start).toBeGreaterThan(MINUTE);
    }
    expect(await world.api.webhooks.deliveries(id, { status: 'pending' })).toMatchObject({ data: [] });
  });

  it('that is slow or throttled holds up no other', async () => {
    const world = await senders();
    const [slow, fast] = [
      await listen(world, 'https://slow.example/'),
      await listen(world, 'https://fast.example/'),
    ];
    world.sender.answer(({ url }) => (url === slow.url ? silence() : TAKEN));
    await queue(world, slow.id, 200);
    const [delivery = ''] = await queue(world, fast.id, 1);
    await world.clock.settle();
    expect(await world.api.deliveries.get(delivery)).toMatchObject({ status: 'success' });
  });

  it('is served although two hundred others hang, a second later than else', async () => {
    const world = await senders();
    await world.trunkline.admin.workspaces.setPlan(world.workspaceId, { webhookLimit: 201 });
    const prompt = await listen(world, 'https://prompt.example/');
    const hanging = await Promise.all(
      Array.from({ length: 200 }, (_, index) => listen(world, `https://hangs-${index}.example/`)),
    );
    world.sender.answer(({ url }) => (url === prompt.url ? TAKEN : silence()));
    for (const { id } of hanging) await queue(world, id, 2);
    await world.clock.settle();
    expect(world.sender.requests).toHaveLength(256);
    const [delivery = ''] = await queue(world, prompt.id, 1);
    await world.clock.advance(SECOND);
    expect(world.sender.requests).toHaveLength(401);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({ status: 'success' });
  });

  it('is told of events made after the clock was set back', async () => {
    const world = await senders();
    const { id } = await listen(world);
    await queue(world, id, 120);
    await world.clock.settle();
    world.clock.jump(-HOUR);
    await queue(world, id, 1);
    await world.clock.advance(MINUTE);
    expect(world.sender.requests).toHaveLength(120);
    // As long as the throttle takes, and no longer.
    await world.clock.advance(6 * SECOND);
    expect(world.sender.requests).toHaveLength(121);
  });

  it('gets what is due in the order in which it is due', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const ids = await queue(world, id, 10);
    await world.clock.settle();
    expect(world.sender.requests.map(({ headers }) => headers.get('X-Service-Delivery'))).toEqual(ids);
  });
});

describe('a delivery whose event is missing from a damaged database', () => {
  it('is named in the log, and stops no other', async () => {
    const storage = memoryStorage();
    const { deliveries } = storage;
    const claim = deliveries.claim.bind(deliveries);
    const world = await startWorld({ storage, roles: only('api', 'webhooks') });
    const { id } = await listen(world);
    deliveries.claim = async (limits) => {
      deliveries.claim = claim;
      return { ...(await claim(limits)), withoutEvent: ['whd_damaged'] };
    };
    await queue(world, id, 1);
    await world.clock.settle();
    expect(world.sender.requests).toHaveLength(1);
    const errors = world.logs.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([
      { facts: { deliveryId: 'whd_damaged' }, message: expect.stringMatching(/not in the database/) },
    ]);
  });
});

describe('a delivery tells why it has not gone yet', () => {
  const waitingOf = async (world: World, id: string | undefined) =>
    (await world.api.deliveries.get(id ?? '')).waiting;

  it('both slots are taken, its own request is under way, its retry is scheduled', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const open = held(world, world);
    const [first, , third] = await queue(world, id, 3);
    await world.clock.settle();
    expect(await waitingOf(world, first)).toEqual({ reason: 'in_progress', until: null });
    expect(await waitingOf(world, third)).toEqual({ reason: 'endpoint_busy', until: null });
    await open.answerAll(REFUSED);
    const { next_retry_at: nextRetryAt } = await world.api.deliveries.get(first ?? '');
    expect(await waitingOf(world, first)).toEqual({ reason: 'retry_scheduled', until: nextRetryAt });
    await open.answerAll();
    expect(await waitingOf(world, third)).toBeUndefined();
  });

  it('the throttle holds it until a time at which it goes', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const ids = await queue(world, id, 121);
    await world.clock.settle();
    const waiting = await waitingOf(world, ids.at(-1));
    expect(waiting).toEqual({ reason: 'throttled', until: expect.any(String) });
    const until = Date.parse(waiting?.until ?? '');
    await world.clock.advance(until - world.clock.now() - 1);
    expect(await waitingOf(world, ids.at(-1))).toMatchObject({ reason: 'throttled' });
    await world.clock.advance(1);
    expect(await world.api.deliveries.get(ids.at(-1) ?? '')).toMatchObject({ status: 'success' });
  });

  it('nobody sends, or its endpoint was disabled', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id } = await listen(world);
    const [delivery] = await queue(world, id, 1);
    expect(await waitingOf(world, delivery)).toEqual({ reason: 'queued', until: null });
    await world.api.webhooks.update(id, { status: 'disabled' });
    expect(await waitingOf(world, delivery)).toEqual({ reason: 'endpoint_disabled', until: null });
  });
});

describe('a dispatcher that says nothing', () => {
  it('loses its claim after a minute to another, whose outcome counts', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id } = await listen(world);
    const [delivery = ''] = await queue(world, id, 1);
    // Stands still from here on: its clock is not moved.
    const first = await world.another({ roles: only('webhooks'), clock: manualClock() });
    const open = held(first, world);
    await world.clock.settle();
    const second = await world.another({ roles: only('webhooks') });
    await world.clock.advance(MINUTE - 1);
    expect([first.sender.requests.length, second.sender.requests.length]).toEqual([1, 0]);
    await world.clock.advance(1);
    expect([first.sender.requests.length, second.sender.requests.length]).toEqual([1, 1]);
    expect(second.sender.requests[0]?.body).toBe(first.sender.requests[0]?.body);

    await open.answerAll(REFUSED);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({
      status: 'success',
      attempts: 1,
      attempt_log: [{ response_status: 200 }],
    });
  });

  it('and dies again and again has it counted as one failed attempt after five losses', async () => {
    const world = await senders();
    const { id } = await listen(world);
    world.sender.answer(silence);
    const [delivery = ''] = await queue(world, id, 1);
    await world.clock.advance(5 * MINUTE - 1);
    expect(world.sender.requests).toHaveLength(5);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({ status: 'pending', attempts: 0 });
    await world.clock.advance(1);
    await world.clock.advance(SECOND);
    expect(world.sender.requests).toHaveLength(5);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({
      status: 'retrying',
      attempts: 1,
      error_code: 'TIMEOUT',
      attempt_log: [{ response_status: null, response_body: null }],
    });
  });
});

describe('a dispatcher that stands still between its claim and the request', () => {
  it('leaves the delivery to whoever claims it next', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id } = await listen(world);
    const [delivery = ''] = await queue(world, id, 1);
    const clock = manualClock();
    const claim = world.storage.deliveries.claim.bind(world.storage.deliveries);
    const deliveries = {
      ...world.storage.deliveries,
      claim: async (request: Parameters<typeof claim>[0]) => {
        const result = await claim(request);
        await clock.advance(45 * SECOND);
        return result;
      },
    };
    const frozen = await world.another({
      roles: only('webhooks'),
      clock,
      storage: { ...world.storage, deliveries, close: async () => {} },
    });
    await world.clock.settle();
    const second = await world.another({ roles: only('webhooks') });
    await world.clock.advance(MINUTE);
    expect([frozen.sender.requests.length, second.sender.requests.length]).toEqual([0, 1]);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({ status: 'success', attempts: 1 });
  });
});

describe('an outcome that the storage does not take', () => {
  it('is kept and written as soon as it does, and the request is not repeated', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const { deliveries } = world.storage;
    const complete = deliveries.complete.bind(deliveries);
    let failures = 3;
    deliveries.complete = (completions, now) =>
      (failures -= 1) >= 0 ? Promise.reject(new Error('connection refused')) : complete(completions, now);
    const [delivery = ''] = await queue(world, id, 1);
    await world.clock.advance(2 * SECOND);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({ status: 'pending', attempts: 0 });
    await world.clock.advance(SECOND);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({ status: 'success', attempts: 1 });
    await world.clock.advance(5 * MINUTE);
    expect(world.sender.requests).toHaveLength(1);
  });

  it('for as long as its claim lasts is given up, and the request is made again', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const { deliveries } = world.storage;
    const complete = deliveries.complete.bind(deliveries);
    const end = world.clock.now() + MINUTE;
    deliveries.complete = (completions, now) =>
      now < end ? Promise.reject(new Error('connection refused')) : complete(completions, now);
    const [delivery = ''] = await queue(world, id, 1);
    await world.clock.advance(2 * MINUTE);
    expect(await world.api.deliveries.get(delivery)).toMatchObject({ status: 'success', attempts: 1 });
    expect(new Set(world.sender.requests.map(({ body }) => body)).size).toBe(1);
  });
});

describe('a claim that fails', () => {
  it('is made again by and by', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const { deliveries } = world.storage;
    const claim = deliveries.claim.bind(deliveries);
    deliveries.claim = () => Promise.reject(new Error('connection refused'));
    await queue(world, id, 1);
    await world.clock.advance(SECOND);
    deliveries.claim = claim;
    await world.clock.advance(5 * SECOND);
    expect(world.sender.requests).toHaveLength(1);
    expect(world.logs).toContainEqual(expect.objectContaining({ level: 'error' }));
  });
});

describe('signals of deliveries that other processes claim', () => {
  it('make a process look ten times a second, and claim what is left a tenth of a second later', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id: webhookId } = await listen(world);
    const listeners: ((signal: Signal) => void)[] = [];
    const subscribe = (listener: (signal: Signal) => void) => {
      listeners.push(listener);
      return () => {};
    };
    const hear = (signal: Signal): void => listeners.forEach((listener) => listener(signal));
    const storage = { ...world.storage, subscribe, close: async () => {} };
    const { sender } = await world.another({ roles: only('webhooks'), storage });
    const claims = vi.spyOn(world.storage.deliveries, 'claim');
    for (let signals = 0; signals < 1_000; signals += 1) {
      hear({ topic: 'deliveries' });
      await world.clock.advance(10);
    }
    // A burst of 250, and ten looks in each of ten seconds.
    expect(claims.mock.calls.length).toBeGreaterThan(330);
    expect(claims.mock.calls.length).toBeLessThan(370);

    await queue(world, webhookId, 1);
    hear({ topic: 'deliveries' });
    await world.clock.advance(100);
    expect(sender.requests).toHaveLength(1);
  });

  it('are followed immediately for as long as there is something to claim', async () => {
    const world = await senders();
    const { id } = await listen(world);
    for (let sent = 1; sent <= 400; sent += 1) {
      await queue(world, id, 1);
      await world.clock.settle();
      expect(world.sender.requests).toHaveLength(sent);
      await world.clock.advance(SECOND);
    }
  });
});

describe('a process that stops', () => {
  it('waits for the attempts under way and records them, and begins no other', async () => {
    const world = await senders();
    const { id } = await listen(world);
    const open = held(world, world);
    const [first = '', , third = ''] = await queue(world, id, 3);
    await world.clock.settle();
    let stopped = false;
    const stopping = world.trunkline.stop().then(() => (stopped = true));
    await world.clock.settle();
    expect(stopped).toBe(false);
    await open.answerAll();
    await stopping;
    expect(world.sender.requests).toHaveLength(2);
    const { api } = await world.another({ roles: only('api') });
    expect(await api.deliveries.get(first)).toMatchObject({ status: 'success' });
    expect(await api.deliveries.get(third)).toMatchObject({ status: 'pending' });
  });

  it('leaves what is due to the next', async () => {
    const world = await senders();
    const { id } = await listen(world);
    await world.trunkline.stop();
    const { api } = await world.another({ roles: only('api') });
    await queue({ api }, id, 3);
    await world.clock.advance(MINUTE);
    expect(world.sender.requests).toHaveLength(0);
    const { sender } = await world.another({ roles: only('webhooks') });
    await world.clock.settle();
    expect(sender.requests).toHaveLength(3);
  });
});
