import { describe, expect, test } from 'vitest';
import { Hono } from 'hono';
import { createHttpApp } from '../src/index.ts';
import { client } from './client.ts';
import { fakeTrunkline, refusal } from './fake-trunkline.ts';
import { ROUTE_TABLE, somePath } from './route-table.ts';

const instances = { get: async (id: string) => ({ id }) as never }; // enough for these tests
const app = createHttpApp(fakeTrunkline({ operations: { instances } }), { rateLimit: false });
const call = client(app);

describe('HEAD', () => {
  test('responds like GET, without the body', async () => {
    const get = await call('GET', '/instances/ins_1', { headers: { 'X-Request-Id': 'same' } });
    const head = await call('HEAD', '/instances/ins_1', { headers: { 'X-Request-Id': 'same' } });
    expect(get.status).toBe(200);
    expect(get.text).not.toBe('');
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect([...head.headers]).toEqual([...get.headers]);
  });

  test('is refused like GET', async () => {
    expect(await client(app, null)('HEAD', '/instances/ins_1')).toMatchObject({ status: 401, text: '' });
    expect(await call('HEAD', '/nothing')).toMatchObject({ status: 404, text: '' });
  });

  test('is a wrong method where there is no GET', async () => {
    const seen = await call('HEAD', '/instances/ins_1/connect');
    expect(seen).toMatchObject({ status: 405, text: '' });
    expect(seen.headers.get('Allow')).toBe('POST');
  });
});

describe('a method that a path does not have', () => {
  const methodsOf = Map.groupBy(ROUTE_TABLE, (row) => row.path);
  test.each([...methodsOf.keys()])("is 405 with the path's own methods: %s", async (path) => {
    const own = methodsOf.get(path)?.map((row) => row.method) ?? [];
    const seen = await call('QUERY', somePath(path)); // no path has it
    expect([seen.status, seen.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    const allowed = seen.headers.get('Allow')?.split(', ').toSorted();
    expect(allowed).toEqual([...own, ...(own.includes('GET') ? ['HEAD'] : [])].toSorted());
  });

  test.each(['OPTIONS', 'QUERY', 'PROPFIND'])('is 405 for %s, too', async (method) => {
    const seen = await call(method, '/messages');
    expect(seen.status).toBe(405);
    expect(seen.headers.get('Allow')).toBe('GET, HEAD, POST');
  });
});

test('every path fits into the fast router', async () => {
  await call('GET', '/instances');
  // Hono's slower router would take 4 µs more per request.
  expect(app.router.name).toBe('SmartRouter + RegExpRouter');
});

describe('a path that does not exist', () => {
  const paths = [
    '',
    '/',
    '/nothing',
    '/instances/',
    '/instances/ins_1/',
    '/instances/ins_1/nothing',
    '//instances',
    '/Instances',
  ];
  test.each(paths)('"%s" is 404 in the shape of every error', async (path) => {
    const seen = await call('GET', path);
    expect(seen.status).toBe(404);
    expect(seen.json).toEqual({
      error: { code: 'NOT_FOUND', message: expect.any(String), request_id: seen.headers.get('X-Request-Id') },
    });
  });

  test.each(['http://localhost/', 'http://localhost/api/v2/instances'])(
    '%s, outside of the base path, too',
    async (url) => {
      expect((await call('GET', url)).code).toBe('NOT_FOUND');
    },
  );
});

test.each(['ins_%00', 'ins_%E0%A4%A', '%2e%2e%2fapi-key', 'a%2Fb', '%F0%9F%98%80', 'a'.repeat(5000)])(
  'any text is accepted as an id: %s',
  async (id) => {
    const notFound = { instances: { get: () => Promise.reject(refusal('INSTANCE_NOT_FOUND', 'No.')) } };
    const seen = await client(createHttpApp(fakeTrunkline({ operations: notFound })))(
      'GET',
      `/instances/${id}`,
    );
    expect(seen.code).toBe('INSTANCE_NOT_FOUND');
  },
);

describe('a mounted app', () => {
  const outer = new Hono().get('/', (c) => c.text('mine')).route('/messaging', app);
  const url = 'http://localhost/messaging/api/v1';

  test('responds below its own path', async () => {
    expect((await client(outer)('GET', `${url}/instances/ins_1`)).json).toEqual({ data: { id: 'ins_1' } });
    expect((await client(outer)('GET', `${url}/nothing`)).code).toBe('NOT_FOUND');
    expect((await client(outer)('PUT', `${url}/messages`)).code).toBe('METHOD_NOT_ALLOWED');
  });

  test('responds below a path that has a parameter of its own', async () => {
    const tenants = new Hono().route('/tenants/:tenant', app);
    const seen = await client(tenants)('GET', 'http://localhost/tenants/7/api/v1/instances/ins_1');
    expect(seen.json).toEqual({ data: { id: 'ins_1' } });
  });

  test('does not touch other paths', async () => {
    const seen = await client(outer)('GET', 'http://localhost/');
    expect(seen.text).toBe('mine');
    expect(seen.headers.has('X-Request-Id')).toBe(false);
  });
});
