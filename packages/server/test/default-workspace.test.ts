import { describe, expect, it } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { openDefaultWorkspace } from '../src/start/default-workspace.ts';

const AT_TERMINAL = { apiKey: undefined, canShow: true };

describe('The API key of the first start', () => {
  async function aStartedTrunkline() {
    const runtime = nodeRuntime();
    const storage = sqliteStorage({ path: ':memory:' });
    const trunkline = createTrunkline({
      ...runtime,
      storage,
      gateways: [createSandbox().gateway],
      secretKey: 'a-secret-key-of-more-than-32-characters',
      roles: { gateway: false, webhooks: false, maintenance: false },
    });
    await trunkline.start();
    return { trunkline, storage, crypto: runtime.crypto };
  }

  it('is made again until it is shown, for the same workspace', async () => {
    const parts = await aStartedTrunkline();
    const lost = await openDefaultWorkspace(parts, AT_TERMINAL);
    const second = await openDefaultWorkspace(parts, AT_TERMINAL);
    if (lost.kind !== 'new' || second.kind !== 'new') throw new Error('No key was made.');
    expect(second.token).not.toBe(lost.token);
    await second.shown();
    expect(await openDefaultWorkspace(parts, AT_TERMINAL)).toEqual({ kind: 'own' });

    const { workspace } = await parts.trunkline.authenticate(`Bearer ${second.token}`);
    expect(workspace.name).toBe('Default workspace');
    expect(await parts.trunkline.admin.workspaces.list()).toHaveLength(1);
  });

  it('is not made if only a log or a pipe would have it', async () => {
    const parts = await aStartedTrunkline();
    expect(await openDefaultWorkspace(parts, { apiKey: undefined, canShow: false })).toEqual({ kind: 'own' });
    const [workspace] = await parts.trunkline.admin.workspaces.list();
    expect(workspace?.name).toBe('Default workspace');
    expect(await parts.trunkline.admin.apiKeys.list(workspace?.id ?? '')).toEqual([]);
  });

  it('is not made if one is given', async () => {
    const parts = await aStartedTrunkline();
    expect(await openDefaultWorkspace(parts, { apiKey: 'a-key-for-the-tests', canShow: true })).toEqual({
      kind: 'given',
    });
    expect(await openDefaultWorkspace(parts, AT_TERMINAL)).toEqual({ kind: 'own' });
    const [workspace] = await parts.trunkline.admin.workspaces.list();
    expect(await parts.trunkline.admin.apiKeys.list(workspace?.id ?? '')).toHaveLength(1);
  });
});
