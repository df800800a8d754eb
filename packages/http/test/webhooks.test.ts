import { describe, expect, test } from 'vitest';
import { REFUSED, TAKEN } from '@trunkline/core/testing';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';
import { textOf } from './client.ts';
import type { Call, Seen } from './client.ts';
import { expectFields, FIELDS, TIMESTAMP } from './resource-fields.ts';

const ENDPOINT = {
  url: 'https://hooks.example.com/in',
  events: ['message.sent', 'message.failed'],
  description: 'orders',
};

async function ready(): Promise<{
  readonly service: Service;
  readonly call: Call;
  readonly webhook: string;
  readonly created: Seen;
}> {
  const service = await startService();
  const { call } = await service.newWorkspace();
  const created = await call('POST', '/webhooks', { json: ENDPOINT });
  return { service, call, created, webhook: idOf(created.json) };
}

const all = (seen: Seen): { id: string; status: string }[] => JSON.parse(seen.text).data;

describe('POST /webhooks', () => {
  test('registers an endpoint and returns its secret once', async () => {
    const { call, created, webhook } = await ready();
    expect(created.status).toBe(201);
    expect(created.headers.get('Cache-Control')).toBe('no-store');
    expectFields(created.json.data, `${FIELDS.webhook} secret`);
    const { secret, ...endpoint } = JSON.parse(created.text).data;
    expect(secret).toMatch(/^whsec_/);
    expect(endpoint).toEqual({
      ...ENDPOINT,
      instances: null,
      secret_begins_at: null,
      id: expect.stringMatching(/^wh_/),
      status: 'enabled',
      secret_hint: `…${secret.slice(-4)}`,
      last_delivery: null,
      disabled_at: null,
      disabled_reason: null,
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      trace_context: false,
      failing_since: null,
      auto_disable_at: null,
    });
    const read = await call('GET', `/webhooks/${webhook}`);
    expect(read.json).toEqual({ data: endpoint });
    expect(read.headers.get('Cache-Control')).toBe('private, no-cache');
  });

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['url', 'events']],
    ['no events', { url: ENDPOINT.url, events: [] }, ['events']],
    ['an event twice', { url: ENDPOINT.url, events: ['message.sent', 'message.sent'] }, ['events']],
    ['an event that cannot be subscribed', { url: ENDPOINT.url, events: ['webhook.test'] }, ['events']],
    ['events as text', { url: ENDPOINT.url, events: 'message.sent' }, ['events']],
    ['a url that is not a string', { ...ENDPOINT, url: 5 }, ['url']],
    ['instances with an invalid id', { ...ENDPOINT, instances: ['x'] }, ['instances']],
    ['instances as text', { ...ENDPOINT, instances: 'all' }, ['instances']],
    ['trace_context as text', { ...ENDPOINT, trace_context: 'true' }, ['trace_context']],
    ['256 characters of description', { ...ENDPOINT, description: 'a'.repeat(256) }, ['description']],
  ])('refuses %s as VALIDATION_FAILED, and names the field', async (_, json, fields) => {
    const { call } = await (await startService()).newWorkspace();
    const seen = await call('POST', '/webhooks', { json });
    expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(Object.keys(seen.json.error?.details?.fields ?? {})).toEqual(fields);
  });

  test.each([
    'http://hooks.example.com/',
    'https://hooks.example.com:444/',
    'https://127.0.0.1/',
    'not a url',
  ])('refuses the URL %s', async (url) => {
    const { call } = await (await startService()).newWorkspace();
    const seen = await call('POST', '/webhooks', { json: { ...ENDPOINT, url } });
    expect([seen.status, seen.code]).toEqual([422, 'INVALID_WEBHOOK_URL']);
  });

  test('refuses a sixth endpoint', async () => {
    const { call } = await (await startService()).newWorkspace();
    for (let i = 0; i < 5; i++)
      expect((await call('POST', '/webhooks', { json: ENDPOINT })).status).toBe(201);
    const seen = await call('POST', '/webhooks', { json: ENDPOINT });
    expect([seen.status, seen.code]).toEqual([403, 'WEBHOOK_LIMIT_REACHED']);
  });

  test('needs the verified email of the member who made the key', async () => {
    const service = await startService();
    const { id: workspaceId, call: owner } = await service.newWorkspace();
    const webhook = idOf((await owner('POST', '/webhooks', { json: ENDPOINT })).json);
    const member = await service.trunkline.admin.members.create({
      workspaceId,
      email: 'ada@example.com',
      emailVerified: false,
    });
    const call = await service.newKey(workspaceId, { memberId: member.id });
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PATCH', `/webhooks/${webhook}`],
    ] as const) {
      const seen = await call(method, path, { json: ENDPOINT });
      expect([seen.status, seen.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      expect(seen.json.error?.details).toEqual({ reason: 'email_not_verified' });
    }
  });
});

test('GET /webhooks lists the webhooks, newest first, and says whether one works', async () => {
  const { service, call, webhook } = await ready();
  const second = idOf((await call('POST', '/webhooks', { json: ENDPOINT })).json);
  const before = await call('GET', '/webhooks');
  expect(all(before).map(({ id }) => id)).toEqual([second, webhook]);
  expect(Object.keys(before.json)).toEqual(['data', 'meta']);
  expect(before.json.meta).toEqual({ configured: false });

  await call('POST', `/webhooks/${webhook}/test`);
  await service.clock.advance(1_000);
  const after = await call('GET', '/webhooks');
  expect(after.json.meta).toEqual({ configured: true });
  expect(after.json.data?.[1]?.last_delivery).toEqual({
    id: expect.stringMatching(/^whd_/),
    status: 'success',
    response_status: 200,
    at: TIMESTAMP,
  });
});

test('PATCH /webhooks/{webhook} changes what it is given', async () => {
  const { call, webhook } = await ready();
  const path = `/webhooks/${webhook}`;
  expect(await call('PATCH', path)).toMatchObject({ status: 200, json: { data: ENDPOINT } });
  expect((await call('PATCH', path, { json: { description: null } })).json.data).toMatchObject({
    ...ENDPOINT,
    description: null,
  });
  expect((await call('PATCH', path, { json: { events: ['message.read'] } })).json.data?.events).toEqual([
    'message.read',
  ]);
  expect((await call('PATCH', path, { json: { status: 'disabled' } })).json.data).toMatchObject({
    status: 'disabled',
    disabled_at: TIMESTAMP,
    disabled_reason: 'manual',
  });
  const enabled = await call('PATCH', path, { json: { status: 'enabled' } });
  expect(enabled.json.data).toMatchObject({ status: 'enabled', disabled_at: null, disabled_reason: null });
  expectFields(enabled.json.data, FIELDS.webhook);
  expect((await call('PATCH', path, { json: { status: 'paused' } })).code).toBe('VALIDATION_FAILED');
  expect((await call('PATCH', path, { json: { url: 'http://x' } })).code).toBe('INVALID_WEBHOOK_URL');
});

test('DELETE /webhooks/{webhook} removes the webhook', async () => {
  const { call, webhook } = await ready();
  expect(await call('DELETE', `/webhooks/${webhook}`)).toMatchObject({ status: 204, text: '' });
  for (const method of ['GET', 'DELETE']) {
    const seen = await call(method, `/webhooks/${webhook}`);
    expect([seen.status, seen.code]).toEqual([404, 'WEBHOOK_NOT_FOUND']);
  }
});

test('POST /webhooks/{webhook}/rotate-secret returns the new secret', async () => {
  const { call, created, webhook } = await ready();
  const seen = await call('POST', `/webhooks/${webhook}/rotate-secret`);
  expect(seen.status).toBe(200);
  expect(seen.headers.get('Cache-Control')).toBe('no-store');
  expectFields(seen.json.data, `${FIELDS.webhook} secret`);
  expect(seen.json.data?.secret).toMatch(/^whsec_/);
  expect(seen.json.data?.secret).not.toBe(created.json.data?.secret);
});

describe('deliveries', () => {
  test('a test event is delivered like any other, and its log can be read', async () => {
    const { service, call, webhook } = await ready();
    const queued = await call('POST', `/webhooks/${webhook}/test`);
    expect(queued.status).toBe(202);
    expectFields(queued.json.data, FIELDS.delivery);
    expect(queued.json.data).toMatchObject({
      id: expect.stringMatching(/^whd_/),
      webhook_id: webhook,
      event: { id: expect.stringMatching(/^evt_/), type: 'webhook.test', occurred_at: TIMESTAMP },
      status: 'pending',
      attempts: 0,
      max_attempts: 8,
    });

    await service.clock.advance(1_000);
    const detail = await call('GET', `/webhook-deliveries/${idOf(queued.json)}`);
    expect(detail.status).toBe(200);
    expectFields(detail.json.data, `${FIELDS.delivery} request attempt_log`);
    expect(detail.json.data).toMatchObject({
      status: 'success',
      attempts: 1,
      response_status: 200,
      delivered_at: TIMESTAMP,
    });
    expectFields(detail.json.data?.request, 'url headers payload');
    expect(detail.json.data?.request?.payload).toMatchObject({
      type: 'webhook.test',
      data: { webhook: { id: webhook, url: ENDPOINT.url, description: 'orders' } },
    });
    expect(detail.text).not.toMatch(/x-service-(signature|timestamp)/i);
    expectFields(detail.json.data?.attempt_log?.[0], FIELDS.attempt);
    expect(detail.json.data?.attempt_log).toMatchObject([
      {
        attempt: 1,
        manual: false,
        response_status: 200,
        response_body: 'ok',
        error_code: null,
        at: TIMESTAMP,
      },
    ]);
  });

  test('that were never attempted keep the last URL of their webhook after its deletion', async () => {
    const { service, call, webhook } = await ready();
    const response = Promise.withResolvers<typeof TAKEN>();
    service.receivers.respond(() => response.promise);
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(idOf((await call('POST', `/webhooks/${webhook}/test`)).json));
    const url = 'https://hooks.example.com/moved';
    await call('PATCH', `/webhooks/${webhook}`, { json: { url } });
    expect((await call('DELETE', `/webhooks/${webhook}`)).status).toBe(204);
    // Only two requests to a webhook are sent concurrently, so the third was not sent.
    const detail = await call('GET', `/webhook-deliveries/${ids[2]}`);
    response.resolve(TAKEN);
    expect(detail.json.data).toMatchObject({
      status: 'failed',
      attempts: 0,
      error_code: 'ENDPOINT_DELETED',
      request: { url },
    });
  });

  test('are listed newest first, on pages, by status and event', async () => {
    const { service, call, webhook } = await ready();
    const path = `/webhooks/${webhook}/deliveries`;
    const ids = [];
    for (let i = 0; i < 3; i++) ids.unshift(idOf((await call('POST', `/webhooks/${webhook}/test`)).json));
    await service.clock.advance(1_000);

    const first = await call('GET', `${path}?limit=2`);
    expect(first.status).toBe(200);
    expect(Object.keys(first.json)).toEqual(['data', 'meta']);
    expect(all(first).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.json.meta).toEqual({ next_cursor: expect.any(String), per_page: 2 });
    expectFields(first.json.data?.[0], FIELDS.delivery);
    const second = await call('GET', `${path}?limit=2&cursor=${textOf(first.json.meta?.next_cursor)}`);
    expect(all(second).map(({ id }) => id)).toEqual(ids.slice(2));
    expect(second.json.meta).toEqual({ next_cursor: null, per_page: 2 });

    expect(all(await call('GET', `${path}?status=success&event=webhook.test`))).toHaveLength(3);
    expect(all(await call('GET', `${path}?status=failed`))).toEqual([]);
    expect(all(await call('GET', `${path}?event=of.no.such.type`))).toEqual([]);
  });

  test.each([
    ['status', 'lost'],
    ['event', 'e'.repeat(41)],
    ['limit', '101'],
    ['cursor', 'made-up'],
  ])('refuses %s=%s', async (name, value) => {
    const { call, webhook } = await ready();
    const seen = await call('GET', `/webhooks/${webhook}/deliveries?${name}=${value}`);
    expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(Object.keys(seen.json.error?.details?.fields ?? {})).toEqual([name]);
  });

  test('can be queued again after they failed, one by one or all', async () => {
    const { service, call, webhook } = await ready();
    service.receivers.respond(() => REFUSED);
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(idOf((await call('POST', `/webhooks/${webhook}/test`)).json));
    await service.clock.advance(1_000);
    const open = await call('POST', `/webhook-deliveries/${ids[0]}/retry`);
    expect([open.status, open.code]).toEqual([409, 'WEBHOOK_RETRY_NOT_ALLOWED']);

    await call('PATCH', `/webhooks/${webhook}`, { json: { status: 'disabled' } });
    expect((await call('POST', `/webhook-deliveries/${ids[0]}/retry`)).code).toBe(
      'WEBHOOK_RETRY_NOT_ALLOWED',
    );
    expect((await call('POST', `/webhooks/${webhook}/deliveries/retry-failed`)).code).toBe(
      'WEBHOOK_DISABLED',
    );
    expect((await call('POST', `/webhooks/${webhook}/test`)).code).toBe('WEBHOOK_DISABLED');

    await call('PATCH', `/webhooks/${webhook}`, { json: { status: 'enabled' } });
    service.receivers.respond(() => TAKEN);
    const retried = await call('POST', `/webhook-deliveries/${ids[0]}/retry`);
    expect(retried.status).toBe(202);
    expectFields(retried.json.data, FIELDS.delivery);
    expect(retried.json.data).toMatchObject({ id: ids[0], status: 'pending', next_retry_at: null });
    expect(await call('POST', `/webhooks/${webhook}/deliveries/retry-failed`)).toMatchObject({
      status: 202,
      json: { data: { requeued: 2, remaining: 0 } },
    });
    await service.clock.advance(10_000);
    expect(all(await call('GET', `/webhooks/${webhook}/deliveries?status=success`))).toHaveLength(3);
    expect((await call('POST', `/webhook-deliveries/${ids[0]}/retry`)).status).toBe(409);
  });
});
