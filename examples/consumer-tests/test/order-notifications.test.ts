import { createClient } from '@trunkline/http/client';
import { startMockTrunkline } from '@trunkline/http/msw';
import type { MockTrunkline } from '@trunkline/http/msw';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOrderNotifications } from '../src/order-notifications.ts';
import type { OrderNotifications } from '../src/order-notifications.ts';

const baseUrl = 'https://api.example.com/api/v1';
const server = setupServer();
let trunkline: MockTrunkline;
let notifications: OrderNotifications;
let instance: string;

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterAll(() => server.close());

// Each test starts its own service, which takes a few milliseconds.
beforeEach(async () => {
  trunkline = await startMockTrunkline({ baseUrl, onWebhook: (request) => notifications.webhook(request) });
  server.use(...trunkline.handlers);
  const { workspace } = trunkline;
  const { secret } = await workspace.webhooks.create({
    url: 'https://shop.example.com/trunkline',
    events: ['message.received', 'message.sent', 'message.delivered', 'message.read', 'message.failed'],
  });
  instance = (await trunkline.connectInstance({ name: 'Shop' })).id;
  const client = createClient({ baseUrl, apiKey: trunkline.apiKey });
  notifications = createOrderNotifications({ client, instance, webhookSecret: secret });
});
afterEach(async () => {
  server.resetHandlers();
  await trunkline.stop();
});

/** Webhooks take a moment, and on a busy machine longer than the second that Vitest waits by default. */
function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 30_000 });
}

describe('the notification of a shipped order', () => {
  it('is sent, and known to be read', async () => {
    expect(await notifications.shipped({ id: '4711', phone: '+1 555 0100' })).toBe('queued');
    await eventually(() => expect(notifications.statusOf('4711')).toBe('read'));
    expect(trunkline.sandbox.phone(instance).accepted()).toMatchObject([
      { to: '15550100', text: 'Your order 4711 is on its way.' },
    ]);
  });

  it('is sent once, however often it is asked for', async () => {
    const order = { id: '4711', phone: '+1 555 0100' };
    await Promise.all([notifications.shipped(order), notifications.shipped(order)]);
    await eventually(() => expect(notifications.statusOf('4711')).toBe('read'));
    expect(trunkline.sandbox.phone(instance).accepted()).toHaveLength(1);
  });

  it('fails when the network refuses the number', async () => {
    await notifications.shipped({ id: '4711', phone: '+1 555 555 0003' }); // 0003: see docs/sandbox.md
    await eventually(() => expect(notifications.statusOf('4711')).toBe('failed'));
  });

  it('is not sent to what is not a number', async () => {
    expect(await notifications.shipped({ id: '4711', phone: 'unknown' })).toBe('wrong_number');
  });

  it('has to wait while the phone is offline', async () => {
    await trunkline.workspace.instances.disconnect(instance);
    expect(await notifications.shipped({ id: '4711', phone: '+1 555 0100' })).toBe('try_later');
  });

  it('comes through where the service asks to slow down', async () => {
    const busy = HttpResponse.json(
      { error: { code: 'RATE_LIMITED', message: 'Slow down.', request_id: null } },
      { status: 429, headers: { 'Retry-After': '0' } },
    );
    server.use(http.post(`${baseUrl}/messages`, () => busy, { once: true }));
    expect(await notifications.shipped({ id: '4711', phone: '+1 555 0100' })).toBe('queued');
  });
});

describe('a customer who writes STOP', () => {
  it('gets no more notifications', async () => {
    await trunkline.sandbox.phone(instance).receive({ from: '15550100', text: 'STOP' });
    await eventually(async () =>
      expect(await notifications.shipped({ id: '4711', phone: '+1 555 0100' })).toBe('opted_out'),
    );
  });

  it('is not impersonated by somebody without the secret', async () => {
    const forged = new Request('https://shop.example.com/trunkline', { method: 'POST', body: '{}' });
    expect((await notifications.webhook(forged)).status).toBe(401);
  });
});
