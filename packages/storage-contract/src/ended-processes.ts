import { describe, expect } from 'vitest';
import type { Signal, Storage } from '@trunkline/core/spi/storage';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { named } from './durability.ts';
import { anEvent, NOW } from './examples.ts';
import {
  claim,
  claimEvents,
  enqueueAt,
  happen,
  idsOf,
  readDelivery,
  completed,
  storeEndpoint,
  storeInstance,
  storeSubscription,
  storeWorkspace,
  succeeded,
  takeLease,
} from './fixtures.ts';
import { testTransactions } from './test-database.ts';

export function endedProcessContract(subject: ContractSubject): void {
  const { processes } = subject.capabilities;
  const name = named('what a process holds', processes);
  describe.skipIf(processes !== true)(name, () => held(subject));
}

function held(subject: ContractSubject): void {
  const { open, startHolding } = testTransactions(subject);

  /**
   * Stores something of each kind that a process can hold, and three deliveries, of which two may be sent
   * concurrently.
   */
  const fixture = async () => {
    const storage = await open();
    const workspace = await storeWorkspace(storage);
    const subscription = await storeSubscription(storage);
    await happen(storage, workspace, anEvent(workspace, NOW - 5));
    const endpoint = await storeEndpoint(storage, workspace);
    const deliveries = await enqueueAt(storage, endpoint, NOW - 30, NOW - 20, NOW - 10);
    const instance = await storeInstance(storage, workspace);
    return { storage, workspace, instance, endpoint, subscription, deliveries };
  };

  it('is released as soon as it was killed, as if it had expired', async () => {
    const { storage, instance, subscription, deliveries } = await fixture();
    const child = await startHolding();
    expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(0);
    expect(await takeAll(storage)).toEqual([]);
    const signals: Signal[] = [];
    storage.subscribe((signal) => signals.push(signal));
    await child.kill();

    expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(1);
    expect(new Set(signals.map(({ topic }) => topic))).toEqual(
      new Set(['instance', 'deliveries', 'subscriptions']),
    );
    expect(signals).toContainEqual({ topic: 'instance', instanceId: instance.id });
    const share = await storage.processes.register('b', { network: 'sandbox', now: NOW + 1, since: 0 });
    expect(share.owners).toMatchObject([{ owner: 'b', held: 0 }]);
    const taking = { now: NOW + 1, networks: ['sandbox'], ttlMs: 30_000, limit: 10 };
    const taken = only(await storage.leases.claim({ owner: 'b', ...taking }));
    expect(taken).toMatchObject({ lease: { instanceId: instance.id, epoch: 2 } });
    // The claim reports the owner that lost the lease, but only once.
    expect(taken.takenFrom).toEqual(expect.any(String));
    expect(taken.takenFrom).not.toBe('b');
    await storage.leases.release(taken.lease);
    expect(only(await storage.leases.claim({ owner: 'c', ...taking }))).toHaveProperty('takenFrom', null);
    const claimed = await claim(storage, NOW + 1);
    expect(idsOf(claimed)).toHaveLength(2);
    // A claim of the killed process counts as lost, not as an attempt; the third delivery was never claimed.
    expect(claimed.map(({ lostClaims }) => lostClaims).toSorted((a, b) => a - b)).toEqual([0, 1]);
    for (const { delivery } of claimed) expect(delivery).toMatchObject({ attempts: 0, status: 'pending' });
    expect(deliveries.map(({ id }) => id)).toEqual(expect.arrayContaining([...idsOf(claimed)]));
    const event = only(await claimEvents(storage, subscription, NOW + 1));
    expect(event).toMatchObject({ attempts: 0, lostClaims: 1 });

    expect(await storage.processes.releaseEnded?.(NOW + 2)).toBe(0);
    expect(
      await storage.deliveries.complete(
        claimed.map((one) => succeeded(one, NOW + 2)),
        NOW + 2,
      ),
    ).toBe(2);
    expect(await storage.subscriptions.complete([completed(event)])).toBe(1);
  });

  it('is released once if several see that it was killed', async () => {
    const { storage, deliveries } = await fixture();
    const others = [storage, await open(), await open()];
    for (const other of others) expect(await other.processes.releaseEnded?.(NOW)).toBe(0);
    const child = await startHolding();
    await child.kill();
    await Promise.all(others.map(async (other) => other.processes.releaseEnded?.(NOW + 1)));
    const all = [];
    for (const at of [NOW + 1, NOW + 2]) {
      const claimed = await claim(storage, at);
      await storage.deliveries.complete(
        claimed.map((one) => succeeded(one, at)),
        at,
      );
      all.push(...claimed);
    }
    expect(idsOf(all).toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted());
    expect(all.map(({ lostClaims }) => lostClaims).toSorted((a, b) => a - b)).toEqual([0, 1, 1]);
  });

  it('stays its own while it is frozen, however often others look, and when it continues', async () => {
    const { storage } = await fixture();
    const child = await startHolding();
    child.freeze();
    for (let look = 0; look < 5; look += 1) expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(0);
    expect(await takeAll(storage)).toEqual([]);
    child.goOn();
    expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(0);
    expect(await takeAll(storage)).toEqual([]);
  });

  it('is released once it has ended, if it closed the storage before and lived on', async () => {
    const { storage, instance } = await fixture();
    const child = await startHolding();
    await child.close();
    expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(0);
    expect(await takeAll(storage)).toEqual([]);
    await child.kill();
    expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(1);
    expect(await takeLease(storage, instance, { owner: 'b', now: NOW + 1 })).toMatchObject({ epoch: 2 });
  });

  it('is not released by another storage of its own process, nor after that storage was closed', async () => {
    const { storage, instance } = await fixture();
    const second = await open();
    for (const one of [storage, second]) expect(await one.processes.releaseEnded?.(NOW)).toBe(0);
    const lease = await takeLease(second, instance, { owner: 'a' });
    expect(await storage.processes.releaseEnded?.(NOW)).toBe(0);
    await second.close();
    expect(await storage.processes.releaseEnded?.(NOW)).toBe(0);
    expect(await storage.leases.find(instance.id, NOW)).toEqual(lease);
  });

  it('is released without what other processes hold', async () => {
    const { storage, workspace, endpoint } = await fixture();
    await storage.processes.releaseEnded?.(NOW);
    const child = await startHolding();
    const instance = await storeInstance(storage, workspace);
    const lease = await takeLease(storage, instance, { owner: 'b' });
    const other = await storeEndpoint(storage, workspace);
    const [delivery] = await enqueueAt(storage, other, NOW);
    const claimed = only(await claim(storage, NOW));
    expect(claimed.delivery.id).toBe(must(delivery).id);
    await child.kill();
    expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(1);
    expect(await storage.leases.find(instance.id, NOW + 1)).toEqual(lease);
    expect(await storage.deliveries.complete([succeeded(claimed, NOW + 1)], NOW + 1)).toBe(1);
    expect(await readDelivery(storage, must(delivery))).toMatchObject({ status: 'success' });
    expect(endpoint.id).not.toBe(other.id);
  });
}

/** Claims everything that is free, and returns the claims; empty if another process holds everything. */
async function takeAll(storage: Storage): Promise<readonly unknown[]> {
  const leases = await storage.leases.claim({
    owner: 'b',
    now: NOW + 1,
    networks: ['sandbox'],
    ttlMs: 30_000,
    limit: 100,
  });
  const events = await Promise.all(
    (await storage.subscriptions.list(1)).map(({ subscription }) =>
      claimEvents(storage, subscription, NOW + 1),
    ),
  );
  return [...leases, ...(await claim(storage, NOW + 1)), ...events.flat()];
}
