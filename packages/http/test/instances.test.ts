import { createSandbox } from '@trunkline/core/sandbox';
import { describe, expect, test } from 'vitest';
import { idOf, startService } from './service.ts';
import { expectFields, FIELDS, TIMESTAMP } from './resource-fields.ts';

describe('POST /instances', () => {
  test('creates an instance from an empty object and from no body', async () => {
    const { call } = await (await startService()).newWorkspace();
    for (const options of [{ json: {} }, {}]) {
      const seen = await call('POST', '/instances', options);
      expect(seen.status).toBe(201);
      expectFields(seen.json.data, FIELDS.instance);
      const id = idOf(seen.json);
      expect(seen.json.data).toMatchObject({
        id: expect.stringMatching(/^ins_/),
        name: `Instance ${id.slice(-4)}`,
        status: 'created',
        paired: false,
        phone_number: null,
        connected_at: null,
        created_at: TIMESTAMP,
      });
      expect((await call('GET', `/instances/${id}`)).json).toEqual(seen.json);
    }
  });

  test.each([
    ['a number', { name: 5 }],
    ['nothing but spaces', { name: '   ' }],
    ['101 characters', { name: 'a'.repeat(101) }],
    ['nested deep', { name: [[[[]]]] }],
  ])('refuses a name that is %s', async (_, json) => {
    const { call } = await (await startService()).newWorkspace();
    const seen = await call('POST', '/instances', { json });
    expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(seen.json.error?.details).toEqual({ fields: { name: expect.any(Array) } });
  });

  test('takes no name from a prototype', async () => {
    const { call } = await (await startService()).newWorkspace();
    const body = '{"__proto__":{"name":"hidden"}}';
    const seen = await call('POST', '/instances', { body, headers: { 'Content-Type': 'application/json' } });
    expect(seen.json.data?.name).toMatch(/^Instance /);
  });

  test('keeps to the plan', async () => {
    const service = await startService();
    const none = await service.newWorkspace({ workspace: { plan: { subscription: 'none' } } });
    expect(await none.call('POST', '/instances')).toMatchObject({
      status: 402,
      json: { error: { code: 'SUBSCRIPTION_REQUIRED' } },
    });
    const one = await service.newWorkspace({ workspace: { plan: { instanceLimit: 1 } } });
    const both = await Promise.all([one.call('POST', '/instances'), one.call('POST', '/instances')]);
    expect(both.map((seen) => seen.code ?? 'created').toSorted()).toEqual([
      'INSTANCE_LIMIT_REACHED',
      'created',
    ]);
  });
});

test('GET /instances lists the instances, oldest first', async () => {
  const { call } = await (await startService()).newWorkspace();
  expect((await call('GET', '/instances')).json).toEqual({ data: [] });
  const created = [];
  for (const name of ['b', 'a', 'c'])
    created.push((await call('POST', '/instances', { json: { name } })).json.data);
  expect(await call('GET', '/instances')).toMatchObject({ status: 200, json: { data: created } });
});

test('PATCH /instances/{instance} renames, and changes nothing without a name', async () => {
  const { call } = await (await startService()).newWorkspace();
  const id = idOf((await call('POST', '/instances', {})).json);
  const renamed = await call('PATCH', `/instances/${id}`, { json: { name: ' Shop ', status: 'connected' } });
  expect(renamed).toMatchObject({ status: 200, json: { data: { id, name: 'Shop', status: 'created' } } });
  expect((await call('PATCH', `/instances/${id}`)).json).toEqual(renamed.json);
  expect((await call('PATCH', `/instances/${id}`, { json: { name: '' } })).status).toBe(422);
});

test('an instance is connected by its QR, disconnected, restored without one, logged out and deleted', async () => {
  const service = await startService();
  const { call } = await service.newWorkspace();
  const id = idOf((await call('POST', '/instances', {})).json);
  const path = `/instances/${id}`;

  expect((await call('GET', `${path}/qr`)).code).toBe('QR_NOT_AVAILABLE');
  expect(await call('POST', `${path}/connect`)).toMatchObject({
    status: 202,
    json: { data: { status: 'connecting' } },
  });
  await service.clock.advance(1_000);
  expect((await call('GET', path)).json.data?.status).toBe('qr_required');

  const qr = await call('GET', `${path}/qr`);
  expect(qr.json).toEqual({
    data: {
      svg: expect.stringMatching(/^<svg/),
      code: expect.any(String),
      pairing_code: null,
      expires_at: TIMESTAMP,
    },
  });
  expect(qr.headers.get('Cache-Control')).toBe('no-store');
  const svg = await call('GET', `${path}/qr`, { headers: { Accept: 'image/svg+xml' } });
  expect([svg.headers.get('Content-Type'), svg.text]).toEqual(['image/svg+xml', qr.json.data?.svg]);

  await service.sandbox.phone(id).scan({ phoneNumber: '15550100', profileName: 'Ada' });
  await service.clock.settle();
  const connected = await call('POST', `${path}/connect`);
  expect(connected).toMatchObject({
    status: 202,
    json: {
      data: {
        status: 'connected',
        paired: true,
        phone_number: '15550100',
        profile_name: 'Ada',
        connected_at: TIMESTAMP,
      },
    },
  });
  expect((await call('GET', `${path}/qr`)).status).toBe(409);

  const disconnected = await service.during(call('POST', `${path}/disconnect`));
  expect(disconnected).toMatchObject({
    status: 200,
    json: { data: { status: 'disconnected', paired: true } },
  });
  expect((await service.during(call('POST', `${path}/disconnect`))).json).toEqual(disconnected.json);

  await service.during(call('POST', `${path}/connect`));
  expect((await call('GET', path)).json.data?.status).toBe('connected');

  const loggedOut = await service.during(call('POST', `${path}/logout`));
  expect(loggedOut).toMatchObject({
    status: 200,
    json: { data: { status: 'logged_out', paired: false, phone_number: null } },
  });
  const again = await service.during(call('POST', `${path}/logout`));
  expect([again.status, again.code]).toEqual([409, 'INVALID_INSTANCE_STATE']);

  expect(await service.during(call('DELETE', path))).toMatchObject({ status: 204, text: '' });
  expect((await call('GET', path)).code).toBe('INSTANCE_NOT_FOUND');
  expect((await call('GET', '/instances')).json).toEqual({ data: [] });
});

test('GET /instances/{instance}/groups lists the groups by name', async () => {
  const service = await startService();
  const { call } = await service.newWorkspace();
  const id = await service.connected(call);
  await service.sandbox.phone(id).addGroup({ name: 'Zoo', participantsCount: 3 });
  await service.sandbox.phone(id).addGroup({ name: 'Aunts', participantsCount: 2 });
  const seen = await call('GET', `/instances/${id}/groups`);
  expect(seen.status).toBe(200);
  const groups: { name: string }[] = JSON.parse(seen.text).data;
  expect(groups.map(({ name }) => name)).toEqual(['Aunts', 'Family', 'Team', 'Zoo']);
  expectFields(seen.json.data?.[0], FIELDS.group);
  expect(seen.json.data?.[0]).toMatchObject({
    id: expect.stringMatching(/^grp_/),
    participants_count: 2,
    synced_at: TIMESTAMP,
  });
});

test('the second of two concurrent operations is INSTANCE_BUSY', async () => {
  const service = await startService();
  const { call } = await service.newWorkspace();
  const id = await service.connected(call);
  const both = [call('POST', `/instances/${id}/disconnect`), call('POST', `/instances/${id}/logout`)];
  const [first, second] = await service.during(Promise.all(both));
  expect(first?.status).toBe(200);
  expect([second?.status, second?.code]).toEqual([409, 'INSTANCE_BUSY']);
});

test('operations that need a gateway are GATEWAY_UNAVAILABLE without one', async () => {
  const service = await startService({ roles: { gateway: false } });
  const { call } = await service.newWorkspace();
  const id = idOf((await call('POST', '/instances', {})).json);
  expect((await call('POST', `/instances/${id}/connect`)).status).toBe(202);
  const seen = await service.during(call('POST', `/instances/${id}/disconnect`), 20_000);
  expect([seen.status, seen.code]).toEqual([503, 'GATEWAY_UNAVAILABLE']);
});

describe('POST /instances/{instance}/connect with a pairing_phone_number', () => {
  test('adds a code to the QR', async () => {
    const service = await startService();
    const { call } = await service.newWorkspace();
    const id = idOf((await call('POST', '/instances', {})).json);
    const json = { pairing_phone_number: '+1 555 0100' };
    expect(await call('POST', `/instances/${id}/connect`, { json })).toMatchObject({ status: 202 });
    await service.clock.advance(1_000);
    expect((await call('GET', `/instances/${id}/qr`)).json).toMatchObject({
      data: { svg: expect.any(String), pairing_code: expect.stringMatching(/^[1-9A-Z]{8}$/) },
    });
  });

  test.each([['letters'], [''], [5], [{}]])('refuses %j', async (number) => {
    const { call } = await (await startService()).newWorkspace();
    const id = idOf((await call('POST', '/instances', {})).json);
    const seen = await call('POST', `/instances/${id}/connect`, { json: { pairing_phone_number: number } });
    expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(seen.json.error?.details).toEqual({ fields: { pairing_phone_number: expect.any(Array) } });
    expect((await call('GET', `/instances/${id}`)).json.data?.status).toBe('created');
  });
});

describe('the proxy of an instance', () => {
  const proxy_url = 'http://ada:sesame@proxy.example:8080';
  const gateway = { ...createSandbox().gateway, acceptsProxy: true };

  test('is given, kept, replaced and removed, and never shown', async () => {
    const { call } = await (
      await startService({ gateways: [gateway], instanceProxies: true })
    ).newWorkspace();
    const created = await call('POST', '/instances', { json: { proxy_url } });
    expect(created.status).toBe(201);
    const path = `/instances/${idOf(created.json)}`;
    const seen = [
      created,
      await call('GET', path),
      await call('PATCH', path, { json: { name: 'Desk' } }),
      await call('PATCH', path, { json: { proxy_url: 'socks5://ada:sesame@proxy.example' } }),
      await call('PATCH', path, { json: { proxy_url: null } }),
      await call('PATCH', path, { json: { proxy_url: 'ada:sesame@proxy.example' } }),
    ];
    expect(seen.map(({ status, json }) => [status, json.data?.has_proxy])).toEqual([
      [201, true],
      [200, true],
      [200, true],
      [200, true],
      [200, false],
      [422, undefined],
    ]);
    expect(JSON.stringify(seen)).not.toContain('sesame');
  });

  test.each([
    ['the operator does not allow it', { gateways: [gateway] }],
    ['the gateway does not accept one', { instanceProxies: true }],
  ])('is refused if %s', async (_, options) => {
    const { call } = await (await startService(options)).newWorkspace();
    const path = `/instances/${idOf((await call('POST', '/instances')).json)}`;
    for (const [method, to] of [
      ['POST', '/instances'],
      ['PATCH', path],
    ] as const) {
      const seen = await call(method, to, { json: { proxy_url } });
      expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
      expect(seen.json.error?.details).toEqual({ fields: { proxy_url: [expect.any(String)] } });
      expect((await call(method, to, { json: { proxy_url: null } })).json.data?.has_proxy).toBe(false);
    }
  });
});

describe('the credentials of an instance', () => {
  const credentials = { phone_number: '15550177', access_token: 'sandbox-sesame' };
  const network = 'sandbox_credentials';

  test('are given, kept, replaced and removed, and never shown', async () => {
    const { call } = await (await startService()).newWorkspace();
    const created = await call('POST', '/instances', { json: { network, credentials } });
    expect([created.status, created.json.data?.phone_number, created.json.data?.paired]).toEqual([
      201,
      '15550177',
      true,
    ]);
    const path = `/instances/${idOf(created.json)}`;
    const seen = [
      created,
      await call('GET', path),
      await call('PATCH', path, { json: { name: 'Desk' } }),
      await call('PATCH', path, {
        json: { credentials: { ...credentials, access_token: 'sandbox-sesame-2' } },
      }),
      await call('PATCH', path, { json: { credentials: { ...credentials, access_token: 'sesame' } } }),
      await call('PATCH', path, { json: { credentials: { access_token: 'sesame' } } }),
      await call('PATCH', path, { json: { credentials: null } }),
      await call('PATCH', path, { json: { credentials: 'sesame' } }),
    ];
    expect(seen.map(({ status, json }) => [status, json.data?.has_credentials])).toEqual([
      [201, true],
      [200, true],
      [200, true],
      [200, true],
      [422, undefined],
      [422, undefined],
      [200, false],
      [422, undefined],
    ]);
    expect(seen[5]?.json.error?.details).toEqual({
      fields: { credentials: [expect.stringMatching(/^Lacks phone_number/)] },
    });
    expect(JSON.stringify(seen)).not.toContain('sesame');
  });

  test('are described by GET /networks', async () => {
    const { call } = await (await startService()).newWorkspace();
    const { json } = await call('GET', '/networks');
    expect(json.data).toMatchObject([
      { name: 'sandbox', linking: ['qr', 'pairing_code'], credentials: [] },
      {
        name: network,
        linking: ['credentials'],
        credentials: [
          { name: 'phone_number', secret: false, required: true, about: expect.any(String) },
          { name: 'access_token', secret: true, required: true },
          { name: 'capabilities', secret: false, required: false },
        ],
      },
    ]);
  });
});
