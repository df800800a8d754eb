import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import {
  aMember,
  aMessage,
  anApiKey,
  anEndpoint,
  anIdempotencyRecord,
  anInstance,
  aWorkspace,
  NOW,
} from './examples.ts';
import {
  claim,
  enqueueOne,
  failed,
  readDelivery,
  storeLane,
  storeLeasedInstance,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function copyContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a storage takes and returns copies', () => {
    it('for workspaces and members', async () => {
      const storage = await open();
      const workspace = aWorkspace();
      const member = aMember(workspace);
      await storage.workspaces.insert(workspace);
      await storage.workspaces.insertMember(member);
      const stored = structuredClone({ workspace, member });
      const read = async () => ({
        workspace: must(await storage.workspaces.find(workspace.id)),
        member: must(await storage.workspaces.findMember(workspace.id, member.id)),
      });
      deface({ workspace, member });
      deface(await read());
      deface(await storage.workspaces.list({ after: null, limit: 5 }));
      expect(await storage.workspaces.find(stored.workspace.id)).toEqual(stored.workspace);
      expect(await storage.workspaces.listMembers(stored.workspace.id)).toEqual([stored.member]);
    });

    it('for API keys', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const apiKey = anApiKey(workspace);
      await storage.apiKeys.insert(apiKey);
      const stored = structuredClone(apiKey);
      deface(apiKey);
      deface(await storage.apiKeys.findByHash(stored.hash));
      deface(await storage.apiKeys.list(stored.workspaceId));
      expect(await storage.apiKeys.list(stored.workspaceId)).toEqual([stored]);
    });

    it('for instances', async () => {
      const storage = await open();
      const instance = anInstance(await storeWorkspace(storage), {
        qr: { sealedCode: 'sealed', sealedPairingCode: null, expiresAt: NOW },
      });
      await storage.instances.insert(instance, null);
      const stored = structuredClone(instance);
      deface(instance);
      deface(await storage.instances.find(stored.workspaceId, stored.id));
      const write = { instance: structuredClone(stored), event: null, lease: null };
      deface(await storage.instances.write(write));
      deface(write);
      deface(
        await storage.leases.claim({ owner: 'a', now: NOW, networks: ['sandbox'], ttlMs: 10, limit: 5 }),
      );
      expect(await storage.instances.list(stored.workspaceId)).toEqual([{ ...stored, version: 2 }]);
    });

    it('for messages and keys', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      const media = { available: true, mimeType: 'image/png', size: 1, filename: 'a.png', sha256: 'ab' };
      const message = aMessage(instance, { media });
      const idempotency = anIdempotencyRecord(message);
      await storage.uploads.reserve(message.id, NOW);
      await storage.messages.accept({ message, idempotency, backlogLimit: 5, trialLimit: null });
      const stored = structuredClone({ message, idempotency });
      const { workspaceId, id } = stored.message;
      deface({ message, idempotency });
      deface(await storage.messages.find(workspaceId, id));
      deface(await storage.messages.queueHeads([instance.id], NOW));
      deface(await storage.messages.list(workspaceId, {}, { from: null, limit: 5 }));
      deface(await storage.messages.findIdempotencyRecord(workspaceId, stored.idempotency.key));
      expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([
        { message: stored.message, tries: 0 },
      ]);
      const record = await storage.messages.findIdempotencyRecord(workspaceId, stored.idempotency.key);
      expect(record).toEqual(stored.idempotency);
    });

    it('for endpoints', async () => {
      const storage = await open();
      const endpoint = anEndpoint(await storeWorkspace(storage));
      await storage.endpoints.insert(endpoint, 5);
      const stored = structuredClone(endpoint);
      deface(endpoint);
      deface(await storage.endpoints.find(stored.workspaceId, stored.id));
      deface(await storage.endpoints.list(stored.workspaceId));
      expect(await storage.endpoints.find(stored.workspaceId, stored.id)).toEqual(stored);
    });

    it('for deliveries and attempts', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const stored = structuredClone(delivery);
      deface(delivery);
      const claimed = only(await claim(storage, NOW));
      const completion = failed(structuredClone(claimed), NOW);
      deface(claimed);
      expect(await readDelivery(storage, stored)).toEqual(stored);
      await storage.deliveries.complete([completion], NOW);
      const expected = structuredClone(completion);
      deface(completion);
      deface(await storage.deliveries.findDetail(workspace.id, stored.id, 0));
      const detail = await storage.deliveries.findDetail(workspace.id, stored.id, 0);
      expect(detail).toMatchObject({ delivery: expected.delivery, attempts: [expected.attempt] });
    });
  });
}

/** Overwrites all fields but ids, except in frozen objects, which a storage may return instead of copies. */
function deface(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    deface(inner);
    if (key !== 'id' && !Object.isFrozen(value)) Reflect.set(value, key, 'defaced');
  }
}
