import { describe, expect, test } from 'vitest';
import type { MessageQuery, WorkspaceApi } from '@trunkline/core';
import { createHttpApp } from '../src/index.ts';
import { client } from './client.ts';
import type { Seen } from './client.ts';
import { fakeTrunkline } from './fake-trunkline.ts';

/** Lists messages, and tells what the operation was given; null when it was not reached. */
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

test('unknown parameters are ignored, whatever they are called', async () => {
  const { status, given } = await list('?page=1&page=2&__proto__=x&constructor=&toString=1');
  expect([status, given]).toEqual([200, {}]);
});

describe('refused with a complaint about the parameter:', () => {
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

test('a route without parameters ignores every query', async () => {
  const seen = await client(createHttpApp(fakeTrunkline()))('GET', '/api-key?limit=&limit=');
  expect(seen.status).toBe(200);
});
