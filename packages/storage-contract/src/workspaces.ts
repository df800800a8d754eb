import { describe, expect } from 'vitest';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMember, anApiKey, aWorkspace, NOW } from './examples.ts';
import { storeWorkspace } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function workspaceContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('workspaces', () => {
    it('are found as they were inserted', async () => {
      const { workspaces } = await open();
      const plain = aWorkspace();
      const full = aWorkspace({
        name: 'Ünïcode 🏢',
        plan: { subscription: 'trial', instanceLimit: 2, trialMessageLimit: 50, webhookLimit: 1 },
        trialMessagesUsed: 3,
        suspendedAt: NOW,
      });
      await workspaces.insert(plain);
      await workspaces.insert(full);
      expect(await workspaces.find(plain.id)).toEqual(plain);
      expect(await workspaces.find(full.id)).toEqual(full);
    });

    it('are null when there is none', async () => {
      const { workspaces } = await open();
      expect(await workspaces.find(aWorkspace().id)).toBeNull();
      expect(await workspaces.update(aWorkspace().id, { name: 'Nobody' })).toBeNull();
    });

    it('cannot be inserted twice', async () => {
      const { workspaces } = await open();
      const workspace = aWorkspace();
      await workspaces.insert(workspace);
      await expect(workspaces.insert({ ...workspace, name: 'Usurper' })).rejects.toThrow();
      expect(await workspaces.find(workspace.id)).toEqual(workspace);
    });

    it('are listed oldest first, page by page', async () => {
      const { workspaces } = await open();
      const [third, first, second] = [3, 1, 2].map((age) => aWorkspace({ createdAt: NOW + age }));
      for (const workspace of [third, first, second]) await workspaces.insert(must(workspace));
      const page = await workspaces.list({ after: null, limit: 2 });
      expect(page).toEqual([first, second]);
      expect(await workspaces.list({ after: must(page[1]).id, limit: 2 })).toEqual([third]);
      expect(await workspaces.list({ after: must(third).id, limit: 2 })).toEqual([]);
    });

    it('change only in the given fields', async () => {
      const { workspaces } = await open();
      const workspace = aWorkspace({ trialMessagesUsed: 7 });
      const other = aWorkspace();
      await workspaces.insert(workspace);
      await workspaces.insert(other);
      const plan = {
        subscription: 'past_due',
        instanceLimit: 1,
        trialMessageLimit: 2,
        webhookLimit: 3,
      } as const;

      expect(await workspaces.update(workspace.id, { name: 'New' })).toEqual({ ...workspace, name: 'New' });
      expect(await workspaces.update(workspace.id, { suspendedAt: NOW })).toMatchObject({
        name: 'New',
        suspendedAt: NOW,
      });
      expect(await workspaces.update(workspace.id, { plan, suspendedAt: null })).toEqual({
        ...workspace,
        name: 'New',
        plan,
      });
      const retention = { messagesDays: 30 };
      expect(await workspaces.update(workspace.id, { retention })).toMatchObject({ retention });
      expect(await workspaces.update(workspace.id, { retention: null })).toMatchObject({ retention: null });
      expect(await workspaces.update(workspace.id, {})).toEqual({ ...workspace, name: 'New', plan });
      expect(await workspaces.find(workspace.id)).toEqual({ ...workspace, name: 'New', plan });
      expect(await workspaces.find(other.id)).toEqual(other);
    });
  });

  describe('a plan', () => {
    it('changes only in the given fields, however many change it concurrently', async () => {
      const { workspaces } = await open();
      const workspace = aWorkspace();
      await workspaces.insert(workspace);
      await Promise.all([
        workspaces.update(workspace.id, { plan: { subscription: 'trial', trialMessageLimit: 9 } }),
        workspaces.update(workspace.id, { plan: { webhookLimit: 0 } }),
        workspaces.update(workspace.id, { plan: {} }),
      ]);
      const plan = {
        ...workspace.plan,
        subscription: 'trial',
        trialMessageLimit: 9,
        webhookLimit: 0,
      };
      expect(await workspaces.find(workspace.id)).toEqual({ ...workspace, plan });
    });
  });

  describe('members', () => {
    it('belong to one workspace', async () => {
      const storage = await open();
      const [acme, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      const ada = aMember(acme, { createdAt: NOW + 2 });
      const bob = aMember(acme, { createdAt: NOW + 1, emailVerified: false, administersWebhooks: false });
      await storage.workspaces.insertMember(ada);
      await storage.workspaces.insertMember(bob);

      expect(await storage.workspaces.findMember(acme.id, ada.id)).toEqual(ada);
      expect(await storage.workspaces.listMembers(acme.id)).toEqual([bob, ada]);
      expect(await storage.workspaces.findMember(other.id, ada.id)).toBeNull();
      expect(await storage.workspaces.listMembers(other.id)).toEqual([]);
      expect(
        await storage.workspaces.updateMember(other.id, ada.id, { email: 'eve@example.com' }),
      ).toBeNull();
      expect(await storage.workspaces.deleteMember(other.id, ada.id, NOW)).toBe(false);
      expect(await storage.workspaces.findMember(acme.id, ada.id)).toEqual(ada);
    });

    it('change only in the given fields', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const member = aMember(workspace);
      await storage.workspaces.insertMember(member);
      const changed = { ...member, email: 'new@example.com', emailVerified: false };
      const { email, emailVerified } = changed;
      expect(
        await storage.workspaces.updateMember(workspace.id, member.id, { email, emailVerified }),
      ).toEqual(changed);
      expect(
        await storage.workspaces.updateMember(workspace.id, member.id, { administersWebhooks: false }),
      ).toEqual({
        ...changed,
        administersWebhooks: false,
      });
    });

    it('take their API keys along when they are deleted', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const [ada, bob] = [aMember(workspace), aMember(workspace)];
      await storage.workspaces.insertMember(ada);
      await storage.workspaces.insertMember(bob);
      const hers = anApiKey(workspace, { memberId: ada.id });
      const revokedBefore = anApiKey(workspace, { memberId: ada.id, revokedAt: NOW - 5 });
      const his = anApiKey(workspace, { memberId: bob.id });
      const embedders = anApiKey(workspace);
      for (const apiKey of [hers, revokedBefore, his, embedders]) await storage.apiKeys.insert(apiKey);

      expect(await storage.workspaces.deleteMember(workspace.id, ada.id, NOW)).toBe(true);
      expect(await storage.workspaces.deleteMember(workspace.id, ada.id, NOW + 1)).toBe(false);
      expect(await storage.workspaces.findMember(workspace.id, ada.id)).toBeNull();
      expect(await storage.workspaces.listMembers(workspace.id)).toEqual([bob]);
      expect(await storage.apiKeys.list(workspace.id)).toEqual([
        embedders,
        his,
        revokedBefore,
        { ...hers, revokedAt: NOW },
      ]);
      expect(await storage.apiKeys.findByHash(hers.hash)).toEqual({
        apiKey: { ...hers, revokedAt: NOW },
        workspace,
        member: null,
      });
    });
  });
}
