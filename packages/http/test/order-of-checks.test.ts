import { describe, expect, test } from 'vitest';
import { SCOPES } from '@trunkline/core';
import { createHttpApp } from '../src/index.ts';
import { client } from './client.ts';
import { fakeTrunkline, refusal, WORKSPACE_ID } from './fake-trunkline.ts';
import { ROUTE_TABLE, somePath } from './route-table.ts';

/** A request that fails every check. Each test removes the faults that earlier checks would find. */
const WRONG = {
  body: '[not json',
  headers: { 'Content-Type': 'text/plain', 'X-Workspace-Id': 'ten_another' },
};
const otherwiseFine = { ...WRONG, headers: { 'Content-Type': 'text/plain', 'X-Workspace-Id': WORKSPACE_ID } };

const suspendedAndPowerless = fakeTrunkline({ suspended: true, scopes: [] });

describe('the first check that fails decides the response:', () => {
  test('a path that does not exist is 404 without a key', async () => {
    const seen = await client(createHttpApp(suspendedAndPowerless), null)('POST', '/nothing', WRONG);
    expect([seen.status, seen.code]).toEqual([404, 'NOT_FOUND']);
    expect(seen.headers.has('WWW-Authenticate')).toBe(false);
  });

  test('a method that the path does not have is 405 without a key', async () => {
    const seen = await client(createHttpApp(suspendedAndPowerless), null)('PUT', '/webhooks', WRONG);
    expect([seen.status, seen.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });

  test('no key is UNAUTHENTICATED', async () => {
    const seen = await client(createHttpApp(suspendedAndPowerless), null)('POST', '/webhooks', WRONG);
    expect([seen.status, seen.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(seen.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  test('a wrong key is INVALID_API_KEY', async () => {
    const seen = await client(createHttpApp(suspendedAndPowerless), 'bad')('POST', '/webhooks', WRONG);
    expect([seen.status, seen.code]).toEqual([401, 'INVALID_API_KEY']);
    expect(seen.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  test("another workspace in X-Workspace-Id than the key's is WORKSPACE_MISMATCH", async () => {
    const seen = await client(createHttpApp(suspendedAndPowerless))('POST', '/webhooks', WRONG);
    expect([seen.status, seen.code]).toEqual([403, 'WORKSPACE_MISMATCH']);
  });

  test('a suspended workspace is WORKSPACE_SUSPENDED', async () => {
    const seen = await client(createHttpApp(suspendedAndPowerless))('POST', '/webhooks', otherwiseFine);
    expect([seen.status, seen.code]).toEqual([403, 'WORKSPACE_SUSPENDED']);
  });

  test('a missing scope is INSUFFICIENT_SCOPE and names the scope', async () => {
    const seen = await client(createHttpApp(fakeTrunkline({ scopes: [] })))(
      'POST',
      '/webhooks',
      otherwiseFine,
    );
    expect([seen.status, seen.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(seen.json.error?.details).toEqual({ required_scope: 'webhooks:write' });
  });

  test('an unreadable body is VALIDATION_FAILED', async () => {
    const seen = await client(createHttpApp(fakeTrunkline()))('POST', '/webhooks', otherwiseFine);
    expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  test('the operation comes last', async () => {
    const webhooks = { create: () => Promise.reject(refusal('WEBHOOK_LIMIT_REACHED', 'Five is enough.')) };
    const seen = await client(createHttpApp(fakeTrunkline({ operations: { webhooks } })))(
      'POST',
      '/webhooks',
      { json: {} },
    );
    expect([seen.status, seen.code]).toEqual([403, 'WEBHOOK_LIMIT_REACHED']);
  });
});

test('a body is not read for a key that may not send it', async () => {
  let pulls = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulls += 1;
      controller.enqueue(new Uint8Array(1024));
    },
  });
  const seen = await client(createHttpApp(fakeTrunkline({ scopes: [] })))('POST', '/webhooks', { body });
  expect(seen.status).toBe(403);
  expect(pulls).toBeLessThanOrEqual(1); // the stream prefetches one chunk
});

test('the workspace id of the key is accepted in X-Workspace-Id', async () => {
  const seen = await client(createHttpApp(fakeTrunkline()))('GET', '/api-key', {
    headers: { 'X-Workspace-Id': WORKSPACE_ID },
  });
  expect(seen.status).toBe(200);
});

describe('every row of the endpoint table', () => {
  const rows = ROUTE_TABLE.map((row) => [`${row.method} ${row.path}`, row] as const);

  test.each(rows)('%s needs a key', async (_, { method, path }) => {
    const seen = await client(createHttpApp(fakeTrunkline()), null)(method, somePath(path));
    expect(seen.code).toBe('UNAUTHENTICATED');
  });

  test.each(rows)('%s is closed to a suspended workspace', async (_, { method, path }) => {
    const seen = await client(createHttpApp(fakeTrunkline({ suspended: true })))(method, somePath(path));
    expect(seen.code).toBe('WORKSPACE_SUSPENDED');
  });

  const scoped = rows.filter(([, row]) => row.scope !== null);
  test.each(scoped)(
    '%s needs its scope, and all the others do not help',
    async (_, { method, path, scope }) => {
      const others = SCOPES.filter((other) => other !== scope);
      const seen = await client(createHttpApp(fakeTrunkline({ scopes: others })))(method, somePath(path));
      expect(seen.code).toBe('INSUFFICIENT_SCOPE');
      expect(seen.json.error?.details).toEqual({ required_scope: scope });
    },
  );
});

test('GET /api-key needs no scope', async () => {
  const seen = await client(createHttpApp(fakeTrunkline({ scopes: [] })))('GET', '/api-key');
  expect(seen.status).toBe(200);
  expect(seen.json).toEqual({
    data: {
      id: 'key_01k9z0000000000000000000aa',
      name: 'ci',
      scopes: [],
      workspace: { id: WORKSPACE_ID, name: 'Acme' },
    },
  });
});
