import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres } from '@trunkline/test-postgres';
import type { PostgresServer } from '@trunkline/test-postgres';
import { createHttpApp, postgresRateLimitStore } from '../src/index.ts';
import { client } from './client.ts';
import type { Call, Seen } from './client.ts';
import { fakeTrunkline } from './fake-trunkline.ts';

/** More than a test makes. */
const MANY = 1_000_000;
/** Where nobody listens. */
const NOBODY = 'postgres://postgres@127.0.0.1:1/postgres';

let server: PostgresServer;
let schema = '';
let schemas = 0;

beforeAll(async () => {
  server = await startPostgres({ fsync: false });
}, 60_000);
afterAll(() => server.stop());
beforeEach(async () => {
  schema = `limits_${(schemas += 1)}`;
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE SCHEMA ${schema}`);
  await admin.end();
});

interface Process {
  readonly call: Call;
  /** How many statements it has sent. */
  readonly statements: () => number;
  readonly told: readonly unknown[];
}

/** An app with a pool of its own, as another process would have it. */
function startProcess(requestsPerMinute: number, connectionString = server.url): Process {
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5_000 });
  // A server that stops ends the idle connections too.
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  const query = vi.spyOn(pool, 'query');
  const statements = (): number => query.mock.calls.length;
  const told: unknown[] = [];
  const store = postgresRateLimitStore(pool, { requestsPerMinute, schema });
  const app = createHttpApp(fakeTrunkline(), {
    rateLimit: { requestsPerMinute, store },
    onError: (error) => told.push(error),
  });
  return { call: client(app), statements, told };
}

function remaining({ status, headers }: Seen): [number, string | null] {
  return [status, headers.get('X-RateLimit-Remaining')];
}

test('the limit counts across processes, and the answers tell it exactly', async () => {
  const [one, other] = [startProcess(3), startProcess(3)];
  expect(remaining(await one.call('GET', '/api-key'))).toEqual([200, '2']);
  expect(remaining(await other.call('GET', '/api-key'))).toEqual([200, '1']);
  expect(remaining(await one.call('GET', '/api-key'))).toEqual([200, '0']);
  for (const { call } of [one, other, one, other]) {
    const refused = await call('GET', '/api-key');
    expect(remaining(refused)).toEqual([429, '0']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(50);
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(60);
  }
  expect([...one.told, ...other.told]).toEqual([]);
});

test('a key that has used up its minute asks the database no more', async () => {
  const { call, statements } = startProcess(2);
  await call('GET', '/api-key');
  await call('GET', '/api-key');
  const before = statements();
  for (let times = 0; times < 5; times += 1) expect((await call('GET', '/api-key')).status).toBe(429);
  expect(statements()).toBe(before);
});

test('many processes that begin at once make the table once, and count each request', async () => {
  const processes = Array.from({ length: 20 }, () => startProcess(15));
  const seen = await Promise.all(processes.map(({ call }) => call('GET', '/api-key')));
  expect(seen.filter(({ status }) => status === 200)).toHaveLength(15);
  expect(seen.filter(({ status }) => status === 429)).toHaveLength(5);
  expect(processes.flatMap(({ told }) => told)).toEqual([]);
});

test('a crash of Postgres fails no request, and afterwards the limit counts across processes again', async () => {
  const [one, other] = [startProcess(MANY), startProcess(MANY)];
  await one.call('GET', '/api-key');
  await other.call('GET', '/api-key');
  const now = Date.now();
  vi.useFakeTimers({ now, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());

  let isDown = true;
  const crash = server.crash().then(() => (isDown = false));
  const statuses = new Set<number>();
  while (isDown) {
    for (const { call } of [one, other]) statuses.add((await call('GET', '/api-key')).status);
    await setImmediate();
  }
  await crash;
  expect(statuses).toEqual(new Set([200]));
  expect(one.told.length + other.told.length).toBeGreaterThan(0);

  vi.setSystemTime(now + 6_000);
  // What crashed has forgotten the minute.
  expect(remaining(await one.call('GET', '/api-key'))).toEqual([200, String(MANY - 1)]);
  expect(remaining(await other.call('GET', '/api-key'))).toEqual([200, String(MANY - 2)]);
});

test('without Postgres from the beginning each process counts for itself', async () => {
  const [one, other] = [startProcess(2, NOBODY), startProcess(2, NOBODY)];
  for (const { call, told } of [one, other]) {
    expect(remaining(await call('GET', '/api-key'))).toEqual([200, '1']);
    expect(remaining(await call('GET', '/api-key'))).toEqual([200, '0']);
    expect(remaining(await call('GET', '/api-key'))).toEqual([429, '0']);
    expect(told).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })]);
  }
});

test.each([
  ['schema', { schema: 'x"; DROP TABLE y; --' }],
  ['table', { table: 'Limits' }],
  ['table', { table: '' }],
])('a wrong %s is named', (option, options) => {
  const pool = { query: () => Promise.resolve() };
  expect(() => postgresRateLimitStore(pool, options)).toThrow(`the option "${option}"`);
});
