import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { silentLogger } from '@trunkline/core';
import { createHttpApp } from '../src/index.ts';
import type { FailedRequest, HttpAppOptions, RateLimitStore } from '../src/index.ts';
import { client } from './client.ts';
import type { Call, Seen } from './client.ts';
import { fakeTrunkline, refusal } from './fake-trunkline.ts';
import { startService } from './service.ts';

const NOW = Date.UTC(2026, 10, 20, 21, 15, 0);
const NOW_SECONDS = NOW / 1000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
});

function limited(
  rateLimit: HttpAppOptions['rateLimit'],
  fake: Parameters<typeof fakeTrunkline>[0] = {},
): Call {
  return client(createHttpApp(fakeTrunkline(fake), { rateLimit }));
}

function rateHeaders({ headers }: Seen): (number | null)[] {
  return ['Limit', 'Remaining', 'Reset'].map((name) => {
    const value = headers.get(`X-RateLimit-${name}`);
    return value === null ? null : Number(value);
  });
}

describe('the limit of a key per minute', () => {
  test('is 600 by default', async () => {
    const seen = await limited(undefined)('GET', '/api-key');
    expect(rateHeaders(seen)).toEqual([600, 599, NOW_SECONDS + 60]);
  });

  test('makes the next request RATE_LIMITED until the minute is over', async () => {
    const call = limited({ requestsPerMinute: 2 });
    expect(rateHeaders(await call('GET', '/api-key'))).toEqual([2, 1, NOW_SECONDS + 60]);
    vi.advanceTimersByTime(19_500);
    expect(rateHeaders(await call('GET', '/api-key'))).toEqual([2, 0, NOW_SECONDS + 60]);
    const refused = await call('GET', '/api-key');
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED']);
    expect(rateHeaders(refused)).toEqual([2, 0, NOW_SECONDS + 60]);
    expect(refused.headers.get('Retry-After')).toBe('41');
    expect(refused.json.error?.details).toEqual({ retry_after: 41, limit: 2, reset: NOW_SECONDS + 60 });
    vi.advanceTimersByTime(41_000);
    const again = await call('GET', '/api-key');
    expect([again.status, again.headers.has('Retry-After')]).toEqual([200, false]);
    expect(rateHeaders(again)).toEqual([2, 1, (NOW + 60_500 + 60_000) / 1000].map(Math.ceil));
  });

  test.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('counts elapsed time even if the clock is set %s by an hour', async (_, ms) => {
    const call = limited({ requestsPerMinute: 1 });
    await call('GET', '/api-key');
    vi.advanceTimersByTime(20_000);
    vi.setSystemTime(NOW + 20_000 + ms);
    const refused = await call('GET', '/api-key');
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '40']);
    expect(rateHeaders(refused)).toEqual([1, 0, (NOW + ms) / 1000 + 60]);
    vi.advanceTimersByTime(40_000);
    expect((await call('GET', '/api-key')).status).toBe(200);
  });

  test('applies to each key separately', async () => {
    const service = await startService();
    const app = createHttpApp(service.trunkline, { rateLimit: { requestsPerMinute: 1 } });
    const { id: workspaceId } = await service.trunkline.admin.workspaces.create({ name: 'Acme' });
    const newKey = async (): Promise<Call> => {
      const { token } = await service.trunkline.admin.apiKeys.create({ workspaceId, name: 'k', scopes: [] });
      return client(app, token);
    };
    const [one, other] = [await newKey(), await newKey()];
    expect((await one('GET', '/api-key')).status).toBe(200);
    expect((await one('GET', '/api-key')).code).toBe('RATE_LIMITED');
    expect((await other('GET', '/api-key')).status).toBe(200);
  });

  test('can be switched off', async () => {
    const seen = await limited(false)('GET', '/api-key');
    expect(rateHeaders(seen)).toEqual([null, null, null]);
  });
});

describe('every response to a known key shows its limit:', () => {
  const list = (error: Error) => ({ operations: { instances: { list: () => Promise.reject(error) } } });

  test.each<[string, number, Parameters<typeof fakeTrunkline>[0]]>([
    ['a missing scope', 403, { scopes: [] }],
    ['a refusal of the operation', 409, list(refusal('INSTANCE_BUSY', 'Busy.'))],
    ['a failure', 500, list(new Error('bug'))],
  ])('%s, and it is counted', async (_, status, fake) => {
    const call = limited({ requestsPerMinute: 5 }, fake);
    await call('GET', '/instances');
    const seen = await call('GET', '/instances');
    expect(seen.status).toBe(status);
    expect(rateHeaders(seen)).toEqual([5, 3, NOW_SECONDS + 60]);
  });

  test('a suspended workspace, for which nothing is counted', async () => {
    const call = limited({ requestsPerMinute: 5 }, { suspended: true });
    await call('GET', '/instances');
    const seen = await call('GET', '/instances');
    expect(seen.code).toBe('WORKSPACE_SUSPENDED');
    expect(rateHeaders(seen)).toEqual([5, 5, NOW_SECONDS + 60]);
  });

  test('another workspace in X-Workspace-Id, for which nothing is counted', async () => {
    const call = limited({ requestsPerMinute: 5 });
    await call('GET', '/api-key');
    const seen = await call('GET', '/api-key', { headers: { 'X-Workspace-Id': 'ten_another' } });
    expect(seen.code).toBe('WORKSPACE_MISMATCH');
    expect(rateHeaders(seen)).toEqual([5, 4, NOW_SECONDS + 60]);
  });

  test('a full backlog shows its own limit instead', async () => {
    const details = { retry_after: 30, limit: 1000, reset: 1_795_000_030 };
    const seen = await limited({}, list(refusal('SEND_BACKLOG', 'Full.', details)))('GET', '/instances');
    expect(rateHeaders(seen)).toEqual([1000, 0, 1_795_000_030]);
  });
});

test('the limit comes before the scope', async () => {
  const call = limited({ requestsPerMinute: 1 }, { scopes: [] });
  expect((await call('GET', '/instances')).code).toBe('INSUFFICIENT_SCOPE');
  expect((await call('GET', '/instances')).code).toBe('RATE_LIMITED');
});

test.each([
  ['no key', null, '/api-key'],
  ['a wrong key', 'bad', '/api-key'],
  ['a path that is not there', 'good', '/nothing'],
])('%s has no limit to show', async (_, token, path) => {
  const seen = await client(createHttpApp(fakeTrunkline()), token)('GET', path);
  expect(rateHeaders(seen)).toEqual([null, null, null]);
});

describe('a custom store', () => {
  test('counts for all apps together', async () => {
    const store = new RateLimiterMemory({ points: 3, duration: 60 });
    const [one, other] = [limited({ requestsPerMinute: 3, store }), limited({ requestsPerMinute: 3, store })];
    await one('GET', '/api-key');
    expect(rateHeaders(await other('GET', '/api-key'))).toEqual([3, 1, NOW_SECONDS + 60]);
    await one('GET', '/api-key');
    expect((await other('GET', '/api-key')).code).toBe('RATE_LIMITED');
  });

  const failing = (): Promise<never> => Promise.reject(new Error('no Redis'));
  const hanging = () => new Promise<never>(() => {});
  test.each([
    ['fails', failing, 'no Redis'],
    ['does not respond', hanging, 'The store of the rate limit did not respond within 1000 ms.'],
  ])(
    '%s, and no request fails: each process counts for itself, and onError is called',
    async (_, ask, message) => {
      const reported: [unknown, FailedRequest][] = [];
      const store = { points: 2, duration: 60, consume: vi.fn(ask), get: ask };
      const app = createHttpApp(fakeTrunkline(), {
        rateLimit: { requestsPerMinute: 2, store },
        onError: (...all) => reported.push(all),
      });
      const first = client(app)('GET', '/api-key');
      await vi.advanceTimersByTimeAsync(1_000);
      const seen = [await first, await client(app)('GET', '/api-key'), await client(app)('GET', '/api-key')];
      expect(seen.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(seen.map((one) => rateHeaders(one)[1])).toEqual([1, 0, 0]);
      // Later requests do not wait for the store.
      expect(store.consume).toHaveBeenCalledTimes(1);
      expect(reported).toEqual([
        [
          expect.objectContaining({ message }),
          { requestId: 'req_1', method: 'GET', path: '/api/v1/api-key' },
        ],
      ]);
    },
  );

  test('logs its failure as its own, not as a failed request', async () => {
    const logged: unknown[] = [];
    const logger = { ...silentLogger, error: (_facts: object, message: string) => void logged.push(message) };
    const store = { points: 2, duration: 60, consume: failing, get: failing };
    const app = createHttpApp({ ...fakeTrunkline(), logger }, { rateLimit: { requestsPerMinute: 2, store } });
    expect((await client(app)('GET', '/api-key')).status).toBe(200);
    expect(logged).toEqual([expect.stringMatching(/^the store of the rate limit failed/)]);
  });

  test('counts again once it is back, which one request at a time checks', async () => {
    const memory = new RateLimiterMemory({ points: 5, duration: 60 });
    const store = { points: 5, duration: 60, consume: vi.fn(failing), get: failing };
    const call = limited({ requestsPerMinute: 5, store });
    expect(rateHeaders(await call('GET', '/api-key'))[1]).toBe(4);
    vi.advanceTimersByTime(4_999);
    expect(rateHeaders(await call('GET', '/api-key'))[1]).toBe(3);
    vi.advanceTimersByTime(1);
    const back = Promise.withResolvers<void>();
    store.consume.mockImplementation(async () => {
      await back.promise;
      return memory.consume('key') as Promise<never>; // the mock has the type of its first implementation
    });
    const trying = call('GET', '/api-key');
    expect(rateHeaders(await call('GET', '/api-key'))[1]).toBe(2);
    expect(store.consume).toHaveBeenCalledTimes(2);
    back.resolve();
    expect(rateHeaders(await trying)[1]).toBe(4);
    expect(rateHeaders(await call('GET', '/api-key'))[1]).toBe(3);
  });

  test('is tried again after its rest even if the clock was set back meanwhile', async () => {
    const store = { points: 5, duration: 60, consume: vi.fn(failing), get: failing };
    const call = limited({ requestsPerMinute: 5, store });
    await call('GET', '/api-key');
    vi.setSystemTime(NOW - 600_000);
    vi.advanceTimersByTime(5_000);
    await call('GET', '/api-key');
    expect(store.consume).toHaveBeenCalledTimes(2);
  });

  test('ends a window within a minute, even if another clock began it', async () => {
    const memory = new RateLimiterMemory({ points: 1, duration: 60 });
    const consume: RateLimitStore['consume'] = async (key) =>
      Object.assign(await memory.consume(key), { msBeforeNext: 600_000 });
    const store = { points: 1, duration: 60, consume, get: () => memory.get('key') };
    const seen = await limited({ requestsPerMinute: 1, store })('GET', '/api-key');
    expect(rateHeaders(seen)).toEqual([1, 0, NOW_SECONDS + 60]);
  });

  test.each<[string, unknown, string]>([
    ['a limit of 0', { requestsPerMinute: 0 }, ''],
    ['half a request', { requestsPerMinute: 1.5 }, ''],
    ['true', true, ''],
    ['something else as store', { store: {} }, ''],
    ['a store of another limit', { store: new RateLimiterMemory({ points: 5, duration: 60 }) }, '.store'],
    ['a store of another window', { store: new RateLimiterMemory({ points: 600, duration: 1 }) }, '.store'],
  ])('%s is refused', (_, rateLimit, path) => {
    const options = { rateLimit: rateLimit as RateLimitStore & false }; // JavaScript would allow this
    expect(() => createHttpApp(fakeTrunkline(), options)).toThrow(
      `createHttpApp: the option "rateLimit${path}`,
    );
  });
});
