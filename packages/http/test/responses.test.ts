import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { UnavailableError } from '@trunkline/core/spi/storage';
import { createHttpApp } from '../src/index.ts';
import type { FailedRequest } from '../src/index.ts';
import { client } from './client.ts';
import { fakeTrunkline, refusal } from './fake-trunkline.ts';

const failing = (error: unknown) =>
  fakeTrunkline({
    operations: {
      instances: {
        list: () => {
          throw error;
        },
      },
    },
  });

describe('the request id', () => {
  const call = client(createHttpApp(fakeTrunkline()));
  const longest = 'a'.repeat(128);

  test('is new for every request', async () => {
    const ids = [await call('GET', '/api-key'), await call('GET', '/api-key')].map((seen) =>
      seen.headers.get('X-Request-Id'),
    );
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^req_/);
  });

  test.each(['7', 'trace-1.b_C', longest])("is the caller's own when it may be one: %s", async (own) => {
    const response = await call('GET', '/api-key', { headers: { 'X-Request-Id': own } });
    const error = await call('GET', '/nothing', { headers: { 'X-Request-Id': own } });
    expect(response.headers.get('X-Request-Id')).toBe(own);
    expect(error.json.error?.request_id).toBe(own);
  });

  test.each(['', 'two words', 'tab\there', 'semi;colon', 'ümlaut', `${longest}a`])(
    'is a new one instead of "%s"',
    async (own) => {
      const seen = await call('GET', '/api-key', { headers: { 'X-Request-Id': own } });
      expect(seen.headers.get('X-Request-Id')).toMatch(/^req_/);
    },
  );

  test.each([
    ['GET', '/instances', 200],
    ['GET', '/nothing', 404],
    ['PUT', '/messages', 405],
    ['DELETE', '/webhooks/wh_1', 204],
  ])('is on every response: %s %s', async (method, path, status) => {
    const operations = {
      instances: { list: async () => ({ data: [] }) },
      webhooks: { delete: async () => {} },
    };
    const seen = await client(createHttpApp(fakeTrunkline({ operations })))(method, path);
    expect(seen.status).toBe(status);
    expect(seen.headers.get('X-Request-Id')).toMatch(/^req_/);
  });
});

describe('an error', () => {
  test('has exactly the fields of the specification', async () => {
    const app = createHttpApp(failing(refusal('INSTANCE_BUSY', 'Another operation is in progress.')));
    const seen = await client(app)('GET', '/instances');
    expect(seen.status).toBe(409);
    expect(seen.headers.get('Content-Type')).toBe('application/json');
    expect(seen.json).toEqual({
      error: { code: 'INSTANCE_BUSY', message: 'Another operation is in progress.', request_id: 'req_1' },
    });
  });

  test('has details where there are any', async () => {
    const fields = { name: ['Must be shorter.'] };
    const seen = await client(createHttpApp(failing(refusal('VALIDATION_FAILED', 'No.', { fields }))))(
      'GET',
      '/instances',
    );
    expect(seen.json.error?.details).toEqual({ fields });
  });

  test('says when to retry if its status is 429', async () => {
    const details = { retry_after: 30, limit: 1000, reset: 1_795_000_030 };
    const seen = await client(createHttpApp(failing(refusal('SEND_BACKLOG', 'Too many.', details))))(
      'GET',
      '/instances',
    );
    expect(seen.status).toBe(429);
    expect(seen.headers.get('Retry-After')).toBe('30');
    expect(seen.headers.get('X-RateLimit-Limit')).toBe('1000');
    expect(seen.headers.get('X-RateLimit-Remaining')).toBe('0');
    expect(seen.headers.get('X-RateLimit-Reset')).toBe('1795000030');
    expect(seen.json.error?.details?.retry_after).toBe(30);
  });

  test.each([
    ['an error', new Error('password=hunter2')],
    ['something else', 'password=hunter2'],
  ])('is INTERNAL_ERROR and reveals nothing if the service throws %s', async (_, thrown) => {
    const reported: [unknown, FailedRequest][] = [];
    const app = createHttpApp(failing(thrown), { onError: (...report) => reported.push(report) });
    const seen = await client(app)('GET', '/instances');
    expect(seen.status).toBe(500);
    expect(seen.text).not.toContain('hunter2');
    expect(seen.json).toEqual({
      error: { code: 'INTERNAL_ERROR', message: expect.any(String), request_id: 'req_1' },
    });
    expect(reported).toEqual([[thrown, { requestId: 'req_1', method: 'GET', path: '/api/v1/instances' }]]);
  });

  test('is logged once, by the Trunkline or on the console, unless onError takes it', async () => {
    const onConsole = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => onConsole.mockRestore());
    const thrown = new Error('disk full');
    const request = { requestId: 'req_1', method: 'GET', path: '/api/v1/instances' };
    const logged: unknown[] = [];
    const logger = { ...silentLogger, error: (facts: object) => void logged.push(facts) };
    await client(createHttpApp({ ...failing(thrown), logger }))('GET', '/instances');
    expect(logged).toEqual([{ ...request, err: thrown }]);
    expect(onConsole).not.toHaveBeenCalled();

    await client(createHttpApp(failing(thrown)))('GET', '/instances');
    expect(onConsole.mock.calls).toEqual([[expect.any(String), { ...request, err: thrown }]]);
  });

  test('says when to retry if a database or a media store is unreachable', async () => {
    const reported: unknown[] = [];
    const thrown = new UnavailableError('The database /var/lib/hunter2.db is locked.');
    for (const app of [
      createHttpApp(failing(thrown), { onError: (error) => reported.push(error) }),
      createHttpApp(fakeTrunkline({ authenticate: () => Promise.reject(thrown) })),
    ]) {
      const seen = await client(app)('GET', '/instances');
      expect([seen.status, seen.headers.get('Retry-After')]).toEqual([503, '5']);
      expect(seen.text).not.toContain('hunter2');
      expect(seen.json).toEqual({
        error: {
          code: 'INTERNAL_ERROR',
          message: expect.any(String),
          request_id: 'req_1',
          details: { retry_after: 5 },
        },
      });
    }
    expect(reported).toEqual([thrown]);
  });

  test('is INTERNAL_ERROR if the storage fails while the key is looked up', async () => {
    const app = createHttpApp(
      fakeTrunkline({ authenticate: () => Promise.reject(new Error('no database')) }),
    );
    expect((await client(app)('GET', '/instances')).code).toBe('INTERNAL_ERROR');
  });

  test('is not reported to onError if it is a refusal', async () => {
    const reported: unknown[] = [];
    const app = createHttpApp(failing(refusal('GATEWAY_ERROR', 'No.')), {
      onError: (error) => reported.push(error),
    });
    expect((await client(app)('GET', '/instances')).status).toBe(502);
    expect(reported).toEqual([]);
  });
});

describe('Cache-Control', () => {
  const resource = async () => ({}) as never; // the response is not checked
  const operations = {
    instances: { list: resource, qr: resource, delete: resource },
    webhooks: {
      list: async () => ({ data: [], configured: false }),
      create: resource,
      rotateSecret: resource,
      get: resource,
    },
  };
  const call = client(createHttpApp(fakeTrunkline({ operations })));

  test.each([
    ['POST', '/webhooks'],
    ['POST', '/webhooks/wh_1/rotate-secret'],
    ['GET', '/instances/ins_1/qr'],
  ])('is no-store on secrets and QRs: %s %s', async (method, path) => {
    const seen = await call(method, path);
    expect(seen.status).toBeLessThan(300);
    expect(seen.headers.get('Cache-Control')).toBe('no-store');
  });

  test.each([
    ['GET', '/instances', 200],
    ['GET', '/webhooks', 200],
    ['GET', '/webhooks/wh_1', 200],
    ['DELETE', '/instances/ins_1', 204],
    ['GET', '/nothing', 404],
    ['PUT', '/instances', 405],
    ['POST', '/instances/ins_1/logout', 500],
  ])('is private, no-cache elsewhere: %s %s', async (method, path, status) => {
    const seen = await call(method, path);
    expect(seen.status).toBe(status);
    expect(seen.headers.get('Cache-Control')).toBe('private, no-cache');
  });
});

test('204 has neither a body nor a content type', async () => {
  const operations = { instances: { delete: async () => {} } };
  const seen = await client(createHttpApp(fakeTrunkline({ operations })))('DELETE', '/instances/ins_1');
  expect([seen.status, seen.text]).toEqual([204, '']);
  expect(seen.headers.has('Content-Type')).toBe(false);
});

describe('the QR', () => {
  const qr = {
    svg: '<svg/>',
    code: '2@raw',
    pairing_code: null,
    expires_at: '2026-11-20T21:15:00.123+00:00',
  };
  const call = client(createHttpApp(fakeTrunkline({ operations: { instances: { qr: async () => qr } } })));
  const accepting = (accept?: string) =>
    call('GET', '/instances/ins_1/qr', accept === undefined ? {} : { headers: { Accept: accept } });

  test.each([
    undefined,
    '*/*',
    'application/json',
    'text/html, */*;q=0.8',
    'image/svg+xml;q=0.1, application/json',
  ])('is JSON for Accept: %s', async (accept) => {
    const seen = await accepting(accept);
    expect(seen.headers.get('Content-Type')).toBe('application/json');
    expect(seen.json).toEqual({ data: qr });
  });

  test.each([
    'image/svg+xml',
    'image/svg+xml, application/json;q=0.5',
    'image/*',
    'image/avif,image/svg+xml,image/*,*/*;q=0.8',
  ])('is the picture itself for Accept: %s', async (accept) => {
    const seen = await accepting(accept);
    expect(seen.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(seen.headers.get('Cache-Control')).toBe('no-store');
    expect(seen.text).toBe('<svg/>');
  });
});

describe('the links of a page of messages', () => {
  const messages = {
    list: async () => ({ data: [], perPage: 25, nextCursor: 'next+1', prevCursor: null }),
  };
  const trunkline = fakeTrunkline({ operations: { messages } });

  test('repeat the request with another cursor', async () => {
    const seen = await client(createHttpApp(trunkline))(
      'GET',
      '/messages?status=queued,sent&cursor=old&limit=25',
    );
    const { links, meta } = seen.json;
    expect(links).toEqual({
      first: null,
      last: null,
      prev: null,
      next: 'http://localhost/api/v1/messages?status=queued%2Csent&cursor=next%2B1&limit=25',
    });
    expect(meta).toEqual({
      path: 'http://localhost/api/v1/messages',
      per_page: 25,
      next_cursor: 'next+1',
      prev_cursor: null,
    });
  });

  test.each(['https://api.example.com/messaging/v1', 'https://api.example.com/messaging/v1/'])(
    'begin with the public URL %s',
    async (publicUrl) => {
      const seen = await client(createHttpApp(trunkline, { publicUrl }))('GET', '/messages?limit=5');
      expect(seen.json.links?.next).toBe(
        'https://api.example.com/messaging/v1/messages?limit=5&cursor=next%2B1',
      );
      expect(seen.json.meta?.path).toBe('https://api.example.com/messaging/v1/messages');
    },
  );
});
