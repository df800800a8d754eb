import { describe, expect, test } from 'vitest';
import type { MessageQuery, WorkspaceApi } from '@trunkline/core';
import { createHttpApp } from '../src/index.ts';
import { ROUTES } from '../src/routes/all-routes.ts';
import { client } from './client.ts';
import type { Seen } from './client.ts';
import { fakeTrunkline } from './fake-trunkline.ts';

/** `given` is the input of the operation; null if the operation was not reached. */
async function list(query: string): Promise<Seen & { readonly given: MessageQuery | null }> {
  let given: MessageQuery | null = null;
  const messages: Partial<WorkspaceApi['messages']> = {
    list: async (input = {}) => {
      given = input;
      return { data: [], perPage: 25, nextCursor: null, prevCursor: null };
    },
  };
  const seen = await client(createHttpApp(fakeTrunkline({ operations: { messages } })))(
    'GET',
    `/messages${query}`,
  );
  return { ...seen, given };
}

test('query parameters reach the operation as text', async () => {
  const { given } = await list(
    '?limit=10&direction=inbound&status=queued%2Csent&cursor=a+b&type=text&instance=ins_1',
  );
  expect(given).toEqual({
    limit: '10',
    direction: 'inbound',
    status: 'queued,sent',
    cursor: 'a b',
    type: 'text',
    instance: 'ins_1',
  });
});

test('unknown parameters are refused by their names, whatever they are called', async () => {
  const seen = await list('?to=15550100&page=1&page=2&__proto__=x&constructor=&toString=1&limit=5');
  expect([seen.status, seen.code, seen.given]).toEqual([422, 'VALIDATION_FAILED', null]);
  const fields = seen.json.error?.details?.fields ?? {};
  expect(Object.keys(fields)).toEqual(['to', 'page', '__proto__', 'constructor', 'toString']);
  expect(fields).toHaveProperty('to', [
    'Is unknown: this path takes instance, direction, type, status, counterpart, origin, q, limit, cursor, before.',
  ]);
});

describe('a request is refused with a complaint about its query parameter:', () => {
  test.each([
    ['given twice', '?limit=1&limit=1', { limit: ['Must be given once.'] }],
    ['empty', '?status=', { status: ['Must not be empty.'] }],
    ['a name alone', '?cursor', { cursor: ['Must not be empty.'] }],
    [
      'two of them',
      '?limit=&type=text&type=',
      { limit: ['Must not be empty.'], type: ['Must be given once.'] },
    ],
  ])('%s', async (_, query, fields) => {
    const seen = await list(query);
    expect([seen.status, seen.code, seen.given]).toEqual([422, 'VALIDATION_FAILED', null]);
    expect(seen.json.error?.details).toEqual({ fields });
  });
});

test.each(ROUTES.map(({ method, path }) => [method, path] as const))(
  '%s %s refuses a parameter that it does not know, and so does HEAD',
  async (method, path) => {
    const call = client(createHttpApp(fakeTrunkline()));
    for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      const seen = await call(each, `${path.replace(/\{\w+\}/, 'x')}?expand=all`);
      expect(seen.status).toBe(422);
      if (each !== 'HEAD') expect(seen.json.error?.details?.fields).toHaveProperty('expand');
    }
  },
);

test('a key without the scope learns nothing about the parameters', async () => {
  const app = createHttpApp(fakeTrunkline({ scopes: ['instances:read'] }));
  expect((await client(app)('GET', '/messages?to=1')).code).toBe('INSUFFICIENT_SCOPE');
});
