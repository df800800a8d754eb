import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres } from '@trunkline/test-postgres';
import type { PostgresServer } from '@trunkline/test-postgres';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { createHttpApp, postgresRateLimitStore } from '../src/index.ts';
import type { PostgresQueryable } from '../src/postgres-rate-limit-store.ts';
import type { RateLimitStore } from '../src/rate-limit-options.ts';
import { client } from './client.ts';
import type { Call, Seen } from './client.ts';
import { fakeTrunkline } from './fake-trunkline.ts';

const MANY = 1_000_000;
const NOBODY = 'postgres://postgres@127.0.0.1:1/postgres';

let server: PostgresServer;
let schema = '';
let schemas = 0;

beforeAll(async () => {
  server = await startPostgres({ fsync: false });
});
afterAll(() => server.stop());
beforeEach(async () => {
  schema = `limits_${(schemas += 1)}`;
  await sql(`CREATE SCHEMA ${schema}`);
  // With real timers, a database on a busy machine might take longer than a request waits for it.
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] });
});
afterEach(() => void vi.useRealTimers());

async function sql(statement: string): Promise<readonly unknown[]> {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  const { rows } = await admin.query(statement);
  await admin.end();
  return rows;
}

interface Process {
  readonly call: Call;
  readonly statements: () => number;
  readonly reported: readonly unknown[];
}

/** An app with its own pool, as another process would have. */
function startProcess(requestsPerMinute: number, connectionString = server.url): Process {
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5_000 });
  // When the server stops, it also ends idle connections, and the pool reports each one as an error.
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  const query = vi.spyOn(pool, 'query');
  const statements = (): number => query.mock.calls.length;
  const reported: unknown[] = [];
  const store = postgresRateLimitStore(pool, { requestsPerMinute, schema });
  const app = createHttpApp(fakeTrunkline(), {
    rateLimit: { requestsPerMinute, store },
    onError: (error) => reported.push(error),
  });
  return { call: client(app), statements, reported };
}

function remaining({ status, headers }: Seen): [number, string | null] {
  return [status, headers.get('X-RateLimit-Remaining')];
}

test('the limit counts across processes, and the responses show it exactly', async () => {
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
  expect([...one.reported, ...other.reported]).toEqual([]);
});

test('a key that has used up its minute does not query the database', async () => {
  const { call, statements } = startProcess(2);
  await call('GET', '/api-key');
  await call('GET', '/api-key');
  const before = statements();
  for (let times = 0; times < 5; times += 1) expect((await call('GET', '/api-key')).status).toBe(429);
  expect(statements()).toBe(before);
});

test('a key that has used up its minute may make requests again when it is over', async () => {
  const { call } = startProcess(1);
  await call('GET', '/api-key');
  expect(remaining(await call('GET', '/api-key'))).toEqual([429, '0']);
  await sql(`UPDATE ${schema}.trunkline_rate_limits SET ends_at = now()`);
  vi.advanceTimersByTime(60_000);
  expect(remaining(await call('GET', '/api-key'))).toEqual([200, '0']);
});

test('a process whose clock is wrong counts in the same minute as the others', async () => {
  const [ahead, behind, right] = [startProcess(4), startProcess(4), startProcess(4)];
  const at = async ({ call }: Process, minutesAhead: number): Promise<Seen> => {
    const now = Date.now();
    vi.setSystemTime(now + minutesAhead * 60_000);
    return call('GET', '/api-key').finally(() => vi.setSystemTime(now));
  };
  expect(remaining(await at(behind, -10))).toEqual([200, '3']);
  expect(remaining(await at(ahead, 10))).toEqual([200, '2']);
  expect(remaining(await at(behind, -10))).toEqual([200, '1']);
  expect(remaining(await at(right, 0))).toEqual([200, '0']);
  for (const refused of [await at(right, 0), await at(behind, -10), await at(ahead, 10)]) {
    expect(remaining(refused)).toEqual([429, '0']);
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(60);
  }
});

test("a minute that the database's clock has left in the future is over", async () => {
  const { call } = startProcess(2);
  await call('GET', '/api-key');
  await sql(`UPDATE ${schema}.trunkline_rate_limits SET points = 2, ends_at = now() + interval '10 minutes'`);
  expect(remaining(await call('GET', '/api-key'))).toEqual([200, '1']);
});

test('a request that has waited for others goes into the minute that they began', async () => {
  const { call } = startProcess(5);
  await call('GET', '/api-key');
  const table = `${schema}.trunkline_rate_limits`;
  const faster = new pg.Client({ connectionString: server.url });
  await faster.connect();
  await faster.query(`BEGIN; LOCK TABLE ${table}`);
  const slower = call('GET', '/api-key');
  while ((await sql(WAITING)).length === 0) await setImmediate();
  await faster.query(`UPDATE ${table} SET points = 3, ends_at = clock_timestamp() + interval '60 seconds'`);
  await faster.query('COMMIT');
  await faster.end();
  expect(remaining(await slower)).toEqual([200, '1']);
});

const WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

test.runIf(isLongForm)('minutes that are over do not fill the table', async () => {
  const { call, statements } = startProcess(MANY);
  await call('GET', '/api-key');
  const table = `${schema}.trunkline_rate_limits`;
  await sql(
    `INSERT INTO ${table} SELECT 'key_' || n, 1, now() - interval '1 second' FROM generate_series(1, 9) n`,
  );
  vi.advanceTimersByTime(10 * 60_000);
  const before = statements();
  await call('GET', '/api-key');
  await eventually(async () => expect(await sql(`SELECT key FROM ${table}`)).toHaveLength(1));
  await call('GET', '/api-key');
  expect(statements() - before).toBe(3);
});

test.runIf(isLongForm)(
  'many processes that begin together make the table once, and count each request',
  async () => {
    const processes = Array.from({ length: 20 }, () => startProcess(15));
    const seen = await Promise.all(processes.map(({ call }) => call('GET', '/api-key')));
    expect(processes.flatMap(({ reported }) => reported)).toEqual([]);
    expect(seen.filter(({ status }) => status === 200)).toHaveLength(15);
    expect(seen.filter(({ status }) => status === 429)).toHaveLength(5);
  },
);

test.runIf(isLongForm)(
  'a process that is too late to make the table counts in it, and one that may not make it says so',
  async () => {
    const pool = new pg.Pool({ connectionString: server.url });
    onTestFinished(() => pool.end());
    const mayNot = Object.assign(new Error('permission denied'), { code: '42501' });
    const storeThat = (make: (statement: { text: string }) => Promise<never>): RateLimitStore => {
      const query: PostgresQueryable['query'] = (statement) =>
        statement.text.startsWith('CREATE') ? make(statement) : pool.query(statement);
      return postgresRateLimitStore({ query }, { schema });
    };
    const refused = storeThat(() => Promise.reject(mayNot));
    await expect(refused.consume('key')).rejects.toBe(mayNot);
    const late = storeThat(async (statement) => {
      await pool.query(statement);
      // PostgreSQL's error for all but one of the processes, https://www.postgresql.org/docs/18/errcodes-appendix.html
      throw Object.assign(new Error('type "trunkline_rate_limits" already exists'), { code: '42710' });
    });
    expect(await late.consume('key')).toMatchObject({ consumedPoints: 1 });
  },
);

test.runIf(isLongForm)(
  'a crash of Postgres fails no request, and afterwards the limit counts across processes again',
  async () => {
    const [one, other] = [startProcess(MANY), startProcess(MANY)];
    await one.call('GET', '/api-key');
    await other.call('GET', '/api-key');

    let isDown = true;
    const crash = server.crash().then(() => (isDown = false));
    const statuses = new Set<number>();
    while (isDown) {
      for (const { call } of [one, other]) statuses.add((await call('GET', '/api-key')).status);
      await setImmediate();
    }
    await crash;
    expect(statuses).toEqual(new Set([200]));
    expect(one.reported.length + other.reported.length).toBeGreaterThan(0);

    vi.advanceTimersByTime(6_000);
    // The crash emptied the UNLOGGED table.
    expect(remaining(await one.call('GET', '/api-key'))).toEqual([200, String(MANY - 1)]);
    expect(remaining(await other.call('GET', '/api-key'))).toEqual([200, String(MANY - 2)]);
  },
);

test('each process counts for itself if Postgres is down from the start', async () => {
  const [one, other] = [startProcess(2, NOBODY), startProcess(2, NOBODY)];
  for (const { call, reported } of [one, other]) {
    expect(remaining(await call('GET', '/api-key'))).toEqual([200, '1']);
    expect(remaining(await call('GET', '/api-key'))).toEqual([200, '0']);
    expect(remaining(await call('GET', '/api-key'))).toEqual([429, '0']);
    expect(reported).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })]);
  }
});

test.each([
  ['schema', { schema: 'x"; DROP TABLE y; --' }],
  ['table', { table: 'Limits' }],
  ['table', { table: '' }],
])('a wrong %s is named', (option, options) => {
  const pool = { query: () => Promise.resolve({ rows: [] }) };
  expect(() => postgresRateLimitStore(pool, options)).toThrow(`the option "${option}"`);
});
