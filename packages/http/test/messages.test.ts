import { describe, expect, test } from 'vitest';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';
import { textOf } from './client.ts';
import type { Call, CallOptions, Seen } from './client.ts';
import { expectFields, FIELDS, TIMESTAMP } from './resource-fields.ts';

interface Ready {
  readonly service: Service;
  readonly call: Call;
  readonly instance: string;
  readonly send: (changes?: object, options?: CallOptions) => Promise<Seen>;
}

async function ready(
  options: Parameters<typeof startService>[0] = {},
  newWorkspace: Parameters<Service['newWorkspace']>[0] = {},
): Promise<Ready> {
  const service = await startService(options);
  const { call } = await service.newWorkspace(newWorkspace);
  const instance = await service.connected(call);
  const message = { instance, to: '+1 (555) 010-0', type: 'text', text: 'hi' };
  const send: Ready['send'] = (changes, more) =>
    call('POST', '/messages', { json: { ...message, ...changes }, ...more });
  return { service, call, instance, send };
}

const withKey = (key: string): CallOptions => ({ headers: { 'Idempotency-Key': key } });

describe('POST /messages', () => {
  test('queues a text message', async () => {
    const { call, instance, send, service } = await ready();
    const seen = await send({ to: '+1 (555) 010-1234' });
    expect(seen.status).toBe(202);
    expect(seen.headers.has('Idempotent-Replayed')).toBe(false);
    expectFields(seen.json.data, FIELDS.message);
    expect(seen.json.data).toEqual({
      id: expect.stringMatching(/^msg_/),
      instance_id: instance,
      direction: 'outbound',
      type: 'text',
      status: 'queued',
      to: '15550101234',
      from: '15550100',
      group_id: null,
      contact: null,
      reply_to: null,
      kind: 'text',
      payload: null,
      origin: 'api',
      text: 'hi',
      caption: null,
      media: null,
      error: null,
      created_at: TIMESTAMP,
      queued_at: TIMESTAMP,
      sent_at: null,
      delivered_at: null,
      read_at: null,
      failed_at: null,
      received_at: null,
      edited_at: null,
      deleted_at: null,
    });
    await service.clock.advance(1_000);
    const later = await call('GET', `/messages/${idOf(seen.json)}`);
    expect(later.json.data).toMatchObject({
      status: 'read',
      sent_at: TIMESTAMP,
      delivered_at: TIMESTAMP,
      read_at: TIMESTAMP,
    });
  });

  test('queues a message to a group', async () => {
    const { call, instance, send } = await ready();
    const group = JSON.parse((await call('GET', `/instances/${instance}/groups`)).text).data[0].id;
    const seen = await send({ to: group });
    expect(seen).toMatchObject({ status: 202, json: { data: { to: null, group_id: group } } });
  });

  const GROUP = 'grp_01k9z000000000000000000000';
  const INSTANCE = 'ins_01k9z000000000000000000000';
  test.each<[string, object, number, string]>([
    ['a recipient that is not a number', { to: 'somebody' }, 422, 'INVALID_RECIPIENT'],
    ['a number that begins with 0', { to: '0155501000' }, 422, 'INVALID_RECIPIENT'],
    ['an unknown type', { type: 'sticker' }, 422, 'UNSUPPORTED_MESSAGE_TYPE'],
    ['a media type as JSON', { type: 'image' }, 422, 'UNSUPPORTED_MESSAGE_TYPE'],
    ['an unknown instance', { instance: INSTANCE }, 404, 'INSTANCE_NOT_FOUND'],
    ['an instance id of the wrong form', { instance: 'whatever' }, 404, 'INSTANCE_NOT_FOUND'],
    ['an unknown group', { to: GROUP }, 404, 'GROUP_NOT_FOUND'],
  ])('refuses %s', async (_, changes, status, code) => {
    const seen = await (await ready()).send(changes);
    expect([seen.status, seen.code]).toEqual([status, code]);
  });

  test.each<[string, object, string[]]>([
    [
      'everything missing',
      { instance: undefined, to: undefined, type: undefined },
      ['instance', 'to', 'type'],
    ],
    ['a text missing', { text: undefined }, ['text']],
    ['a number as text', { text: 5 }, ['text']],
    ['an empty text', { text: '' }, ['text']],
    ['spaces as text', { text: ' \n' }, ['text']],
    ['4,097 characters of text', { text: 'a'.repeat(4097) }, ['text']],
    ['half a character in the text', { text: '\ud83d' }, ['text']],
    ['a number as recipient', { to: 15550100 }, ['to']],
  ])('refuses %s as VALIDATION_FAILED, and names the field', async (_, changes, fields) => {
    const seen = await (await ready()).send(changes);
    expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(Object.keys(seen.json.error?.details?.fields ?? {})).toEqual(fields);
  });

  test('takes 4,096 characters beyond the basic plane', async () => {
    expect((await (await ready()).send({ text: '😀'.repeat(4096) })).status).toBe(202);
  });

  test('refuses an instance that is not connected', async () => {
    const { service, call, instance, send } = await ready();
    await service.during(call('POST', `/instances/${instance}/disconnect`));
    const seen = await send();
    expect([seen.status, seen.code]).toEqual([409, 'INSTANCE_NOT_CONNECTED']);
  });

  test.each([
    ['SUBSCRIPTION_REQUIRED', { subscription: 'none' }],
    ['SUBSCRIPTION_PAST_DUE', { subscription: 'past_due' }],
    ['TRIAL_LIMIT_REACHED', { subscription: 'trial', trialMessageLimit: 0 }],
  ] as const)('keeps to the plan: %s', async (code, plan) => {
    const service = await startService();
    const { id, call } = await service.newWorkspace();
    const instance = await service.connected(call);
    await service.trunkline.admin.workspaces.setPlan(id, plan);
    const seen = await call('POST', '/messages', {
      json: { instance, to: '15550100', type: 'text', text: 'hi' },
    });
    expect([seen.status, seen.code]).toEqual([402, code]);
  });

  test('refuses to queue more than the backlog allows, and says when to come back', async () => {
    const { service, send } = await ready({ sendBacklog: 2 });
    const seen = await Promise.all([send(), send(), send(), send(), send()]);
    const refused = seen.find(({ status }) => status === 429);
    expect(refused?.code).toBe('SEND_BACKLOG');
    const retryAfter = Number(refused?.headers.get('Retry-After'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(refused?.json.error?.details?.retry_after).toBe(retryAfter);
    expect(refused?.headers.get('X-RateLimit-Limit')).toBe('2');
    expect(refused?.headers.get('X-RateLimit-Remaining')).toBe('0');
    expect(Number(refused?.headers.get('X-RateLimit-Reset'))).toBe(service.clock.now() / 1000 + retryAfter);
  });
});

describe('Idempotency-Key', () => {
  test('the same request again gets the original message', async () => {
    const { call, send } = await ready();
    const first = await send({}, withKey('order-1'));
    const again = await send({ to: '1555-0100' }, withKey('order-1'));
    expect(first.status).toBe(202);
    expect(again.status).toBe(200);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.headers.get('Cache-Control')).toBe('private, no-cache');
    expect(idOf(again.json)).toBe(idOf(first.json));
    expect(JSON.parse((await call('GET', '/messages')).text).data).toHaveLength(1);
  });

  test('two concurrent ones are one message', async () => {
    const { send } = await ready();
    const both = await Promise.all([send({}, withKey('k')), send({}, withKey('k'))]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 202]));
    expect(new Set(both.map(({ json }) => idOf(json))).size).toBe(1);
  });

  test('a replay gets its message even when the instance is gone', async () => {
    const { service, call, instance, send } = await ready();
    const first = await send({}, withKey('k'));
    await service.during(call('DELETE', `/instances/${instance}`));
    const again = await send({}, withKey('k'));
    expect([again.status, idOf(again.json)]).toEqual([200, idOf(first.json)]);
  });

  test('another request with the same key is refused', async () => {
    const { send } = await ready();
    await send({}, withKey('k'));
    const seen = await send({ text: 'something else' }, withKey('k'));
    expect([seen.status, seen.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test.each(['', 'two words', 'ümlaut', 'a'.repeat(256)])('"%s" is malformed', async (key) => {
    const seen = await (await ready()).send({}, withKey(key));
    expect([seen.status, seen.code]).toEqual([422, 'INVALID_IDEMPOTENCY_KEY']);
  });

  test('255 characters are not', async () => {
    expect((await (await ready()).send({}, withKey('!'.repeat(255)))).status).toBe(202);
  });
});

describe('GET /messages', () => {
  async function withMessages(count: number): Promise<Ready & { readonly ids: string[] }> {
    const all = await ready();
    const ids = [];
    for (let i = 0; i < count; i++) ids.push(idOf((await all.send({ text: `message ${i}` })).json));
    await all.service.clock.advance(5_000);
    return { ...all, ids };
  }
  const idsOf = (seen: Seen): string[] => JSON.parse(seen.text).data.map(({ id }: { id: string }) => id);

  test('lists them newest first, on pages that link to each other', async () => {
    const { call, ids } = await withMessages(5);
    const newestFirst = ids.toReversed();

    const first = await call('GET', '/messages?limit=2&direction=outbound');
    expect(first.status).toBe(200);
    expect(Object.keys(first.json)).toEqual(['data', 'links', 'meta']);
    expect(idsOf(first)).toEqual(newestFirst.slice(0, 2));
    expect(first.json.links).toMatchObject({ first: null, last: null, prev: null });
    expect(first.json.meta).toEqual({
      path: 'http://localhost/api/v1/messages',
      per_page: 2,
      next_cursor: expect.any(String),
      prev_cursor: null,
    });

    const second = await call('GET', textOf(first.json.links?.next));
    expect(idsOf(second)).toEqual(newestFirst.slice(2, 4));
    const third = await call('GET', textOf(second.json.links?.next));
    expect(idsOf(third)).toEqual(newestFirst.slice(4));
    expect(third.json.links?.next).toBeNull();
    expect(third.json.meta?.next_cursor).toBeNull();

    const back = await call('GET', textOf(third.json.links?.prev));
    expect(idsOf(back)).toEqual(idsOf(second));
    const cursor = textOf(back.json.meta?.prev_cursor);
    const start = await call('GET', `/messages?limit=2&direction=outbound&cursor=${cursor}`);
    expect(idsOf(start)).toEqual(idsOf(first));
    expect(start.json.links?.prev).toBeNull();
  });

  test('has 25 on a page by default', async () => {
    const { call } = await withMessages(26);
    const seen = await call('GET', '/messages');
    expect([idsOf(seen).length, seen.json.meta?.per_page]).toEqual([25, 25]);
    expect(idsOf(await call('GET', '/messages?limit=100'))).toHaveLength(26);
  });

  test('filters by instance, direction, type and status', async () => {
    const { service, call, instance, ids } = await withMessages(1);
    await service.sandbox.phone(instance).receive({ from: '15550199', text: 'hello' });
    await service.clock.advance(1_000);
    const inbound = await call('GET', '/messages?direction=inbound');
    expect(inbound.json.data?.[0]).toMatchObject({
      direction: 'inbound',
      status: 'received',
      from: '15550199',
      to: '15550100',
      text: 'hello',
      received_at: TIMESTAMP,
      queued_at: null,
    });
    const filters = [`instance=${instance}`, 'direction=outbound', 'type=text', 'status=sent,read'].join('&');
    expect(idsOf(await call('GET', `/messages?${filters}`))).toEqual(ids);
    expect(idsOf(await call('GET', '/messages?type=image'))).toEqual([]);
    expect(idsOf(await call('GET', '/messages?status=failed'))).toEqual([]);
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', '-1'],
    ['limit', '1e1'],
    ['limit', 'many'],
    ['direction', 'sideways'],
    ['type', 'sticker'],
    ['status', 'queued,lost'],
    ['status', 'sent,'.repeat(25)],
    ['instance', 'i'.repeat(41)],
    ['cursor', 'made-up'],
    ['cursor', 'c'.repeat(513)],
  ])('refuses %s=%s', async (name, value) => {
    const { call } = await (await startService()).newWorkspace();
    const seen = await call('GET', `/messages?${name}=${value}`);
    expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(Object.keys(seen.json.error?.details?.fields ?? {})).toEqual([name]);
  });

  test('refuses a cursor that was made for another filter', async () => {
    const { call } = await withMessages(2);
    const cursor = textOf((await call('GET', '/messages?limit=1')).json.meta?.next_cursor);
    const seen = await call('GET', `/messages?limit=1&direction=inbound&cursor=${cursor}`);
    expect(seen.json.error?.details).toEqual({ fields: { cursor: [expect.any(String)] } });
  });

  test('refuses an instance that does not exist', async () => {
    const { call } = await (await startService()).newWorkspace();
    const seen = await call('GET', '/messages?instance=ins_01k9z000000000000000000000');
    expect([seen.status, seen.code]).toEqual([404, 'INSTANCE_NOT_FOUND']);
  });
});

test('the messages of a deleted instance can still be read', async () => {
  const { service, call, instance, send } = await ready();
  const id = idOf((await send()).json);
  await service.during(call('DELETE', `/instances/${instance}`));
  expect((await call('GET', `/messages/${id}`)).status).toBe(200);
  expect((await call('GET', `/messages?instance=${instance}`)).code).toBe('INSTANCE_NOT_FOUND');
});
