import { describe, expect, it } from 'vitest';
import type { WebhookResponse } from '../src/spi/runtime.ts';
import { REFUSED, TAKEN } from '../src/testing/index.ts';
import { HOUR, MINUTE, jumpAhead, listen, only, startHarness } from './support/harness.ts';

const UNSAFE: WebhookResponse = { errorCode: 'UNSAFE_URL', responseStatus: null, responseBody: null };
const WAITS = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];

async function delivering(response: WebhookResponse = REFUSED) {
  const harness = await startHarness({ roles: only('api', 'webhooks') });
  const webhook = await listen(harness);
  harness.sender.respond(() => response);
  const { id } = await harness.api.webhooks.test(webhook.id);
  await harness.clock.settle();
  return { harness, webhook, id, get: () => harness.api.deliveries.get(id) };
}

async function exhausted() {
  const parts = await delivering();
  for (const wait of WAITS) await jumpAhead(parts.harness, wait);
  return parts;
}

const iso = (time: number): string => new Date(time).toISOString().replace('Z', '+00:00');

describe('a delivery that fails', () => {
  it('is tried again after 1 min, 5 min, 30 min, 2 h, 6 h, 12 h and 24 h to the millisecond, then exhausted', async () => {
    const { harness, get } = await delivering();
    for (const [i, wait] of WAITS.entries()) {
      expect(await get()).toMatchObject({
        status: 'retrying',
        attempts: i + 1,
        last_attempt_at: iso(harness.clock.now()),
        next_retry_at: iso(harness.clock.now() + wait),
        response_status: 500,
        error_code: 'HTTP_ERROR',
      });
      await jumpAhead(harness, wait - 1);
      expect(harness.sender.requests).toHaveLength(i + 1);
      await harness.clock.advance(1);
      expect(harness.sender.requests).toHaveLength(i + 2);
    }
    expect(await get()).toMatchObject({
      status: 'exhausted',
      attempts: 8,
      next_retry_at: null,
      delivered_at: null,
    });
    const tried = (await get()).attempt_log.map(({ at }) => Date.parse(at));
    expect((tried.at(-1) ?? 0) - (tried[0] ?? 0)).toBe(44 * HOUR + 36 * MINUTE);
    await jumpAhead(harness, 25 * HOUR);
    expect(harness.sender.requests).toHaveLength(8);
  });

  it('can be tried before its time, and keeps to its schedule from there', async () => {
    const { harness, id, get } = await delivering();
    await harness.clock.advance(MINUTE);
    await harness.clock.advance(1);
    const asked = await harness.api.deliveries.tryNow(id);
    expect(asked).toMatchObject({ status: 'retrying', attempts: 2, next_retry_at: iso(harness.clock.now()) });
    await harness.clock.settle();
    expect(await get()).toMatchObject({
      status: 'retrying',
      attempts: 3,
      next_retry_at: iso(harness.clock.now() + 30 * MINUTE),
    });
    expect((await get()).attempt_log.map(({ manual }) => manual)).toEqual([false, false, false]);
    for (const wait of WAITS.slice(2)) await jumpAhead(harness, wait);
    expect(await get()).toMatchObject({ status: 'exhausted', attempts: 8 });
    await expect(harness.api.deliveries.tryNow(id)).rejects.toMatchObject({
      code: 'WEBHOOK_RETRY_NOT_ALLOWED',
    });
  });

  it('is a success once it is taken, with nothing left of its failures but the log', async () => {
    const { harness, webhook, get } = await delivering();
    await harness.clock.advance(MINUTE);
    harness.sender.respond(() => TAKEN);
    await harness.clock.advance(5 * MINUTE);
    expect(await get()).toMatchObject({
      status: 'success',
      attempts: 3,
      next_retry_at: null,
      response_status: 200,
      error_code: null,
      delivered_at: iso(harness.clock.now()),
    });
    expect((await get()).attempt_log.map(({ error_code }) => error_code)).toEqual([
      'HTTP_ERROR',
      'HTTP_ERROR',
      null,
    ]);
    expect(await harness.api.webhooks.list()).toMatchObject({ configured: true, data: [{ id: webhook.id }] });
  });

  it.each<WebhookResponse>([
    { errorCode: 'REDIRECT', responseStatus: 302, responseBody: '' },
    { errorCode: 'TIMEOUT', responseStatus: null, responseBody: null },
    { errorCode: 'CONNECTION_FAILED', responseStatus: null, responseBody: null },
    { errorCode: 'TLS_FAILED', responseStatus: null, responseBody: null },
    { errorCode: 'DNS_FAILED', responseStatus: null, responseBody: null },
  ])('is tried again after $errorCode', async (response) => {
    const { get } = await delivering(response);
    expect(await get()).toMatchObject({
      status: 'retrying',
      error_code: response.errorCode,
      response_status: response.responseStatus,
    });
    expect((await get()).attempt_log).toMatchObject([{ response_body: response.responseBody }]);
  });

  it('fails immediately if its URL is no longer allowed', async () => {
    const { harness, get } = await delivering(UNSAFE);
    await harness.clock.advance(HOUR);
    expect(await get()).toMatchObject({
      status: 'failed',
      attempts: 1,
      error_code: 'UNSAFE_URL',
      next_retry_at: null,
    });
    expect(harness.sender.requests).toHaveLength(1);
  });

  it('counts as failed where the sender throws', async () => {
    const { harness, get } = await delivering(TAKEN);
    expect(await get()).toMatchObject({ status: 'success' });
    harness.sender.respond(() => Promise.reject(new Error('a bug of the sender')));
    const [webhook] = (await harness.api.webhooks.list()).data;
    const { id } = await harness.api.webhooks.test(webhook?.id ?? '');
    await harness.clock.settle();
    expect(await harness.api.deliveries.get(id)).toMatchObject({
      status: 'retrying',
      error_code: 'CONNECTION_FAILED',
    });
  });
});

describe('a retry by hand', () => {
  const refused = { code: 'WEBHOOK_RETRY_NOT_ALLOWED', status: 409 };

  it('makes one more attempt immediately, which is not repeated', async () => {
    const { harness, id, get } = await exhausted();
    expect(await get()).toMatchObject({ status: 'exhausted' });
    expect(await harness.api.deliveries.retry(id)).toMatchObject({
      status: 'pending',
      attempts: 8,
      next_retry_at: null,
      error_code: 'HTTP_ERROR',
    });
    await harness.clock.advance(HOUR);
    expect(await get()).toMatchObject({ status: 'exhausted', attempts: 9 });
    expect((await get()).attempt_log.at(-1)).toMatchObject({ attempt: 9, manual: true });

    harness.sender.respond(() => TAKEN);
    await harness.api.deliveries.retry(id);
    await harness.clock.settle();
    expect(await get()).toMatchObject({ status: 'success', attempts: 10, error_code: null });
    expect(new Set((await get()).attempt_log.map(({ manual }) => manual)).size).toBe(2);
  });

  it('leaves a failed delivery failed if it fails again', async () => {
    const { harness, id, get } = await delivering(UNSAFE);
    harness.sender.respond(() => REFUSED);
    await harness.api.deliveries.retry(id);
    await harness.clock.advance(HOUR);
    expect(await get()).toMatchObject({
      status: 'failed',
      attempts: 2,
      error_code: 'HTTP_ERROR',
      next_retry_at: null,
    });
  });

  it('is refused while the delivery is still being attempted, and after a success', async () => {
    const { harness, id } = await delivering();
    await expect(harness.api.deliveries.retry(id)).rejects.toMatchObject(refused);
    harness.sender.respond(() => TAKEN);
    await harness.clock.advance(MINUTE);
    await expect(harness.api.deliveries.retry(id)).rejects.toMatchObject(refused);
  });

  it('is refused while the endpoint is disabled, and once it is deleted', async () => {
    const { harness, webhook, id, get } = await exhausted();
    await harness.api.webhooks.update(webhook.id, { status: 'disabled' });
    await expect(harness.api.deliveries.retry(id)).rejects.toMatchObject(refused);
    await expect(harness.api.webhooks.retryFailedDeliveries(webhook.id)).rejects.toMatchObject({
      code: 'WEBHOOK_DISABLED',
      status: 409,
    });
    await harness.api.webhooks.delete(webhook.id);
    await expect(harness.api.deliveries.retry(id)).rejects.toMatchObject(refused);
    await expect(harness.api.webhooks.retryFailedDeliveries(webhook.id)).rejects.toMatchObject({
      code: 'WEBHOOK_NOT_FOUND',
    });
    expect(await get()).toMatchObject({ id, status: 'exhausted', attempts: 8 });
  });

  it('reaches every failed delivery, and ends although the receiver refuses most', async () => {
    const { harness, webhook, id: oldest } = await delivering(UNSAFE);
    for (let i = 0; i < 149; i++) await harness.api.webhooks.test(webhook.id);
    await harness.clock.advance(5 * MINUTE);
    harness.sender.respond(({ headers }) => (headers.get('X-Service-Delivery') === oldest ? TAKEN : REFUSED));
    const results = [];
    do {
      results.push(await harness.api.webhooks.retryFailedDeliveries(webhook.id));
      await harness.clock.advance(2 * MINUTE);
    } while ((results.at(-1)?.remaining ?? 0) > 0 && results.length < 10);
    expect(results).toEqual([
      { requeued: 100, remaining: 50 },
      { requeued: 100, remaining: 0 },
    ]);
    expect(await harness.api.deliveries.get(oldest)).toMatchObject({ status: 'success' });
    expect(await harness.api.webhooks.retryFailedDeliveries(webhook.id)).toEqual({
      requeued: 100,
      remaining: 49,
    });
  });

  it('retries at most a hundred failed deliveries at a time', async () => {
    const { harness, webhook } = await delivering(UNSAFE);
    for (let i = 0; i < 129; i++) await harness.api.webhooks.test(webhook.id);
    await harness.clock.advance(2 * MINUTE);
    expect(harness.sender.requests).toHaveLength(130);
    harness.sender.respond(() => TAKEN);

    expect(await harness.api.webhooks.retryFailedDeliveries(webhook.id)).toEqual({
      requeued: 100,
      remaining: 30,
    });
    expect(await harness.api.webhooks.retryFailedDeliveries(webhook.id)).toEqual({
      requeued: 30,
      remaining: 0,
    });
    expect(await harness.api.webhooks.retryFailedDeliveries(webhook.id)).toEqual({
      requeued: 0,
      remaining: 0,
    });
    await harness.clock.advance(3 * MINUTE);
    const { data } = await harness.api.webhooks.deliveries(webhook.id, { limit: 100, status: 'success' });
    expect(data).toHaveLength(100);
    expect(await harness.api.webhooks.deliveries(webhook.id, { status: 'failed' })).toMatchObject({
      data: [],
    });
  });
});
