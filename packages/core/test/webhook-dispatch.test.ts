import { describe, expect, it, vi } from 'vitest';
import type { Signal } from '../src/spi/storage.ts';
import type { WebhookResponse, WebhookSender } from '../src/spi/runtime.ts';
import { REFUSED, TAKEN, manualClock } from '../src/testing/index.ts';
import { completingAlone } from './support/completing-alone.ts';
import { killable } from './support/killable.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { silence } from './support/scripted-gateway.ts';
import { HOUR, MINUTE, SECOND, listen, only, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const senders = () => startHarness({ roles: only('api', 'webhooks') });

async function queue(
  { api }: Pick<Harness, 'api'>,
  webhookId: string,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await api.webhooks.test(webhookId)).id);
  return ids;
}

/** Holds back the responses to all requests until the test calls `respondToAll`. */
function held({ sender }: Pick<Harness, 'sender'>, harness: Harness) {
  const waiting: ((response: WebhookResponse) => void)[] = [];
  sender.respond(() => new Promise((resolve) => waiting.push(resolve)));
  return {
    count: () => waiting.length,
    async respondToAll(response: WebhookResponse = TAKEN) {
      for (const reply of waiting.splice(0)) reply(response);
      await harness.clock.settle();
    },
  };
}

describe('one endpoint', () => {
  it('gets two concurrent requests and no more', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const open = held(harness, harness);
    await queue(harness, id, 7);
    const together: number[] = [];
    for (;;) {
      await harness.clock.advance(SECOND);
      if (open.count() === 0) break;
      together.push(open.count());
      await open.respondToAll();
      expect(open.count()).toBeLessThanOrEqual(2);
    }
    expect(together).toEqual([2, 2, 2, 1]);
  });

  it('gets 120 requests in any minute; the rest are postponed, which does not count as an attempt', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const starts: number[] = [];
    harness.sender.respond(() => {
      starts.push(harness.clock.now());
      return TAKEN;
    });
    await queue(harness, id, 300);
    await harness.clock.settle();
    expect(starts.length).toBe(120);
    const waiting = await harness.api.webhooks.deliveries(id, { status: 'pending', limit: 1 });
    expect(waiting.data).toMatchObject([{ attempts: 0, next_retry_at: null, last_attempt_at: null }]);

    await harness.clock.advance(3 * MINUTE);
    expect(starts.length).toBe(300);
    for (const [i, start] of starts.entries()) {
      const later = starts[i + 120];
      if (later !== undefined) expect(later - start).toBeGreaterThan(MINUTE);
    }
    expect(await harness.api.webhooks.deliveries(id, { status: 'pending' })).toMatchObject({ data: [] });
  });

  it('does not hold up others if it is slow or throttled', async () => {
    const harness = await senders();
    const [slow, fast] = [
      await listen(harness, 'https://slow.example/'),
      await listen(harness, 'https://fast.example/'),
    ];
    harness.sender.respond(({ url }) => (url === slow.url ? silence() : TAKEN));
    await queue(harness, slow.id, 200);
    const [delivery = ''] = await queue(harness, fast.id, 1);
    await harness.clock.settle();
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({ status: 'success' });
  });

  it('is served although two hundred others hang, a second later than else', async () => {
    const harness = await senders();
    await harness.trunkline.admin.workspaces.setPlan(harness.workspaceId, { webhookLimit: 201 });
    const prompt = await listen(harness, 'https://prompt.example/');
    const hanging = await Promise.all(
      Array.from({ length: 200 }, (_, index) => listen(harness, `https://hangs-${index}.example/`)),
    );
    harness.sender.respond(({ url }) => (url === prompt.url ? TAKEN : silence()));
    for (const { id } of hanging) await queue(harness, id, 2);
    await harness.clock.settle();
    expect(harness.sender.requests).toHaveLength(256);
    const [delivery = ''] = await queue(harness, prompt.id, 1);
    await harness.clock.advance(SECOND);
    expect(harness.sender.requests).toHaveLength(401);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({ status: 'success' });
  });

  it('is notified of events made after the clock was set back', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    await queue(harness, id, 120);
    await harness.clock.settle();
    harness.clock.jump(-HOUR);
    await queue(harness, id, 1);
    await harness.clock.advance(MINUTE);
    expect(harness.sender.requests).toHaveLength(120);
    // The delivery waits only as long as the throttle requires.
    await harness.clock.advance(6 * SECOND);
    expect(harness.sender.requests).toHaveLength(121);
  });

  it('gets deliveries in the order in which they are due', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const ids = await queue(harness, id, 10);
    await harness.clock.settle();
    expect(harness.sender.requests.map(({ headers }) => headers.get('X-Service-Delivery'))).toEqual(ids);
  });
});

describe('a delivery that cannot be sent because the database is damaged', () => {
  it.each([
    ['event', 'withoutEvent'],
    ['webhook endpoint', 'withoutEndpoint'],
  ] as const)('is named in the log if its %s is missing, and stops no other', async (missing, list) => {
    const storage = memoryStorage();
    const { deliveries } = storage;
    const claim = deliveries.claim.bind(deliveries);
    const harness = await startHarness({ storage, roles: only('api', 'webhooks') });
    const { id } = await listen(harness);
    deliveries.claim = async (limits) => {
      deliveries.claim = claim;
      return { ...(await claim(limits)), [list]: ['whd_damaged'] };
    };
    await queue(harness, id, 1);
    await harness.clock.settle();
    expect(harness.sender.requests).toHaveLength(1);
    const errors = harness.logs.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([
      {
        facts: { deliveryId: 'whd_damaged' },
        message: expect.stringContaining(`because its ${missing} is not in the database`),
      },
    ]);
  });
});

describe('a delivery shows why it has not gone yet', () => {
  const waitingOf = async (harness: Harness, id: string | undefined) =>
    (await harness.api.deliveries.get(id ?? '')).waiting;

  it('both slots are taken, its own request is in flight, its retry is scheduled', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const open = held(harness, harness);
    const [first, , third] = await queue(harness, id, 3);
    await harness.clock.settle();
    expect(await waitingOf(harness, first)).toEqual({ reason: 'in_progress', until: null });
    expect(await waitingOf(harness, third)).toEqual({ reason: 'endpoint_busy', until: null });
    await open.respondToAll(REFUSED);
    const { next_retry_at: nextRetryAt } = await harness.api.deliveries.get(first ?? '');
    expect(await waitingOf(harness, first)).toEqual({ reason: 'retry_scheduled', until: nextRetryAt });
    await open.respondToAll();
    expect(await waitingOf(harness, third)).toBeUndefined();
  });

  it('the throttle holds it until a time at which it goes', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const ids = await queue(harness, id, 121);
    await harness.clock.settle();
    const waiting = await waitingOf(harness, ids.at(-1));
    expect(waiting).toEqual({ reason: 'throttled', until: expect.any(String) });
    const until = Date.parse(waiting?.until ?? '');
    await harness.clock.advance(until - harness.clock.now() - 1);
    expect(await waitingOf(harness, ids.at(-1))).toMatchObject({ reason: 'throttled' });
    await harness.clock.advance(1);
    expect(await harness.api.deliveries.get(ids.at(-1) ?? '')).toMatchObject({ status: 'success' });
  });

  it('nobody sends, or its endpoint was disabled', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await listen(harness);
    const [delivery] = await queue(harness, id, 1);
    expect(await waitingOf(harness, delivery)).toEqual({ reason: 'queued', until: null });
    await harness.api.webhooks.update(id, { status: 'disabled' });
    expect(await waitingOf(harness, delivery)).toEqual({ reason: 'endpoint_disabled', until: null });
  });
});

describe('a dispatcher that says nothing', () => {
  it('loses its claim after a minute to another, whose outcome counts', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await listen(harness);
    const [delivery = ''] = await queue(harness, id, 1);
    // This process claims nothing after its start, because its clock is never moved.
    const first = await harness.another({ roles: only('webhooks'), clock: manualClock() });
    const open = held(first, harness);
    await harness.clock.settle();
    const second = await harness.another({ roles: only('webhooks') });
    await harness.clock.advance(MINUTE - 1);
    expect([first.sender.requests.length, second.sender.requests.length]).toEqual([1, 0]);
    await harness.clock.advance(1);
    expect([first.sender.requests.length, second.sender.requests.length]).toEqual([1, 1]);
    expect(second.sender.requests[0]?.body).toBe(first.sender.requests[0]?.body);

    await open.respondToAll(REFUSED);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({
      status: 'success',
      attempts: 1,
      attempt_log: [{ response_status: 200 }],
    });
  });

  it('has five lost claims counted as one failed attempt', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await listen(harness);
    const [delivery = ''] = await queue(harness, id, 1);
    let requests = 0;
    const webhookSender: WebhookSender = {
      send() {
        requests += 1;
        return silence();
      },
      close: async () => {},
    };
    for (let deaths = 0; deaths < 5; deaths += 1) {
      const { storage, kill } = killable(harness.storage);
      await harness.another({ roles: only('webhooks'), storage, webhookSender });
      await harness.clock.settle();
      kill();
      await harness.clock.advance(MINUTE);
    }
    expect(requests).toBe(5);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({ status: 'pending', attempts: 0 });
    const last = await harness.another({ roles: only('webhooks') });
    await harness.clock.settle();
    expect(last.sender.requests).toEqual([]);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({
      status: 'retrying',
      attempts: 1,
      error_code: 'TIMEOUT',
      attempt_log: [{ response_status: null, response_body: null }],
    });
  });
});

describe('a dispatcher that stands still between its claim and the request', () => {
  it('leaves the delivery to the next claim', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await listen(harness);
    const [delivery = ''] = await queue(harness, id, 1);
    const clock = manualClock();
    const claim = harness.storage.deliveries.claim.bind(harness.storage.deliveries);
    const deliveries = {
      ...harness.storage.deliveries,
      claim: async (request: Parameters<typeof claim>[0]) => {
        const result = await claim(request);
        clock.jump(45 * SECOND);
        return result;
      },
    };
    const frozen = await harness.another({
      roles: only('webhooks'),
      clock,
      storage: { ...harness.storage, deliveries, close: async () => {} },
    });
    await harness.clock.settle();
    const second = await harness.another({ roles: only('webhooks') });
    await harness.clock.advance(MINUTE);
    expect([frozen.sender.requests.length, second.sender.requests.length]).toEqual([0, 1]);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({ status: 'success', attempts: 1 });
  });
});

describe('an outcome that the storage does not take', () => {
  it('is kept and written as soon as it does, and the request is not repeated', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const { deliveries } = completingAlone(harness.storage);
    const complete = deliveries.complete.bind(deliveries);
    let failures = 3;
    deliveries.complete = (completions, now) =>
      (failures -= 1) >= 0 ? Promise.reject(new Error('connection refused')) : complete(completions, now);
    const [delivery = ''] = await queue(harness, id, 1);
    await harness.clock.advance(2 * SECOND);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({ status: 'pending', attempts: 0 });
    await harness.clock.advance(SECOND);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({ status: 'success', attempts: 1 });
    await harness.clock.advance(5 * MINUTE);
    expect(harness.sender.requests).toHaveLength(1);
  });

  it('for as long as its claim lasts is given up, and the request is made again', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const { deliveries } = completingAlone(harness.storage);
    const complete = deliveries.complete.bind(deliveries);
    const end = harness.clock.now() + MINUTE;
    deliveries.complete = (completions, now) =>
      now < end ? Promise.reject(new Error('connection refused')) : complete(completions, now);
    const [delivery = ''] = await queue(harness, id, 1);
    await harness.clock.advance(2 * MINUTE);
    expect(await harness.api.deliveries.get(delivery)).toMatchObject({ status: 'success', attempts: 1 });
    expect(new Set(harness.sender.requests.map(({ body }) => body)).size).toBe(1);
  });
});

describe('a claim that fails', () => {
  it('is eventually made again', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const { deliveries } = harness.storage;
    const claim = deliveries.claim.bind(deliveries);
    deliveries.claim = () => Promise.reject(new Error('connection refused'));
    await queue(harness, id, 1);
    await harness.clock.advance(SECOND);
    deliveries.claim = claim;
    await harness.clock.advance(5 * SECOND);
    expect(harness.sender.requests).toHaveLength(1);
    expect(harness.logs).toContainEqual(expect.objectContaining({ level: 'error' }));
  });
});

describe('signals of deliveries that other processes claim', () => {
  it('make a process look ten times a second, and claim what is left a tenth of a second later', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id: webhookId } = await listen(harness);
    const listeners: ((signal: Signal) => void)[] = [];
    const subscribe = (listener: (signal: Signal) => void) => {
      listeners.push(listener);
      return () => {};
    };
    const hear = (signal: Signal): void => listeners.forEach((listener) => listener(signal));
    const storage = { ...harness.storage, subscribe, close: async () => {} };
    const { sender } = await harness.another({ roles: only('webhooks'), storage });
    const claims = vi.spyOn(harness.storage.deliveries, 'claim');
    for (let signals = 0; signals < 1_000; signals += 1) {
      hear({ topic: 'deliveries' });
      await harness.clock.advance(10);
    }
    // A burst of 250 claims, and then ten a second for ten seconds.
    expect(claims.mock.calls.length).toBeGreaterThan(330);
    expect(claims.mock.calls.length).toBeLessThan(370);

    await queue(harness, webhookId, 1);
    hear({ topic: 'deliveries' });
    await harness.clock.advance(100);
    expect(sender.requests).toHaveLength(1);
  });

  it('are followed immediately for as long as there is something to claim', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    for (let sent = 1; sent <= 400; sent += 1) {
      await queue(harness, id, 1);
      await harness.clock.settle();
      expect(harness.sender.requests).toHaveLength(sent);
      await harness.clock.advance(SECOND);
    }
  });
});

describe('a process that stops', () => {
  it('waits for the attempts in flight and records them, and begins no other', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    const open = held(harness, harness);
    const [first = '', , third = ''] = await queue(harness, id, 3);
    await harness.clock.settle();
    let stopped = false;
    const stopping = harness.trunkline.stop().then(() => (stopped = true));
    await harness.clock.settle();
    expect(stopped).toBe(false);
    await open.respondToAll();
    await stopping;
    expect(harness.sender.requests).toHaveLength(2);
    const { api } = await harness.another({ roles: only('api') });
    expect(await api.deliveries.get(first)).toMatchObject({ status: 'success' });
    expect(await api.deliveries.get(third)).toMatchObject({ status: 'pending' });
  });

  it('leaves due deliveries to the next process', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    await harness.trunkline.stop();
    const { api } = await harness.another({ roles: only('api') });
    await queue({ api }, id, 3);
    await harness.clock.advance(MINUTE);
    expect(harness.sender.requests).toHaveLength(0);
    const { sender } = await harness.another({ roles: only('webhooks') });
    await harness.clock.settle();
    expect(sender.requests).toHaveLength(3);
  });
});
