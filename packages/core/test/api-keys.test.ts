import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SCOPES, createTrunkline, isTrunklineError } from '../src/index.ts';
import { apiKeyResource, checkScope, checkSuspension } from '../src/spi/http.ts';
import type { NewApiKey, Principal } from '../src/index.ts';
import type { Storage } from '../src/spi/storage.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { testRuntime } from '../src/testing/index.ts';
import { MINUTE, SECOND, only, startHarness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';
import type { Harness } from './support/harness.ts';

const INVALID = { code: 'INVALID_API_KEY', status: 401 };
const HOOK = { url: 'https://hooks.example.com/', events: ['message.sent'] } as const;

async function withKey(changes: Partial<NewApiKey> = {}, storage?: Storage) {
  const harness = await startHarness({ roles: only('api'), ...(storage && { storage }) });
  return { harness, ...(await keyOf(harness, changes)) };
}

async function keyOf(harness: Harness, changes: Partial<NewApiKey> = {}) {
  const input = { workspaceId: harness.workspaceId, name: 'Server', scopes: SCOPES, ...changes };
  const { token, apiKey } = await harness.trunkline.admin.apiKeys.create(input);
  const authenticate = (): Promise<Principal> => harness.trunkline.authenticate(`Bearer ${token}`);
  return { token, apiKey, authenticate };
}

function withoutSignals(): Storage {
  return { ...memoryStorage(), subscribe: () => () => {} };
}

describe('an API key', () => {
  it('opens its workspace', async () => {
    const { harness, apiKey, authenticate } = await withKey({
      scopes: ['messages:send', 'messages:read', 'messages:send'],
    });
    const principal = await authenticate();
    expect(apiKeyResource(principal.apiKey, principal.workspace)).toEqual({
      id: apiKey.id,
      name: 'Server',
      scopes: ['messages:read', 'messages:send'],
      workspace: { id: harness.workspaceId, name: 'Acme' },
    });
    expect((await harness.trunkline.as(principal).instances.list()).data).toEqual([]);
    expect(checkScope(principal.apiKey, 'webhooks:read').ok).toBe(false);
  });

  it('is shown once, and kept as a hash that is never shown', async () => {
    const { harness, token, apiKey } = await withKey();
    expect(token).toMatch(/^trk_[0-9A-Za-z]{40}$/);
    const listed = await harness.trunkline.admin.apiKeys.list(harness.workspaceId);
    expect(listed).toEqual([apiKey]);
    expect(JSON.stringify(await harness.storage.apiKeys.list(harness.workspaceId))).not.toContain(token);
    expect(apiKey).not.toHaveProperty('hash');
  });

  it('is shown by its first characters, unless its value was given by the caller', async () => {
    const { harness, token, apiKey } = await withKey();
    expect(apiKey.prefix).toBe(token.slice(0, 8));
    const { workspaceId, trunkline } = harness;
    const own = { workspaceId, name: 'Own', scopes: [], token: 'a-value-of-our-own' };
    expect((await trunkline.admin.apiKeys.create(own)).apiKey.prefix).toBeNull();
  });

  it.each([null, '', 'Basic abc'])('is asked for where the header is %j', async (header) => {
    const { harness } = await withKey();
    await expect(harness.trunkline.authenticate(header)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
    });
  });

  it('is refused without a database lookup if it is mistyped', async () => {
    const { harness, token } = await withKey();
    let looks = 0;
    harness.storage.apiKeys.findByHash = async () => {
      looks += 1;
      return null;
    };
    const typo = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    await expect(harness.trunkline.authenticate(`Bearer ${typo}`)).rejects.toMatchObject(INVALID);
    expect(looks).toBe(0);
    await expect(harness.trunkline.authenticate(`Bearer ${token}`)).rejects.toMatchObject(INVALID);
    expect(looks).toBe(1);
  });

  it("may be one of the embedder's own", async () => {
    const { harness } = await withKey();
    const token = 'my-own-api-key-0123456789';
    await keyOf(harness, { token });
    expect((await harness.trunkline.authenticate(`Bearer ${token}`)).workspace.id).toBe(harness.workspaceId);
    await expect(keyOf(harness, { token: 'short' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { token: [expect.anything()] } },
    });
  });

  it('works from the moment it is created, even if a request with its token is being looked up', async () => {
    const { harness } = await withKey();
    const token = 'my-own-api-key-0123456789';
    const { apiKeys } = harness.storage;
    const findByHash = apiKeys.findByHash.bind(apiKeys);
    const tooEarly = Promise.withResolvers<null>();
    vi.spyOn(apiKeys, 'findByHash').mockReturnValueOnce(tooEarly.promise).mockImplementation(findByHash);
    const early = expect(harness.trunkline.authenticate(`Bearer ${token}`)).rejects.toMatchObject(INVALID);
    const { authenticate } = await keyOf(harness, { token });
    const inTime = authenticate();
    tooEarly.resolve(null);
    await early;
    expect((await inTime).workspace.id).toBe(harness.workspaceId);
  });

  it('ends at the very millisecond that it expires', async () => {
    const { harness, authenticate } = await withKey({ expiresAt: Date.UTC(2026, 0, 1) + SECOND });
    harness.clock.jump(SECOND - 1);
    await authenticate();
    harness.clock.jump(1);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('ends immediately when it is revoked', async () => {
    const { harness, apiKey, authenticate } = await withKey();
    await authenticate();
    const revoked = await harness.trunkline.admin.apiKeys.revoke(harness.workspaceId, apiKey.id);
    expect(revoked).toMatchObject({ id: apiKey.id, revokedAt: harness.clock.now() });
    await expect(authenticate()).rejects.toMatchObject(INVALID);
    const error: unknown = await harness.trunkline.admin.apiKeys
      .revoke('ten_other', apiKey.id)
      .catch((thrown: unknown) => thrown);
    expect(isTrunklineError(error) && error.code).toBe('NOT_FOUND');
  });

  it('ends on the signal that another process revoked it', async () => {
    const { harness, apiKey, authenticate } = await withKey();
    const other = await harness.another({ roles: only('api') });
    await authenticate();
    await other.trunkline.admin.apiKeys.revoke(harness.workspaceId, apiKey.id);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('ends within five seconds if the signal that another process revoked it is lost', async () => {
    const { harness, apiKey, authenticate } = await withKey({}, withoutSignals());
    const other = await harness.another({ roles: only('api') });
    await authenticate();
    await other.trunkline.admin.apiKeys.revoke(harness.workspaceId, apiKey.id);
    harness.clock.jump(5 * SECOND - 1);
    await authenticate();
    harness.clock.jump(1);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('is not looked up again for what other workspaces change', async () => {
    const { harness, authenticate } = await withKey();
    const other = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const first = await authenticate();
    await harness.storage.workspaces.update(other.id, { suspendedAt: 1 });
    expect(await authenticate()).toBe(first);
    await harness.storage.workspaces.update(harness.workspaceId, { name: 'New' });
    expect(await authenticate()).toHaveProperty('workspace.name', 'New');
  });

  it('is not cached if it is revoked during its lookup', async () => {
    const { harness, apiKey, authenticate } = await withKey();
    const { apiKeys } = harness.storage;
    const findByHash = apiKeys.findByHash.bind(apiKeys);
    apiKeys.findByHash = async (hash) => {
      const found = await findByHash(hash);
      apiKeys.findByHash = findByHash;
      await harness.trunkline.admin.apiKeys.revoke(harness.workspaceId, apiKey.id);
      return found;
    };
    await authenticate();
    await expect(authenticate()).rejects.toMatchObject(INVALID);
  });

  it('has its use noted at most once a minute, and no request fails or waits for that', async () => {
    const { harness, authenticate } = await withKey();
    const { apiKeys } = harness.storage;
    const touch = apiKeys.touch.bind(apiKeys);
    const lastUsed = async () =>
      (await harness.trunkline.admin.apiKeys.list(harness.workspaceId))[0]?.lastUsedAt;
    const first = harness.clock.now();
    await authenticate();
    harness.clock.jump(MINUTE - 1);
    await authenticate();
    expect(await lastUsed()).toBe(first);
    harness.clock.jump(1);
    await authenticate();
    expect(await lastUsed()).toBe(first + MINUTE);

    apiKeys.touch = () => Promise.reject(new Error('read-only'));
    harness.clock.jump(MINUTE);
    await authenticate();
    apiKeys.touch = touch;
  });
});

describe('a workspace that is suspended', () => {
  it('is refused immediately, and let in immediately when it is resumed', async () => {
    const { harness, authenticate } = await withKey();
    await authenticate();
    await harness.trunkline.admin.workspaces.suspend(harness.workspaceId);
    expect(checkSuspension((await authenticate()).workspace)).toMatchObject({
      refusal: { code: 'WORKSPACE_SUSPENDED' },
    });
    await harness.trunkline.admin.workspaces.resume(harness.workspaceId);
    expect(checkSuspension((await authenticate()).workspace).ok).toBe(true);
  });

  it('is refused within five seconds if the signal of another process is lost', async () => {
    const { harness, authenticate } = await withKey({}, withoutSignals());
    const isOpen = async () => checkSuspension((await authenticate()).workspace).ok;
    expect(await isOpen()).toBe(true);
    await harness.storage.workspaces.update(harness.workspaceId, { suspendedAt: harness.clock.now() });
    harness.clock.jump(5 * SECOND - 1);
    expect(await isOpen()).toBe(true);
    harness.clock.jump(1);
    expect(await isOpen()).toBe(false);
  });

  it('keeps the time of its first suspension', async () => {
    const { harness } = await withKey();
    const { workspaces } = harness.trunkline.admin;
    const { suspendedAt } = await workspaces.suspend(harness.workspaceId);
    harness.clock.jump(MINUTE);
    expect(await workspaces.suspend(harness.workspaceId)).toMatchObject({ suspendedAt });
  });
});

describe('a member', () => {
  it('edits webhooks with a verified email only, and uses them without', async () => {
    const { harness } = await withKey();
    const { members } = harness.trunkline.admin;
    const member = await members.create({ workspaceId: harness.workspaceId, email: 'ada@example.com' });
    const { authenticate } = await keyOf(harness, { memberId: member.id });
    const webhook = await harness.api.webhooks.create(HOOK);
    const unverified = harness.trunkline.as(await authenticate());
    const refused = { code: 'INSUFFICIENT_SCOPE', status: 403, details: { reason: 'email_not_verified' } };
    await expect(unverified.webhooks.create(HOOK)).rejects.toMatchObject(refused);
    await expect(unverified.webhooks.update(webhook.id, { description: 'x' })).rejects.toMatchObject(refused);
    await unverified.webhooks.test(webhook.id);

    await members.update(harness.workspaceId, member.id, { emailVerified: true });
    await harness.trunkline.as(await authenticate()).webhooks.create(HOOK);
  });

  it('takes its keys along when it is deleted, immediately', async () => {
    const { harness } = await withKey();
    const { members } = harness.trunkline.admin;
    const member = await members.create({
      workspaceId: harness.workspaceId,
      email: 'ada@example.com',
      emailVerified: true,
    });
    const { authenticate } = await keyOf(harness, { memberId: member.id });
    await authenticate();
    await members.delete(harness.workspaceId, member.id);
    await expect(authenticate()).rejects.toMatchObject(INVALID);
    await expect(members.delete(harness.workspaceId, member.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('must exist, like the workspace, before a key is created', async () => {
    const { harness } = await withKey();
    await expect(keyOf(harness, { workspaceId: 'ten_unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(keyOf(harness, { memberId: 'mem_unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(keyOf(harness, { name: ' ' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(
      harness.trunkline.admin.members.create({ workspaceId: harness.workspaceId, email: 'nobody' }),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('the first API key', () => {
  const start = (harness: Harness) => harness.trunkline.admin.apiKeys.createFirst();

  it('is made once, however often a program asks for it', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { token, workspaceId } = await start(harness);
    expect(workspaceId).toBe(harness.workspaceId);
    expect(await start(harness)).toEqual({ workspaceId, token: null });
    const { apiKey } = await harness.trunkline.authenticate(`Bearer ${token}`);
    expect(apiKey).toMatchObject({ name: 'First key', scopes: SCOPES, expiresAt: null });
    expect(await harness.trunkline.admin.apiKeys.list(workspaceId)).toHaveLength(1);
  });

  it('is not made for a workspace that has a key of its own', async () => {
    const harness = await startHarness({ roles: only('api') });
    await keyOf(harness, { scopes: ['messages:read'] });
    expect(await start(harness)).toEqual({ workspaceId: harness.workspaceId, token: null });
  });

  it.each(['revoked', 'expired'])('is made again once all others are %s', async (end) => {
    const harness = await startHarness({ roles: only('api') });
    const expiresAt = harness.clock.now() + SECOND;
    const { apiKey } = await keyOf(harness, end === 'expired' ? { expiresAt } : {});
    if (end === 'revoked') await harness.trunkline.admin.apiKeys.revoke(harness.workspaceId, apiKey.id);
    await harness.clock.advance(SECOND);
    expect((await start(harness)).token).toMatch(/^trk_/);
  });

  it('comes with a workspace if there is none', async () => {
    const { clock, random, crypto, dns } = testRuntime();
    const trunkline = createTrunkline({
      clock,
      random,
      crypto,
      dns,
      storage: memoryStorage(),
      roles: only('api'),
      gateways: [createSandbox().gateway],
      secretKey: 'for a test, of 32 characters or more',
    });
    await trunkline.start();
    onTestFinished(() => trunkline.stop());
    const { workspaceId, token } = await trunkline.admin.apiKeys.createFirst();
    expect(await trunkline.admin.workspaces.list()).toMatchObject([
      { id: workspaceId, name: 'Default workspace' },
    ]);
    expect((await trunkline.authenticate(`Bearer ${token}`)).workspace.id).toBe(workspaceId);
  });
});
