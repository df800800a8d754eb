import { expect, it } from 'vitest';
import {
  aMember,
  aMessage,
  anApiKey,
  anEvent,
  anIdempotencyRecord,
  anInboundMessage,
  anInstance,
  aWorkspace,
  NOW,
} from '@trunkline/storage-contract/examples';
import { must } from '@trunkline/test-support';
import { openStorage, temporarySchema } from './support/open-storage.ts';

// Contains U+0000 and halves of surrogate pairs, which Postgres does not accept in text, and characters special to SQL,
// arrays and JSON.
const text = `NUL \0, half \ud83d, one \u0001a\u0001, {"a",NULL} '$1' \\x00 \\u0000 "🙂" \ufffe`;

it('every text is read back unchanged', async () => {
  const storage = await openStorage(await temporarySchema());
  const workspace = aWorkspace({ name: text });
  const member = aMember(workspace, { email: text });
  const apiKey = anApiKey(workspace, { name: text, hash: text });
  await storage.workspaces.insert(workspace);
  await storage.workspaces.insertMember(member);
  await storage.apiKeys.insert(apiKey);
  expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
  expect(await storage.workspaces.update(workspace.id, { name: `${text}!` })).toHaveProperty(
    'name',
    `${text}!`,
  );
  expect(await storage.workspaces.listMembers(workspace.id)).toEqual([member]);
  expect(must(await storage.apiKeys.findByHash(text)).apiKey).toEqual(apiKey);
  expect(await storage.setting(text, text)).toBe(text);
  expect(await storage.setting(text, 'late')).toBe(text);

  const instance = anInstance(workspace, {
    name: text,
    profileName: text,
    profilePictureUrl: text,
    lastError: text,
    operationOutcome: { id: 'opr_1', error: text, earlier: [] },
  });
  await storage.instances.insert(instance, null);
  expect(await storage.instances.list(workspace.id)).toEqual([instance]);
  const [taken] = await storage.leases.claim({
    owner: text,
    now: NOW,
    networks: ['sandbox'],
    ttlMs: 1000,
    limit: 1,
  });
  const { lease } = must(taken);
  expect(await storage.leases.find(instance.id, NOW)).toEqual(lease);
  await storage.sessions.save(lease, new Map([[text, Uint8Array.of(0, 255)]]));
  expect(await storage.sessions.load(instance.id)).toEqual(new Map([[text, Uint8Array.of(0, 255)]]));
  const groups = [{ networkId: text, name: text, participantsCount: 2 }];
  await storage.groups.save({ lease, workspaceId: workspace.id, groups, now: NOW });
  expect(await storage.groups.findByNetworkId(instance.id, text)).toMatchObject(must(groups[0]));

  const media = { available: true, mimeType: text, size: 1, filename: text, sha256: text };
  const inbound = anInboundMessage(instance, {
    networkId: text,
    text,
    caption: text,
    media,
    to: text,
    from: text,
  });
  await storage.uploads.reserve(inbound.id, NOW);
  const arrival = { message: inbound, senderId: text, event: anEvent(workspace) };
  expect(await storage.messages.receive(lease, arrival)).toBe('received');
  expect(await storage.messages.receive(lease, arrival)).toBe('duplicate');
  expect(await storage.messages.find(workspace.id, inbound.id)).toEqual(inbound);

  // The first message is accepted by one statement, and the second, on trial, by several.
  for (const trialLimit of [null, 5]) {
    const message = aMessage(instance, {
      text,
      networkId: `${text} ${trialLimit}`,
      error: { code: text, message: text },
    });
    const idempotency = anIdempotencyRecord(message, { key: `${text} ${trialLimit}`, fingerprint: text });
    const acceptance = { message, idempotency, backlogLimit: 5, trialLimit };
    expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
    expect(await storage.messages.findOutbound(instance.id, message.networkId)).toEqual(message);
    expect(await storage.messages.findIdempotencyRecord(workspace.id, idempotency.key)).toEqual(idempotency);
    expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'remembered', record: idempotency });
  }
});

it('times and numbers are kept to the last digit', async () => {
  const storage = await openStorage(await temporarySchema());
  const workspace = aWorkspace({ suspendedAt: Number.MAX_SAFE_INTEGER, trialMessagesUsed: 2 ** 40 });
  await storage.workspaces.insert(workspace);
  expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
  const instance = anInstance(workspace, {
    lastSeenAt: 1,
    droppedAt: 0,
    version: Number.MAX_SAFE_INTEGER - 1,
  });
  await storage.instances.insert(instance, null);
  expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
});
