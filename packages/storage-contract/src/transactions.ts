import { describe, expect } from 'vitest';
import type { Acceptance, Instance, Message, Signal, Storage, Workspace } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { named } from './durability.ts';
import { aMessage, anIdempotencyRecord, anInstance, NOW } from './examples.ts';
import { accept, storeInstance, storeWorkspace } from './fixtures.ts';
import { testTransactions } from './test-database.ts';

export function transactionContract(subject: ContractSubject): void {
  const { transactions } = subject.capabilities;
  const name = named('an acceptance in a transaction of the caller’s', transactions);
  describe.skipIf(transactions !== true)(name, () => accepting(subject));
}

interface Fixture {
  readonly storage: Storage<unknown>;
  readonly workspace: Workspace;
  readonly instance: Instance;
}

function accepting(subject: ContractSubject): void {
  const { open, begin } = testTransactions(subject);

  async function openConnected(): Promise<Fixture> {
    const storage = await open();
    const workspace = await storeWorkspace(storage);
    return { storage, workspace, instance: await storeInstance(storage, workspace) };
  }

  it('is invisible to others until it commits, and then visible to all', async () => {
    const { storage, workspace, instance } = await openConnected();
    const message = aMessage(instance);
    const idempotency = anIdempotencyRecord(message);
    const { handle, commit } = await begin();
    expect(await storage.messages.accept(of(message, { idempotency, trialLimit: 5 }), handle)).toEqual({
      kind: 'accepted',
    });
    expect(await storage.messages.find(workspace.id, message.id, handle)).toEqual(message);
    await expectNothing(storage, message);
    await commit();
    expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    expect(await storage.messages.queueHeads([instance.id], NOW)).toEqual([{ message, tries: 0 }]);
    expect(await storage.messages.findIdempotencyRecord(workspace.id, 'order-1')).toEqual(idempotency);
    expect(await storage.workspaces.find(workspace.id)).toHaveProperty('trialMessagesUsed', 1);
  });

  it('is undone by a rollback, its key and its count too', async () => {
    const { storage, workspace, instance } = await openConnected();
    const message = aMessage(instance);
    const idempotency = anIdempotencyRecord(message);
    const { handle, rollback } = await begin();
    await storage.messages.accept(of(message, { idempotency, trialLimit: 5 }), handle);
    await rollback();
    await expectNothing(storage, message);
    expect(await storage.workspaces.find(workspace.id)).toHaveProperty('trialMessagesUsed', 0);
    // The key and the id are free again.
    expect(await storage.messages.accept(of(message, { idempotency }))).toEqual({ kind: 'accepted' });
  });

  it('sees earlier writes of its transaction', async () => {
    const { storage, instance } = await openConnected();
    const [first, second] = [aMessage(instance), aMessage(instance)];
    const record = anIdempotencyRecord(first);
    const { handle, commit } = await begin();
    await storage.messages.accept(of(first, { idempotency: record, trialLimit: 1 }), handle);
    const again = of(second, { idempotency: anIdempotencyRecord(second) });
    expect(await storage.messages.accept(again, handle)).toEqual({ kind: 'remembered', record });
    expect(await storage.messages.accept(of(second, { trialLimit: 1 }), handle)).toEqual({
      kind: 'trial_used_up',
    });
    expect(await storage.messages.accept(of(second, { backlogLimit: 1 }), handle)).toEqual({
      kind: 'backlog_full',
    });
    expect(await storage.messages.accept(of(second), handle)).toEqual({ kind: 'accepted' });
    await commit();
    const [head] = await storage.messages.queueHeads([instance.id], NOW);
    expect(must(head).message.id).toBe(first.id);
  });

  it('leaves nothing if it is refused', async () => {
    const { storage, workspace, instance } = await openConnected();
    const offline = await storeInstance(storage, workspace, { status: 'error' });
    await accept(storage, aMessage(instance));
    const refused: readonly [Message, Partial<Acceptance>, string][] = [
      [aMessage(anInstance(workspace)), {}, 'instance_gone'],
      [aMessage(offline), {}, 'instance_not_connected'],
      [aMessage(instance), { trialLimit: 0 }, 'trial_used_up'],
      [aMessage(instance), { backlogLimit: 1 }, 'backlog_full'],
    ];
    const { handle, commit } = await begin();
    for (const [message, limits, kind] of refused) {
      const idempotency = anIdempotencyRecord(message);
      const result = await storage.messages.accept(of(message, { ...limits, idempotency }), handle);
      expect(result).toEqual({ kind });
    }
    await commit();
    for (const [message] of refused) await expectNothing(storage, message);
  });

  it('leaves nothing if it rejects, and the transaction as it was', async () => {
    const { storage, workspace, instance } = await openConnected();
    const taken = aMessage(instance);
    await accept(storage, taken);
    const [before, after] = [aMessage(instance), aMessage(instance)];
    const media = { available: true, mimeType: 'image/png', size: 12, filename: 'a.png', sha256: 'ab' };
    const bad = { ...aMessage(instance, { media }), id: taken.id };
    await storage.uploads.reserve(taken.id, NOW);
    const { handle, commit } = await begin();
    await storage.messages.accept(of(before), handle);
    const badRecord = anIdempotencyRecord(bad);
    await expect(
      storage.messages.accept(of(bad, { idempotency: badRecord, trialLimit: 5 }), handle),
    ).rejects.toThrow();
    await expect(storage.messages.accept(of(aMessage(instance, { media })), handle)).rejects.toThrow();
    expect(await storage.messages.accept(of(after), handle)).toEqual({ kind: 'accepted' });
    await commit();
    for (const message of [taken, before, after]) {
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    }
    expect(await storage.uploads.listAbandoned(NOW + 1, 5)).toEqual([taken.id]);
    expect(await storage.messages.findIdempotencyRecord(workspace.id, badRecord.key)).toBeNull();
    expect(await storage.workspaces.find(workspace.id)).toHaveProperty('trialMessagesUsed', 0);
    expect((await storage.messages.list(workspace.id, {}, { from: null, limit: 9 })).rows).toHaveLength(3);
  });

  it('takes content that was reserved before, unless it is undone', async () => {
    const { storage, workspace, instance } = await openConnected();
    const media = { available: true, mimeType: 'image/png', size: 12, filename: 'a.png', sha256: 'ab' };
    const message = aMessage(instance, { type: 'image', text: null, media });
    await storage.uploads.reserve(message.id, NOW);
    const undone = await begin();
    await storage.messages.accept(of(message), undone.handle);
    await undone.rollback();
    expect(await storage.uploads.listAbandoned(NOW + 1, 5)).toEqual([message.id]);
    const kept = await begin();
    await storage.messages.accept(of(message), kept.handle);
    await kept.commit();
    expect(await storage.uploads.listAbandoned(NOW + 1, 5)).toEqual([]);
    expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
  });

  it('keeps to the limits together with those outside', async () => {
    const { storage, workspace, instance } = await openConnected();
    const limits = { trialLimit: 3 };
    const { handle, commit } = await begin();
    await storage.messages.accept(of(aMessage(instance), limits), handle);
    await storage.messages.accept(of(aMessage(instance), limits), handle);
    const outside = Array.from({ length: 4 }, () => storage.messages.accept(of(aMessage(instance), limits)));
    await commit();
    const accepted = (await Promise.all(outside)).filter(({ kind }) => kind === 'accepted');
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    expect(await storage.workspaces.find(workspace.id)).toHaveProperty('trialMessagesUsed', 3);
  });

  it('is reported, if at all, when it can be read', async () => {
    const { storage, workspace, instance } = await openConnected();
    const message = aMessage(instance);
    const { handle, commit } = await begin();
    const reads: Promise<Message | null>[] = [];
    const unsubscribe = storage.subscribe((signal: Signal) => {
      if (signal.topic === 'queue') reads.push(storage.messages.find(workspace.id, message.id));
    });
    await storage.messages.accept(of(message), handle);
    await nextRounds();
    expect(reads).toEqual([]);
    await commit();
    await nextRounds();
    for (const read of reads) expect(await read).toEqual(message);
    unsubscribe();
  });

  it.each([['a word'], [{}], [42], [null]])('rejects %j in place of a transaction', async (handle) => {
    const { storage, instance } = await openConnected();
    const message = aMessage(instance);
    await expect(storage.messages.accept(of(message), handle)).rejects.toThrow(TypeError);
    await expectNothing(storage, message);
  });
}

async function expectNothing(storage: Storage<unknown>, message: Message): Promise<void> {
  expect(await storage.messages.find(message.workspaceId, message.id)).toBeNull();
  expect(await storage.messages.findIdempotencyRecord(message.workspaceId, 'order-1')).toBeNull();
  const heads = await storage.messages.queueHeads([message.instanceId], NOW);
  expect(heads.map((head) => head.message.id)).not.toContain(message.id);
}

async function nextRounds(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

function of(message: Message, changes: Partial<Acceptance> = {}): Acceptance {
  return { message, idempotency: null, backlogLimit: 1000, trialLimit: null, ...changes };
}
