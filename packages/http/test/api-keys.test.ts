import { expect, test } from 'vitest';
import { client } from './client.ts';
import { startService } from './service.ts';

test('GET /api-key says whose key it is and what it may do', async () => {
  const service = await startService();
  const { id, call } = await service.newWorkspace({ key: { scopes: ['instances:read', 'messages:send'] } });
  const seen = await call('GET', '/api-key');
  expect(seen.status).toBe(200);
  expect(seen.json).toEqual({
    data: {
      id: expect.stringMatching(/^key_/),
      name: 'ci',
      scopes: ['instances:read', 'messages:send'],
      workspace: { id, name: 'Acme' },
    },
  });
});

test('a key is refused when it is malformed, revoked or expired, and without Bearer before it', async () => {
  const { trunkline, clock, app } = await startService();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const expiresAt = clock.now() + 60_000;
  const { token, apiKey } = await trunkline.admin.apiKeys.create({
    workspaceId,
    name: 'ci',
    scopes: [],
    expiresAt,
  });
  const codeFor = async (authorization: string): Promise<unknown> => {
    const seen = await client(app, null)('GET', '/api-key', { headers: { Authorization: authorization } });
    if (seen.status === 401) expect(seen.headers.get('WWW-Authenticate')).toBe('Bearer');
    return seen.code ?? seen.status;
  };
  expect(await codeFor(`bEARER ${token}`)).toBe(200);
  expect(await codeFor(`Basic ${token}`)).toBe('UNAUTHENTICATED');
  expect(await codeFor(token)).toBe('UNAUTHENTICATED');
  expect(await codeFor(`Bearer ${token}x`)).toBe('INVALID_API_KEY');
  expect(await codeFor('Bearer')).toBe('INVALID_API_KEY');
  expect(await codeFor(`Bearer ${token}, Bearer ${token}`)).toBe('INVALID_API_KEY');
  await trunkline.admin.apiKeys.revoke(workspaceId, apiKey.id);
  expect(await codeFor(`Bearer ${token}`)).toBe('INVALID_API_KEY');
  const expiring = await trunkline.admin.apiKeys.create({ workspaceId, name: 'ci', scopes: [], expiresAt });
  expect(await codeFor(`Bearer ${expiring.token}`)).toBe(200);
  clock.jump(60_000);
  expect(await codeFor(`Bearer ${expiring.token}`)).toBe('INVALID_API_KEY');
});

test('a suspended workspace is refused immediately, and served again when it is resumed', async () => {
  const service = await startService();
  const { id, call } = await service.newWorkspace();
  expect((await call('GET', '/instances')).status).toBe(200);
  await service.trunkline.admin.workspaces.suspend(id);
  expect((await call('GET', '/instances')).code).toBe('WORKSPACE_SUSPENDED');
  await service.trunkline.admin.workspaces.resume(id);
  expect((await call('GET', '/instances')).status).toBe(200);
});
