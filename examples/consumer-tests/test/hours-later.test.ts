import { createTrunkline, SCOPES, silentLogger } from '@trunkline/core';
import type { Trunkline, WorkspaceApi } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import type { ManualClock } from '@trunkline/core/testing';
import { createHttpApp } from '@trunkline/http';
import { createClient } from '@trunkline/http/client';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOrderNotifications } from '../src/order-notifications.ts';
import type { OrderNotifications } from '../src/order-notifications.ts';

const HOUR = 60 * 60 * 1000;
const order = { id: '4711', phone: '+1 555 0100' };

let trunkline: Trunkline;
let workspace: WorkspaceApi;
let clock: ManualClock;
let webhookId: string;
let notifications: OrderNotifications;
let isShopDown: boolean;

beforeEach(async () => {
  const runtime = testRuntime(); // a clock that only a test moves, and no network
  const sandbox = createSandbox({ scansQrs: true });
  const secretKey = 'of tests, with thirty-two characters';
  const service = {
    ...runtime,
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [sandbox.gateway],
    secretKey,
    logger: silentLogger,
  };
  trunkline = createTrunkline(service);
  clock = runtime.clock;
  await trunkline.start();

  const { workspaces, apiKeys } = trunkline.admin;
  const { id: workspaceId } = await workspaces.create({ name: 'Shop' });
  const { token } = await apiKeys.create({ workspaceId, name: 'Tests', scopes: SCOPES });
  workspace = trunkline.workspace(workspaceId);
  const { id: instance } = await workspace.instances.create({ name: 'Shop' });
  await workspace.instances.connect(instance);
  await clock.advance(1000); // the phone scans the QR code in this time
  const events = [
    'message.received',
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
  ] as const;
  const webhook = await workspace.webhooks.create({ url: 'https://shop.example.com/trunkline', events });
  webhookId = webhook.id;

  // The app's calls to the API and the service's webhooks to the app stay in this process.
  const http = createHttpApp(trunkline);
  const client = createClient({
    baseUrl: 'https://api.example.com/api/v1',
    apiKey: token,
    fetch: async (input, init) => http.fetch(new Request(input, init)),
  });
  notifications = createOrderNotifications({
    client,
    instance,
    webhookSecret: webhook.secret,
    now: clock.now,
  });
  isShopDown = false;
  runtime.webhookSender.respond(async ({ url, headers, body }) => {
    if (isShopDown) return { errorCode: 'CONNECTION_FAILED', responseStatus: null, responseBody: null };
    const response = await notifications.webhook(
      new Request(url, { method: 'POST', headers: [...headers], body }),
    );
    const errorCode = response.ok ? null : 'HTTP_ERROR';
    return { errorCode, responseStatus: response.status, responseBody: await response.text() };
  });
});
afterEach(() => trunkline.stop());

/** For each hour, sets the clock forward and then plays ten seconds, because playing whole hours would take long. */
async function hours(count: number): Promise<void> {
  for (let hour = 0; hour < count; hour += 1) {
    clock.jump(HOUR);
    await clock.advance(10_000);
  }
}

it('hears that a message was read after the shop was down for three hours', async () => {
  isShopDown = true;
  expect(await notifications.shipped(order)).toBe('queued');
  await hours(3);
  expect(notifications.statusOf('4711')).toBe('queued'); // all that the shop knows
  isShopDown = false;
  await hours(6); // the waits between attempts grow up to a day
  expect(notifications.statusOf('4711')).toBe('read');
});

it('hears of what it missed in three days when it asks for it', async () => {
  isShopDown = true;
  await notifications.shipped(order);
  await hours(72);
  const { data } = await workspace.webhooks.deliveries(webhookId);
  expect(data).toHaveLength(3); // sent, delivered and read
  for (const { status, attempts } of data) expect([status, attempts]).toEqual(['exhausted', 8]);

  isShopDown = false;
  await workspace.webhooks.retryFailedDeliveries(webhookId);
  await clock.advance(1000);
  expect(notifications.statusOf('4711')).toBe('read');
});

it('hears that a message failed if the network does not respond', async () => {
  await notifications.shipped({ id: '4712', phone: '+1 555 555 0004' }); // 0004: see docs/sandbox.md
  await clock.advance(5000);
  expect(notifications.statusOf('4712')).toBe('queued');
  await clock.advance(15_000);
  expect(notifications.statusOf('4712')).toBe('failed');
});
