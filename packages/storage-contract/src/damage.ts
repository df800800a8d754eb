import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { named } from './durability.ts';
import { NOW } from './examples.ts';
import {
  claim,
  claimAt,
  claimEvents,
  enqueueAt,
  eventClaimAt,
  failed,
  finish,
  idsOf,
  readDelivery,
  storeEndpoint,
  storeLane,
  storeQueuedEvents,
} from './fixtures.ts';
import { testTransactions } from './test-database.ts';

export function damageContract(subject: ContractSubject): void {
  const { damage } = subject.capabilities;
  const missing = (what: string): string => named(`${what} that is missing from a damaged database`, damage);
  describe.skipIf(damage !== true)(missing('an event'), () => missingEvents(subject));
  describe.skipIf(damage !== true)(missing('an endpoint'), () => missingEndpoints(subject));
}

function missingEndpoints(subject: ContractSubject): void {
  const { open, deleteEvent, deleteEndpoint } = testTransactions(subject);

  it('ends its deliveries as failed, names each once, and stops no other', async () => {
    const storage = await open();
    const { workspace, endpoint } = await storeLane(storage);
    const neighbour = await storeEndpoint(storage, workspace);
    const [first, second] = await enqueueAt(storage, endpoint, NOW, NOW + 1);
    const [other] = await enqueueAt(storage, neighbour, NOW + 2);
    await deleteEndpoint(endpoint.id);
    await deleteEvent(must(second).eventId);

    const later = NOW + 60_000;
    const { claimed, ...damaged } = await storage.deliveries.claim(claimAt(later));
    expect(idsOf(claimed)).toEqual([must(other).id]);
    expect(damaged).toMatchObject({
      withoutEndpoint: [must(first).id],
      // Both are missing, so the delivery is named once.
      withoutEvent: [must(second).id],
    });
    const next = await storage.deliveries.claim(claimAt(later + 120_000));
    expect([next.withoutEndpoint, next.withoutEvent]).toEqual([undefined, undefined]);
    expect(idsOf(next.claimed)).toEqual(idsOf(claimed));
  });
}

function missingEvents(subject: ContractSubject): void {
  const { open, deleteEvent } = testTransactions(subject);

  it('ends its delivery as failed, names it once, and stops no other', async () => {
    const storage = await open();
    const { workspace, endpoint } = await storeLane(storage);
    const neighbour = await storeEndpoint(storage, workspace);
    const [first, second] = await enqueueAt(storage, endpoint, NOW, NOW + 1);
    const [other] = await enqueueAt(storage, neighbour, NOW + 2);
    const tried = await finish(storage, must(first), failed);
    await deleteEvent(must(first).eventId);

    const later = NOW + 60_000;
    const { claimed, withoutEvent, withoutEndpoint } = await storage.deliveries.claim(claimAt(later));
    expect(withoutEvent).toEqual([must(first).id]);
    expect(withoutEndpoint).toBeUndefined();
    expect(idsOf(claimed).toSorted()).toEqual([must(second).id, must(other).id].toSorted());
    expect(await readDelivery(storage, must(first))).toEqual({
      ...tried,
      status: 'failed',
      nextRetryAt: null,
      lastAttemptAt: later,
    });
    // The slot is free, and the delivery is not claimed again.
    const next = await storage.deliveries.claim(claimAt(later + 120_000));
    expect(next.withoutEvent).toBeUndefined();
    expect(idsOf(next.claimed).toSorted()).toEqual(idsOf(claimed).toSorted());
  });

  it('leaves its delivery readable, without the body', async () => {
    const storage = await open();
    const { workspace, endpoint } = await storeLane(storage);
    const [delivery] = await enqueueAt(storage, endpoint, NOW);
    await deleteEvent(must(delivery).eventId);
    expect(await storage.deliveries.findDetail(workspace.id, must(delivery).id, 0)).toMatchObject({
      delivery,
      payload: null,
    });
  });

  it('ends its delivery again when that is retried by hand', async () => {
    const storage = await open();
    const { workspace, endpoint } = await storeLane(storage);
    const [delivery] = await enqueueAt(storage, endpoint, NOW);
    const { id, eventId } = must(delivery);
    await deleteEvent(eventId);
    expect(await claim(storage, NOW)).toEqual([]);
    expect(await storage.deliveries.retry(workspace.id, id, NOW, 0)).toMatchObject({ kind: 'requeued' });
    expect((await storage.deliveries.claim(claimAt(NOW))).withoutEvent).toEqual([id]);
    expect(await readDelivery(storage, must(delivery))).toMatchObject({ status: 'failed', manual: false });
  });

  it('leaves the queue of a subscription, named once, and stops no other', async () => {
    const storage = await open();
    const { subscription, events } = await storeQueuedEvents(storage, NOW, NOW + 1);
    await deleteEvent(must(events[0]).id);
    const result = must(await storage.subscriptions.claim(eventClaimAt(subscription, NOW + 1)));
    expect(result.missing).toEqual([must(events[0]).id]);
    expect(only(result.claimed).event).toEqual(events[1]);
    expect(await claimEvents(storage, subscription, NOW + 1)).toEqual([]);
    const later = must(await storage.subscriptions.claim(eventClaimAt(subscription, NOW + 60_000)));
    expect(later.missing).toBeUndefined();
    expect(later.claimed).toHaveLength(1);
    expect(await storage.subscriptions.list(10)).toMatchObject([{ waiting: 1, exhausted: 0 }]);
  });
}
