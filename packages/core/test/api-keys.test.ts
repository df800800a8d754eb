import { describe, expect, it, vi } from 'vitest';
import { SCOPES, isTrunklineError } from '../src/index.ts';
import { apiKeyResource, checkScope, checkSuspension } from '../src/spi/http.ts';
import type { NewApiKey, Principal } from '../src/index.ts';
import type { Storage } from '../src/spi/storage.ts';
import { memoryStorage } from '../src/testing/index.ts';
import { MINUTE, SECOND, only, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

const INVALID = { code: 'INVALID_API_KEY', status: 401 };
const HOOK = { url: 'https://hooks.example.com/', events: ['message.sent'] } as const;

async function withKey(changes: Partial<NewApiKey> = {}, storage?: Storage) {
  const world = await startWorld({ roles: only('api'), ...(storage && { storage }) });
  return { world, ...(await keyOf(world, changes)) };
}

async function keyOf(world: World, changes: Partial<NewApiKey> = {}) {
  const input = { workspaceId: world.workspaceId, name: 'Server', scopes: SCOPES, ...changes };
  const { token, apiKey } = await world.trunkline.admin.apiKeys.create(input);
  const authenticate = (): Promise<Principal> => world.trunkline.authenticate(`Bearer ${token}`);
  return { token, apiKey, authenticate };
}

/** Whose signals are all lost. */
function withoutSignals(): Storage {
  return { ...memoryStorage(), subscribe: () => () => {} };
}

describe('an API key', () => {
  it('opens its workspace', async () => {
    const { world, apiKey, authenticate } = await withKey({
      scopes: ['messages:send', 'messages:read', 'messages:send'],
    });
    const principal = await authenticate();
    expect(apiKeyResource(principal.apiKey, principal.workspace)).toEqual({
      id: apiKey.id,
      name: 'Server',
      scopes: ['messages:read', 'messages:send'],
      workspace: { id: world.workspaceId, name: 'Acme' },
    });
    expect(await world.trunkline.as(principal).instances.list()).toEqual([]);
    expect(checkScope(principal.apiKey, 'webhooks:read').ok).toBe(false);
  });

  it('is told once, and kept as a hash that nobody is shown', async () => {
    const { world, token, apiKey } = await withKey();
    expect(token).toMatch(/^trk_[0-9A-Za-z]{40}$/);
    const listed = await world.trunkline.admin.apiKeys.list(world.workspaceId);
    expect(listed).toEqual([apiKey]);
    expect(JSON.stringify(await world.storage.apiKeys.list(world.workspaceId))).not.toContain(token);
    expect(apiKey).not.toHaveProperty('hash');
  });

  it.each([null, '', 'Basic abc'])('is asked for where the header is %j', async (header) => {
    const { world } = await withKey();
    await expect(world.trunkline.authenticate(header)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
    });
  });

  it('that is mistyped is refused without a look into the database', async () => {
    const { world, token } = await withKey();
    let looks = 0;
    world.storage.apiKeys.findByHash = async () => {
      looks += 1;
      return null;
    };
    const typo = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    await expect(world.trunkline.authenticate(`Bearer ${typo}`)).rejects.toMatchObject(INVALID);
    expect(looks).toBe(0);
    await expect(world.trunkline.authenticate(`Bearer ${token}`)).rejects.toMatchObject(INVALID);
    expect(looks).toBe(1);
  });

  it("may be one of the embedder's own", async () => {
    const { world } = await withKey();
    const token = 'my-own-api-key-0123456789';
    await keyOf(world, { token });
    expect((await world.trunkline.authenticate(`Bearer ${token}`)).workspace.id).toBe(world.workspaceId);
    await expect(keyOf(world, { token: 'short' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { token: [expect.anything()] } },
    });
  });

  it('works from the moment it is created, even if a request with its token is being looked up', async () => {
    const { world } = await withKey();
    const token = 'my-own-api-key-0123456789';
    const { apiKeys } = world.storage;
    const findByHash = apiKeys.findByHash.bind(apiKeys);
    const tooEarly = Promise.withResolvers<null>();
    vi.spyOn(apiKeys, 'findByHash').mockReturnValueOnce(tooEarly.promise).mockImplementation(findByHash);
    const early = expect(world.trunkline.authenticate(`Bearer ${token}`)).rejects.toMatchObject(INVALID);
    const { authenticate } = await keyOf(world, { token });
    const inTime = authenticate();
    tooEarly.resolve(null);
    await early;
    expect((await inTime).workspace.id).toBe(world.workspaceId);
  });

  it('ends at the very millisecond that it expires', async () => {
    const { world, authenticate } = await withKey({ expiresAt: Date.UTC(2026, 0, 1) + SECOND });
    world.clock.jump(SECOND - 1);
    await authenticate();
    world.clock.jump(1);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('that is revoked ends at once', async () => {
    const { world, apiKey, authenticate } = await withKey();
    await authenticate();
    const revoked = await world.trunkline.admin.apiKeys.revoke(world.workspaceId, apiKey.id);
    expect(revoked).toMatchObject({ id: apiKey.id, revokedAt: world.clock.now() });
    await expect(authenticate()).rejects.toMatchObject(INVALID);
    const error: unknown = await world.trunkline.admin.apiKeys
      .revoke('ten_other', apiKey.id)
      .catch((thrown: unknown) => thrown);
    expect(isTrunklineError(error) && error.code).toBe('NOT_FOUND');
  });

  it('that another process revokes ends when this one hears of it', async () => {
    const { world, apiKey, authenticate } = await withKey();
    const other = await world.another({ roles: only('api') });
    await authenticate();
    await other.trunkline.admin.apiKeys.revoke(world.workspaceId, apiKey.id);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('that another process revokes ends within five seconds when nobody hears of it', async () => {
    const { world, apiKey, authenticate } = await withKey({}, withoutSignals());
    const other = await world.another({ roles: only('api') });
    await authenticate();
    await other.trunkline.admin.apiKeys.revoke(world.workspaceId, apiKey.id);
    world.clock.jump(5 * SECOND - 1);
    await authenticate();
    world.clock.jump(1);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('is not looked up again for what other workspaces change', async () => {
    const { world, authenticate } = await withKey();
    const other = await world.trunkline.admin.workspaces.create({ name: 'Other' });
    const first = await authenticate();
    await world.storage.workspaces.update(other.id, { suspendedAt: 1 });
    expect(await authenticate()).toBe(first);
    await world.storage.workspaces.update(world.workspaceId, { name: 'New' });
    expect(await authenticate()).toHaveProperty('workspace.name', 'New');
  });

  it('that is revoked while it is being looked up is not remembered', async () => {
    const { world, apiKey, authenticate } = await withKey();
    const { apiKeys } = world.storage;
    const findByHash = apiKeys.findByHash.bind(apiKeys);
    apiKeys.findByHash = async (hash) => {
      const found = await findByHash(hash);
      apiKeys.findByHash = findByHash;
      await world.trunkline.admin.apiKeys.revoke(world.workspaceId, apiKey.id);
      return found;
    };
    await authenticate();
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('has its use noted at most once a minute, and no request fails or waits for that', async () => {
    const { world, authenticate } = await withKey();
    const { apiKeys } = world.storage;
    const touch = apiKeys.touch.bind(apiKeys);
    const lastUsed = async () => (await world.trunkline.admin.apiKeys.list(world.workspaceId))[0]?.lastUsedAt;
    const first = world.clock.now();
    await authenticate();
    world.clock.jump(MINUTE - 1);
    await authenticate();
    expect(await lastUsed()).toBe(first);
    world.clock.jump(1);
    await authenticate();
    expect(await lastUsed()).toBe(first + MINUTE);

    apiKeys.touch = () => Promise.reject(new Error('read-only'));
    world.clock.jump(MINUTE);
    await authenticate();
    apiKeys.touch = touch;
  });
});

describe('a workspace that is suspended', () => {
  it('is refused at once, and let in at once when it is resumed', async () => {
    const { world, authenticate } = await withKey();
    await authenticate();
    await world.trunkline.admin.workspaces.suspend(world.workspaceId);
    expect(checkSuspension((await authenticate()).workspace)).toMatchObject({
      refusal: { code: 'WORKSPACE_SUSPENDED' },
    });
    await world.trunkline.admin.workspaces.resume(world.workspaceId);
    expect(checkSuspension((await authenticate()).workspace).ok).toBe(true);
  });

  it('by another process is refused within five seconds when nobody hears of it', async () => {
    const { world, authenticate } = await withKey({}, withoutSignals());
    const isOpen = async () => checkSuspension((await authenticate()).workspace).ok;
    expect(await isOpen()).toBe(true);
    await world.storage.workspaces.update(world.workspaceId, { suspendedAt: world.clock.now() });
    world.clock.jump(5 * SECOND - 1);
    expect(await isOpen()).toBe(true);
    world.clock.jump(1);
    expect(await isOpen()).toBe(false);
  });

  it('keeps the time of its first suspension', async () => {
    const { world } = await withKey();
    const { workspaces } = world.trunkline.admin;
    const { suspendedAt } = await workspaces.suspend(world.workspaceId);
    world.clock.jump(MINUTE);
    expect(await workspaces.suspend(world.workspaceId)).toMatchObject({ suspendedAt });
  });
});

describe('a member', () => {
  it('edits webhooks with a verified e-mail only, and uses them without', async () => {
    const { world } = await withKey();
    const { members } = world.trunkline.admin;
    const member = await members.create({ workspaceId: world.workspaceId, email: 'ada@example.com' });
    const { authenticate } = await keyOf(world, { memberId: member.id });
    const webhook = await world.api.webhooks.create(HOOK);
    const unverified = world.trunkline.as(await authenticate());
    const refused = { code: 'INSUFFICIENT_SCOPE', status: 403, details: { reason: 'email_not_verified' } };
    await expect(unverified.webhooks.create(HOOK)).rejects.toMatchObject(refused);
    await expect(unverified.webhooks.update(webhook.id, { description: 'x' })).rejects.toMatchObject(refused);
    await unverified.webhooks.test(webhook.id);

    await members.update(world.workspaceId, member.id, { emailVerified: true });
    await world.trunkline.as(await authenticate()).webhooks.create(HOOK);
  });

  it('who is deleted takes the keys along, at once', async () => {
    const { world } = await withKey();
    const { members } = world.trunkline.admin;
    const member = await members.create({
      workspaceId: world.workspaceId,
      email: 'ada@example.com',
      emailVerified: true,
    });
    const { authenticate } = await keyOf(world, { memberId: member.id });
    await authenticate();
    await members.delete(world.workspaceId, member.id);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
    await expect(members.delete(world.workspaceId, member.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('and a workspace must be there for a key to be made', async () => {
    const { world } = await withKey();
    await expect(keyOf(world, { workspaceId: 'ten_unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(keyOf(world, { memberId: 'mem_unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(keyOf(world, { name: ' ' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(
      world.trunkline.admin.members.create({ workspaceId: world.workspaceId, email: 'nobody' }),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});
