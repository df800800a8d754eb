import { afterAll, describe, expect, test } from 'vitest';
import { SCOPES } from '@trunkline/core';
import { ERROR_STATUS } from '@trunkline/core/spi/http';
import type { ErrorCode } from '@trunkline/core';
import { createHttpApp } from '../src/index.ts';
import { client, urlOf } from './client.ts';
import type { Seen } from './client.ts';
import { routeOf } from './declared-responses.ts';
import { ENDPOINT_TABLE } from './endpoint-table.ts';
import type { Shape } from './endpoint-table.ts';
import { fakeTrunkline } from './fake-trunkline.ts';
import { oneOfEverything } from './one-of-everything.ts';
import type { Harness } from './one-of-everything.ts';
import { changesNothing, NEVER, provocation, success } from './provoked-errors.ts';
import { expectFields } from './resource-fields.ts';
import { ROUTE_TABLE } from './route-table.ts';

/** "Every operation may also return 401, 403, 429" (specification, "Endpoints"). The 429 is in `OF_NO_ROW`. */
const OF_EVERY_ROW = [
  'UNAUTHENTICATED',
  'INVALID_API_KEY',
  'WORKSPACE_SUSPENDED',
  'WORKSPACE_MISMATCH',
] as const;

const ends: (() => Promise<void>)[] = [];
const shared = oneOfEverything({ onEnd: (stop) => ends.push(stop) });
afterAll(async () => {
  await Promise.all(ends.map((stop) => stop()));
});

/** The results of each row, printed at the end. */
const report = new Map<string, { success: string; scope: string; errors: string[] }>();

function reported(name: string): { success: string; scope: string; errors: string[] } {
  const line = report.get(name) ?? { success: '✗', scope: '✗', errors: [] };
  report.set(name, line);
  return line;
}

afterAll(() => {
  const lines = [...report].map(([name, { success, scope, errors }]) =>
    [name.padEnd(54), success.padEnd(4), scope.padEnd(20), errors.join(' ')].join(' '),
  );
  process.stdout.write(
    `\nThe routes, as this run saw them:\n${lines.join('\n')}\n` +
      `Not provoked, as there is no occasion:\n${Object.entries(NEVER)
        .map(([name, why]) => `${name}: ${why}`)
        .join('\n')}\n\n`,
  );
});

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;
const promised = new Map(ENDPOINT_TABLE.map((row) => [nameOf(row), row]));

test.each([...promised])('%s is a route, with the scope, the status and the errors promised', (name, row) => {
  const { scope, status, errors } = row;
  const route = ROUTE_TABLE.find((one) => nameOf(one) === name);
  expect(route).toMatchObject({ scope, status, errors: expect.arrayContaining([...errors]) });
});

describe.each(ROUTE_TABLE.map((row) => [nameOf(row), row] as const))('%s', (name, row) => {
  const { method, path, scope, scopes, status, errors, route } = row;
  const succeed = (harness: Harness): Promise<Seen> => harness.service.during(success(route)(harness));

  // The client in tests also checks that the body has exactly the declared fields.
  test(`responds with ${status} and exactly its fields, for a key with only its scopes`, async () => {
    const harness = await oneOfEverything();
    const call = await harness.service.newKey(harness.workspaceId, { scopes });
    // Requests that prepare the tested one use the key with every scope.
    const withScopeAlone: Harness = {
      ...harness,
      call: (how, target, options) => {
        const isOfRow = how === method && routeOf(how, urlOf(target).pathname)?.path === path;
        return (isOfRow ? call : harness.call)(how, target, options);
      },
    };
    const seen = await succeed(withScopeAlone);
    expect([seen.status, seen.code]).toEqual([status, undefined]);
    const response = promised.get(name)?.response;
    if (response === null || route.success.body === null) expect(seen.json).toBeUndefined();
    else if (response !== undefined) expectShape(seen, response);
    reported(name).success = String(status);
    if (scope === null) reported(name).scope = '(none)';
  });

  for (const needed of scopes) {
    test(`needs ${needed}`, async () => {
      const harness = await shared;
      const others = SCOPES.filter((other) => other !== needed);
      const call = await harness.service.newKey(harness.workspaceId, { scopes: others });
      const seen = await call(method, harness.at(path));
      expect([seen.status, seen.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      reported(name).scope = scopes.join(' ');
    });
  }

  const possible = [...OF_EVERY_ROW, ...errors].filter((code) => NEVER[`${name} ${code}`] === undefined);
  test.each(possible)('can respond with %s', async (code) => {
    const harness = await (changesNothing(route, code) ? shared : oneOfEverything());
    const seen = await provocation(route, code)(harness);
    expect([seen.status, seen.code]).toEqual([ERROR_STATUS[code], code]);
    reported(name).errors.push(code);
  });
});

function expectShape({ text, json }: Seen, { fields, data, list, meta }: Shape): void {
  expectFields(json, fields);
  const objects = list ? JSON.parse(text).data : [json.data];
  expect(objects.length).toBeGreaterThan(0);
  for (const object of objects) expectFields(object, data);
  if (meta !== undefined) expectFields(json.meta, meta);
}

/** Requests for the codes that no row lists. */
const OF_NO_ROW: Partial<Readonly<Record<ErrorCode, () => Promise<Seen>>>> = {
  INSUFFICIENT_SCOPE: () => client(createHttpApp(fakeTrunkline({ scopes: [] })))('GET', '/instances'),
  NOT_FOUND: async () => (await oneOfEverything()).call('GET', '/nothing'),
  METHOD_NOT_ALLOWED: async () => (await oneOfEverything()).call('PUT', '/messages'),
  RATE_LIMITED: async () => {
    const call = client(createHttpApp(fakeTrunkline(), { rateLimit: { requestsPerMinute: 1 } }));
    await call('GET', '/api-key');
    return call('GET', '/api-key');
  },
  INTERNAL_ERROR: () => {
    const authenticate = () => Promise.reject(new Error('no database'));
    return client(createHttpApp(fakeTrunkline({ authenticate })))('GET', '/api-key');
  },
};

test.each(Object.entries(OF_NO_ROW))('%s is provoked', async (code, provoke) => {
  expect((await provoke()).code).toBe(code);
});

test('the errors that the tests provoke are every code of the error table', () => {
  const ofRows = ROUTE_TABLE.flatMap(({ method, path, errors }) =>
    errors.filter((code) => NEVER[`${method} ${path} ${code}`] === undefined),
  );
  const provoked = new Set([...OF_EVERY_ROW, ...ofRows, ...Object.keys(OF_NO_ROW)]);
  expect([...provoked].toSorted()).toEqual(Object.keys(ERROR_STATUS).toSorted());
});
