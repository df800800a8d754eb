import { describe, expect } from 'vitest';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMember, anApiKey, NOW } from './examples.ts';
import { storeWorkspace } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function apiKeyContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('API keys', () => {
    it('are found by their hash, with workspace and member', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const member = aMember(workspace);
      await storage.workspaces.insertMember(member);
      const embedders = anApiKey(workspace);
      const members = anApiKey(workspace, {
        memberId: member.id,
        scopes: ['webhooks:write'],
        prefix: null,
        expiresAt: NOW + 5,
      });
      await storage.apiKeys.insert(embedders);
      await storage.apiKeys.insert(members);

      expect(await storage.apiKeys.findByHash(embedders.hash)).toEqual({
        apiKey: embedders,
        workspace,
        member: null,
      });
      expect(await storage.apiKeys.findByHash(members.hash)).toEqual({ apiKey: members, workspace, member });
      expect(await storage.apiKeys.findByHash('unknown')).toBeNull();
    });

    it('are found when revoked or expired too', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage, { suspendedAt: NOW });
      const apiKey = anApiKey(workspace, { revokedAt: NOW, expiresAt: 1 });
      await storage.apiKeys.insert(apiKey);
      expect(await storage.apiKeys.findByHash(apiKey.hash)).toEqual({ apiKey, workspace, member: null });
    });

    it('never share a hash', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const apiKey = anApiKey(workspace);
      await storage.apiKeys.insert(apiKey);
      await expect(storage.apiKeys.insert(anApiKey(workspace, { hash: apiKey.hash }))).rejects.toThrow();
      expect(await storage.apiKeys.list(workspace.id)).toEqual([apiKey]);
    });

    it('are listed newest first, for their own workspace', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      const newer = anApiKey(workspace, { createdAt: NOW + 1 });
      const older = anApiKey(workspace, { createdAt: NOW });
      await storage.apiKeys.insert(newer);
      await storage.apiKeys.insert(older);
      expect(await storage.apiKeys.list(workspace.id)).toEqual([newer, older]);
      expect(await storage.apiKeys.list(other.id)).toEqual([]);
    });

    itAlways('are revoked once, by their own workspace', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      const apiKey = anApiKey(workspace);
      await storage.apiKeys.insert(apiKey);

      expect(await storage.apiKeys.revoke(other.id, apiKey.id, NOW)).toBeNull();
      expect(await storage.apiKeys.list(workspace.id)).toEqual([apiKey]);
      expect(await storage.apiKeys.revoke(workspace.id, apiKey.id, NOW + 1)).toEqual({
        ...apiKey,
        revokedAt: NOW + 1,
      });
      expect(await storage.apiKeys.revoke(workspace.id, apiKey.id, NOW + 2)).toEqual({
        ...apiKey,
        revokedAt: NOW + 1,
      });
      expect(await storage.apiKeys.revoke(workspace.id, anApiKey(workspace).id, NOW)).toBeNull();
    });

    itAlways('remember their last use, never backwards', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const [used, unused] = [anApiKey(workspace), anApiKey(workspace)];
      await storage.apiKeys.insert(used);
      await storage.apiKeys.insert(unused);
      await storage.apiKeys.touch(used.id, NOW + 10);
      await storage.apiKeys.touch(used.id, NOW + 5);
      await storage.apiKeys.touch(anApiKey(workspace).id, NOW);
      expect(await storage.apiKeys.list(workspace.id)).toEqual([unused, { ...used, lastUsedAt: NOW + 10 }]);
    });
  });
}
