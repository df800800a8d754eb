import { describe, expect } from 'vitest';
import type { Storage } from '@trunkline/core/spi/storage';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { Capability, ContractSubject } from './contract-subject.ts';
import { aMessage, anIdempotencyRecord, anInstance, anEvent, DAY, NOW } from './examples.ts';
import {
  claim,
  disable,
  enqueueAt,
  exhausted,
  failed,
  idsOf,
  readDelivery,
  readEndpoint,
  storeEndpoint,
  storeInstance,
  storeLane,
  storeLeasedInstance,
  storeWorkspace,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function durabilityContract(subject: ContractSubject): void {
  const { reopen, shared } = subject.capabilities;
  describe.skipIf(reopen !== true)(named('after it was closed and opened again, a storage', reopen), () => {
    reopening(subject);
  });
  describe.skipIf(shared !== true)(named('two storages that are open on one database', shared), () => {
    sharing(subject);
  });
}

export function named(what: string, capability: Capability): string {
  return capability === true ? what : `${what} (skipped: ${capability.missing})`;
}

function reopening(subject: ContractSubject): void {
  const open = testDatabases(subject);

  it('knows all that it confirmed', async () => {
    const before = await open();
    const { workspace, instance, lease } = await storeLeasedInstance(before);
    const endpoint = await storeEndpoint(before, workspace);
    const message = aMessage(instance);
    const idempotency = anIdempotencyRecord(message);
    await before.messages.accept({ message, idempotency, backlogLimit: 5, trialLimit: 5 });
    await before.sessions.save(lease, new Map([['creds', Uint8Array.of(1, 2)]]));
    await before.messages.postpone(lease, { messageId: message.id, tries: 2, dueAt: NOW + 5 });
    await before.setting('key check', 'first');
    const storage = await open('after closing');
    expect(await storage.workspaces.find(workspace.id)).toEqual({ ...workspace, trialMessagesUsed: 1 });
    expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
    expect(await storage.leases.find(instance.id, NOW)).toEqual(lease);
    expect((await storage.sessions.load(instance.id)).get('creds')).toEqual(Uint8Array.of(1, 2));
    expect(await storage.messages.queueHeads([instance.id], NOW + 4)).toEqual([]);
    expect(await storage.messages.queueHeads([instance.id], NOW + 5)).toEqual([{ message, tries: 2 }]);
    expect(await storage.messages.findIdempotencyRecord(workspace.id, idempotency.key)).toEqual(idempotency);
    expect(await readEndpoint(storage, endpoint)).toEqual(endpoint);
    expect(await storage.setting('key check', 'second')).toBe('first');
  });

  it('knows its deliveries, claims and cancellations', async () => {
    const before = await open();
    const { workspace, endpoint } = await storeLane(before);
    const closed = await storeEndpoint(before, workspace);
    const [ended] = await enqueueAt(before, closed, NOW);
    await disable(before, closed);
    const [held, spent, waiting] = await enqueueAt(before, endpoint, NOW, NOW, NOW);
    const claimed = await claim(before, NOW, { leaseMs: 1000 });
    await before.deliveries.complete([exhausted(must(claimed[1]), NOW)], NOW);
    const storage = await open('after closing');
    expect(await readDelivery(storage, must(ended))).toMatchObject({
      status: 'failed',
      errorCode: 'ENDPOINT_DISABLED',
    });
    expect(await readDelivery(storage, must(spent))).toMatchObject({ status: 'exhausted', attempts: 1 });
    const detail = await storage.deliveries.findDetail(workspace.id, must(spent).id, 0);
    expect(must(detail).attempts).toHaveLength(1);
    expect((await readEndpoint(storage, endpoint)).health).toMatchObject({
      failingSince: NOW,
      exhausted: true,
    });
    // One slot is still held, and both starts count towards the throttle.
    expect(await claim(storage, NOW, { startsPerWindow: 2 })).toEqual([]);
    expect(idsOf(await claim(storage, NOW, { leaseMs: 5000 }))).toEqual([must(waiting).id]);
    expect(only(await claim(storage, NOW + 1000))).toMatchObject({
      delivery: { id: must(held).id },
      lostClaims: 1,
    });
    expect(await storage.deliveries.complete([succeeded(must(claimed[0]), NOW)], NOW)).toBe(0);
    expect(await storage.deliveries.sweepClosed(10)).toBe(1);
  });

  it('keeps an acceptance that it confirmed just before it was closed', async () => {
    const before = await open();
    const workspace = await storeWorkspace(before);
    const instance = await storeInstance(before, workspace);
    const messages = Array.from({ length: 30 }, () => aMessage(instance));
    const accepts = messages.map((message) =>
      before.messages.accept({ message, idempotency: null, backlogLimit: 100, trialLimit: null }),
    );
    await Promise.all(accepts);
    const storage = await open('after closing');
    for (const message of messages)
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
  });
}

function sharing(subject: ContractSubject): void {
  const open = testDatabases(subject);

  it('see each other’s writes', async () => {
    const [one, two] = [await open(), await open()];
    const { workspace, instance } = await storeLeasedInstance(one);
    expect(await two.workspaces.find(workspace.id)).toEqual(workspace);
    expect(await two.instances.list(workspace.id)).toEqual([instance]);
    expect(await two.setting('key check', 'two')).toBe('two');
    expect(await one.setting('key check', 'one')).toBe('two');
  });

  it('keep limits and keys together', async () => {
    const storages = [await open(), await open()];
    const [one, two] = storages.map(must);
    const workspace = await storeWorkspace(must(one));
    const inserts = [one, two, one, two, one, two].map((storage) =>
      must(storage).instances.insert(anInstance(workspace), 3),
    );
    expect((await Promise.all(inserts)).filter((result) => result === 'inserted')).toHaveLength(3);
    const [instance] = await must(one).instances.list(workspace.id);
    const accepts = Array.from({ length: 50 }, (_, index) => {
      const message = aMessage(must(instance));
      const idempotency = anIdempotencyRecord(message);
      return must(storages[index % 2]).messages.accept({
        message,
        idempotency,
        backlogLimit: 100,
        trialLimit: null,
      });
    });
    expect((await Promise.all(accepts)).filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
  });

  it('remember the keys of each other, before and after they were used', async () => {
    const first = await open();
    const workspace = await storeWorkspace(first);
    const instance = await storeInstance(first, workspace);
    const use = async (storage: Storage, key: string) => {
      const message = aMessage(instance);
      const idempotency = anIdempotencyRecord(message, { key });
      return (await storage.messages.accept({ message, idempotency, backlogLimit: 100, trialLimit: null }))
        .kind;
    };
    expect(await use(first, 'one')).toBe('accepted');
    // A storage that was opened a moment ago remembers the key, too.
    const second = await open();
    expect(await use(second, 'one')).toBe('remembered');
    expect(await use(second, 'two')).toBe('accepted');
    expect(await use(first, 'two')).toBe('remembered');
    expect(await first.messages.findIdempotencyRecord(workspace.id, 'two')).not.toBeNull();
    expect(await use(first, 'three')).toBe('accepted');
    expect(await second.messages.findIdempotencyRecord(workspace.id, 'three')).not.toBeNull();
    for (let round = 0; round < 10; round += 1) {
      const uses = [first, second, first, second].map((storage) => use(storage, `round ${round}`));
      expect((await Promise.all(uses)).filter((kind) => kind === 'accepted')).toHaveLength(1);
    }
  });

  it('remember a key for 24 hours, whichever of them accepted it, and after one of them was closed', async () => {
    const [first, second] = [await open(), await open()];
    const workspace = await storeWorkspace(first);
    const instance = await storeInstance(first, workspace);
    const use = async (storage: Storage, createdAt: number) => {
      const message = aMessage(instance, { createdAt });
      const idempotency = anIdempotencyRecord(message);
      return storage.messages.accept({ message, idempotency, backlogLimit: 100, trialLimit: null });
    };
    const remembered = (createdAt: number) => ({ kind: 'remembered', record: { createdAt } });
    expect(await use(first, NOW)).toEqual({ kind: 'accepted' });
    expect(await use(second, NOW + DAY - 1)).toMatchObject(remembered(NOW));
    expect(await use(second, NOW + DAY)).toEqual({ kind: 'accepted' });
    expect(await use(first, NOW + DAY)).toMatchObject(remembered(NOW + DAY));
    await first.close();
    const third = await open();
    for (const storage of [second, third]) {
      expect(await use(storage, NOW + 2 * DAY - 1)).toMatchObject(remembered(NOW + DAY));
    }
    expect(await use(third, NOW + 2 * DAY)).toEqual({ kind: 'accepted' });
    expect(await use(second, NOW + 2 * DAY)).toMatchObject(remembered(NOW + 2 * DAY));
  });

  it('lease each instance to only one of them', async () => {
    const [one, two] = [await open(), await open()];
    const workspace = await storeWorkspace(one);
    for (let index = 0; index < 20; index += 1) await storeInstance(one, workspace);
    const claims = [
      { storage: one, owner: 'one' },
      { storage: two, owner: 'two' },
    ].map(({ storage, owner }) =>
      storage.leases.claim({ owner, now: NOW, networks: ['sandbox'], ttlMs: 1000, limit: 15 }),
    );
    const taken = (await Promise.all(claims)).flat();
    expect(taken).toHaveLength(20);
    expect(new Set(taken.map(({ lease }) => lease.instanceId)).size).toBe(20);
  });

  it('claim a delivery once, and no more of an endpoint than its slots', async () => {
    const [one, two] = [await open(), await open()];
    const { workspace, endpoint } = await storeLane(one);
    const quiet = await storeEndpoint(one, workspace);
    await enqueueAt(one, endpoint, NOW, NOW, NOW, NOW, NOW);
    await enqueueAt(two, quiet, NOW);
    const claimed = (
      await Promise.all([claim(one, NOW), claim(two, NOW), claim(one, NOW), claim(two, NOW)])
    ).flat();
    expect(new Set(idsOf(claimed)).size).toBe(3);
    expect(claimed).toHaveLength(3);
    const completions = claimed.map((delivery) => failed(delivery, NOW));
    const written = await Promise.all([
      one.deliveries.complete(completions, NOW),
      two.deliveries.complete(completions, NOW),
    ]);
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(3);
  });

  it('are both open when an event happens in one', async () => {
    const [one, two] = [await open(), await open()];
    const { workspace, endpoint } = await storeLane(one);
    const delivery = must(await two.deliveries.enqueue(endpoint.id, anEvent(workspace)));
    expect(idsOf(await claim(one, NOW))).toEqual([delivery.id]);
  });
}
