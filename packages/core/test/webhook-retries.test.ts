import { describe, expect, it } from 'vitest';
import type { WebhookResponse } from '../src/spi/runtime.ts';
import { REFUSED, TAKEN } from '../src/testing/index.ts';
import { HOUR, MINUTE, listen, only, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

const UNSAFE: WebhookResponse = { errorCode: 'UNSAFE_URL', responseStatus: null, responseBody: null };
const WAITS = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];

/** An endpoint and its delivery, which is answered like this at first. */
async function delivering(answer: WebhookResponse = REFUSED) {
  const world = await startWorld({ roles: only('api', 'webhooks') });
  const webhook = await listen(world);
  world.sender.answer(() => answer);
  const { id } = await world.api.webhooks.test(webhook.id);
  await world.clock.settle();
  return { world, webhook, id, get: () => world.api.deliveries.get(id) };
}

async function exhausted() {
  const parts = await delivering();
  for (const wait of WAITS) await jumpAhead(parts.world, wait);
  return parts;
}

/** Long waits: their last quarter of an hour goes by second after second. */
async function jumpAhead({ clock }: World, ms: number): Promise<void> {
  const atLast = Math.min(ms, 15 * MINUTE);
  clock.jump(ms - atLast);
  await clock.advance(atLast);
}

const iso = (time: number): string => new Date(time).toISOString().replace('Z', '+00:00');

describe('a delivery that fails', () => {
  it('is tried again after 1 min, 5 min, 30 min, 2 h, 6 h, 12 h and 24 h to the millisecond, then exhausted', async () => {
    const { world, get } = await delivering();
    for (const [i, wait] of WAITS.entries()) {
      expect(await get()).toMatchObject({
        status: 'retrying',
        attempts: i + 1,
        last_attempt_at: iso(world.clock.now()),
        next_retry_at: iso(world.clock.now() + wait),
        response_status: 500,
        error_code: 'HTTP_ERROR',
      });
      await jumpAhead(world, wait - 1);
      expect(world.sender.requests).toHaveLength(i + 1);
      await world.clock.advance(1);
      expect(world.sender.requests).toHaveLength(i + 2);
    }
    expect(await get()).toMatchObject({
      status: 'exhausted',
      attempts: 8,
      next_retry_at: null,
      delivered_at: null,
    });
    const tried = (await get()).attempt_log.map(({ at }) => Date.parse(at));
    expect((tried.at(-1) ?? 0) - (tried[0] ?? 0)).toBe(44 * HOUR + 36 * MINUTE);
    await jumpAhead(world, 25 * HOUR);
    expect(world.sender.requests).toHaveLength(8);
  });

  it('is a success once it is taken, with nothing left of its failures but the log', async () => {
    const { world, webhook, get } = await delivering();
    await world.clock.advance(MINUTE);
    world.sender.answer(() => TAKEN);
    await world.clock.advance(5 * MINUTE);
    expect(await get()).toMatchObject({
      status: 'success',
      attempts: 3,
      next_retry_at: null,
      response_status: 200,
      error_code: null,
      delivered_at: iso(world.clock.now()),
    });
    expect((await get()).attempt_log.map(({ error_code }) => error_code)).toEqual([
      'HTTP_ERROR',
      'HTTP_ERROR',
      null,
    ]);
    expect(await world.api.webhooks.list()).toMatchObject({ configured: true, data: [{ id: webhook.id }] });
  });

  it.each<WebhookResponse>([
    { errorCode: 'REDIRECT', responseStatus: 302, responseBody: '' },
    { errorCode: 'TIMEOUT', responseStatus: null, responseBody: null },
    { errorCode: 'CONNECTION_FAILED', responseStatus: null, responseBody: null },
    { errorCode: 'TLS_FAILED', responseStatus: null, responseBody: null },
    { errorCode: 'DNS_FAILED', responseStatus: null, responseBody: null },
  ])('is tried again after $errorCode', async (answer) => {
    const { get } = await delivering(answer);
    expect(await get()).toMatchObject({
      status: 'retrying',
      error_code: answer.errorCode,
      response_status: answer.responseStatus,
    });
    expect((await get()).attempt_log).toMatchObject([{ response_body: answer.responseBody }]);
  });

  it('is over at once where its URL is no longer allowed', async () => {
    const { world, get } = await delivering(UNSAFE);
    await world.clock.advance(HOUR);
    expect(await get()).toMatchObject({
      status: 'failed',
      attempts: 1,
      error_code: 'UNSAFE_URL',
      next_retry_at: null,
    });
    expect(world.sender.requests).toHaveLength(1);
  });

  it('counts as failed where the sender throws', async () => {
    const { world, get } = await delivering(TAKEN);
    expect(await get()).toMatchObject({ status: 'success' });
    world.sender.answer(() => Promise.reject(new Error('a bug of the sender')));
    const [webhook] = (await world.api.webhooks.list()).data;
    const { id } = await world.api.webhooks.test(webhook?.id ?? '');
    await world.clock.settle();
    expect(await world.api.deliveries.get(id)).toMatchObject({
      status: 'retrying',
      error_code: 'CONNECTION_FAILED',
    });
  });
});

describe('a retry by hand', () => {
  const refused = { code: 'WEBHOOK_RETRY_NOT_ALLOWED', status: 409 };

  it('makes one more attempt at once, which is not repeated', async () => {
    const { world, id, get } = await exhausted();
    expect(await get()).toMatchObject({ status: 'exhausted' });
    expect(await world.api.deliveries.retry(id)).toMatchObject({
      status: 'pending',
      attempts: 8,
      next_retry_at: null,
      error_code: 'HTTP_ERROR',
    });
    await world.clock.advance(HOUR);
    expect(await get()).toMatchObject({ status: 'exhausted', attempts: 9 });
    expect((await get()).attempt_log.at(-1)).toMatchObject({ attempt: 9, manual: true });

    world.sender.answer(() => TAKEN);
    await world.api.deliveries.retry(id);
    await world.clock.settle();
    expect(await get()).toMatchObject({ status: 'success', attempts: 10, error_code: null });
    expect(new Set((await get()).attempt_log.map(({ manual }) => manual)).size).toBe(2);
  });

  it('of a failed delivery that fails again leaves it failed', async () => {
    const { world, id, get } = await delivering(UNSAFE);
    world.sender.answer(() => REFUSED);
    await world.api.deliveries.retry(id);
    await world.clock.advance(HOUR);
    expect(await get()).toMatchObject({
      status: 'failed',
      attempts: 2,
      error_code: 'HTTP_ERROR',
      next_retry_at: null,
    });
  });

  it('is refused while the delivery is still being attempted, and after a success', async () => {
    const { world, id } = await delivering();
    await expect(world.api.deliveries.retry(id)).rejects.toMatchObject(refused);
    world.sender.answer(() => TAKEN);
    await world.clock.advance(MINUTE);
    await expect(world.api.deliveries.retry(id)).rejects.toMatchObject(refused);
  });

  it('is refused while the endpoint is disabled, and once it is deleted', async () => {
    const { world, webhook, id, get } = await exhausted();
    await world.api.webhooks.update(webhook.id, { status: 'disabled' });
    await expect(world.api.deliveries.retry(id)).rejects.toMatchObject(refused);
    await expect(world.api.webhooks.retryFailed(webhook.id)).rejects.toMatchObject({
      code: 'WEBHOOK_DISABLED',
      status: 409,
    });
    await world.api.webhooks.delete(webhook.id);
    await expect(world.api.deliveries.retry(id)).rejects.toMatchObject(refused);
    await expect(world.api.webhooks.retryFailed(webhook.id)).rejects.toMatchObject({
      code: 'WEBHOOK_NOT_FOUND',
    });
    expect(await get()).toMatchObject({ id, status: 'exhausted', attempts: 8 });
  });

  it('of all that failed reaches every one, and ends although the receiver refuses most', async () => {
    const { world, webhook, id: oldest } = await delivering(UNSAFE);
    for (let i = 0; i < 149; i++) await world.api.webhooks.test(webhook.id);
    await world.clock.advance(5 * MINUTE);
    world.sender.answer(({ headers }) => (headers.get('X-Service-Delivery') === oldest ? TAKEN : REFUSED));
    const results = [];
    do {
      results.push(await world.api.webhooks.retryFailed(webhook.id));
      await world.clock.advance(2 * MINUTE);
    } while ((results.at(-1)?.remaining ?? 0) > 0 && results.length < 10);
    expect(results).toEqual([
      { requeued: 100, remaining: 50 },
      { requeued: 100, remaining: 0 },
    ]);
    expect(await world.api.deliveries.get(oldest)).toMatchObject({ status: 'success' });
    expect(await world.api.webhooks.retryFailed(webhook.id)).toEqual({ requeued: 100, remaining: 49 });
  });

  it('of all that failed takes a hundred at a time', async () => {
    const { world, webhook } = await delivering(UNSAFE);
    for (let i = 0; i < 129; i++) await world.api.webhooks.test(webhook.id);
    await world.clock.advance(2 * MINUTE);
    expect(world.sender.requests).toHaveLength(130);
    world.sender.answer(() => TAKEN);

    expect(await world.api.webhooks.retryFailed(webhook.id)).toEqual({ requeued: 100, remaining: 30 });
    expect(await world.api.webhooks.retryFailed(webhook.id)).toEqual({ requeued: 30, remaining: 0 });
    expect(await world.api.webhooks.retryFailed(webhook.id)).toEqual({ requeued: 0, remaining: 0 });
    await world.clock.advance(3 * MINUTE);
    const { data } = await world.api.webhooks.deliveries(webhook.id, { limit: 100, status: 'success' });
    expect(data).toHaveLength(100);
    expect(await world.api.webhooks.deliveries(webhook.id, { status: 'failed' })).toMatchObject({ data: [] });
  });
});
