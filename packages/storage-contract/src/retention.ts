import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anIdempotencyRecord, DAY, MIDNIGHT, NOW, testId } from './examples.ts';
import {
  claim,
  claimAt,
  deleteHistory,
  enqueueAt,
  enqueueOne,
  exhausted,
  finish,
  readDelivery,
  storeInstance,
  storeLane,
  storeWorkspace,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function retentionContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('deleting history', () => {
    it('takes the days before', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const [old, young] = await enqueueAt(storage, endpoint, MIDNIGHT - 1, MIDNIGHT);
      await finish(storage, must(old), exhausted, MIDNIGHT - 1);
      await deleteHistory(storage, MIDNIGHT);
      expect(await storage.deliveries.findDetail(workspace.id, must(old).id, 0)).toBeNull();
      expect(await readDelivery(storage, must(young))).toEqual(young);
      const detail = await storage.deliveries.findDetail(workspace.id, must(young).id, 0);
      expect(must(detail).payload).toContain('Grüße');
    });

    it('takes only rows made before the given time', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint, NOW);
      await deleteHistory(storage, NOW);
      expect(await readDelivery(storage, delivery)).toEqual(delivery);
    });

    it('continues until less than the limit was left', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW - DAY, NOW - 2 * DAY);
      await deleteHistory(storage, MIDNIGHT + DAY);
      const page = await storage.deliveries.list(workspace.id, endpoint.id, {}, { from: null, limit: 10 }, 0);
      expect(page.rows).toEqual([]);
    });

    it('takes the deliveries of an event by the time in the event’s id', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      // The clock was set back after the first id was made, and forward after the second.
      const young = anEvent(workspace, MIDNIGHT - 1, { id: testId('evt', MIDNIGHT) });
      const old = anEvent(workspace, MIDNIGHT, { id: testId('evt', MIDNIGHT - 1) });
      const delivery = must(await storage.deliveries.enqueue(endpoint.id, young));
      await storage.deliveries.enqueue(endpoint.id, old);
      await deleteHistory(storage, MIDNIGHT);
      expect(only(await claim(storage, NOW))).toMatchObject({ delivery, payload: young.payload });
      expect(await storage.deliveries.listOfEvent(workspace.id, young, 0)).toHaveLength(1);
      expect(await storage.deliveries.listOfEvent(workspace.id, old, 0)).toEqual([]);
    });

    it('takes open ones too: they are never claimed again', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW, NOW);
      const [claimed] = await claim(storage, NOW);
      await deleteHistory(storage, MIDNIGHT + DAY);
      expect(await storage.deliveries.complete([succeeded(must(claimed), NOW)], NOW)).toBe(0);
      const health = must(await storage.endpoints.find(endpoint.workspaceId, endpoint.id)).health;
      expect(health).toEqual(endpoint.health);
      expect(await claim(storage, NOW + 60_000)).toEqual([]);
      // The slots of the deleted deliveries are free.
      await enqueueAt(storage, endpoint, NOW + DAY, NOW + DAY);
      expect(await claim(storage, NOW + DAY)).toHaveLength(2);
    });

    it('takes what a cancellation has ended', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await enqueueOne(storage, endpoint);
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      await deleteHistory(storage, MIDNIGHT + DAY);
      expect(await storage.deliveries.sweepClosed(10)).toBe(0);
      expect(await storage.deliveries.claim(claimAt(NOW))).toEqual({ claimed: [], nextAt: null });
    });

    itAlways('goes as well where nothing was made ready', async () => {
      const storage = await open();
      await storage.maintain?.(NOW - DAY);
      const { workspace, endpoint } = await storeLane(storage);
      const times = [NOW - 400 * DAY, NOW - DAY, NOW, NOW + 400 * DAY];
      const deliveries = await enqueueAt(storage, endpoint, ...times);
      await storage.maintain?.(NOW);
      const list = () => storage.deliveries.list(workspace.id, endpoint.id, {}, { from: null, limit: 10 }, 0);
      expect((await list()).rows).toEqual(deliveries.toReversed());
      await deleteHistory(storage, MIDNIGHT);
      expect((await list()).rows).toEqual(deliveries.slice(2).toReversed());
    });

    it('does not touch messages and their keys', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const message = aMessage(await storeInstance(storage, workspace), { createdAt: NOW - 10 });
      const idempotency = anIdempotencyRecord(message);
      await storage.messages.accept({ message, idempotency, backlogLimit: 10, trialLimit: null });
      await deleteHistory(storage, NOW);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
      expect(await storage.messages.findIdempotencyRecord(workspace.id, idempotency.key)).toEqual(
        idempotency,
      );
    });
  });

  describe('deleting idempotency records', () => {
    it('takes exactly the rows made before, a batch at a time', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      for (const [key, createdAt] of [
        ['a', NOW - 2],
        ['b', NOW - 1],
        ['c', NOW - 1],
        ['d', NOW],
      ] as const) {
        const message = aMessage(instance, { createdAt });
        const idempotency = anIdempotencyRecord(message, { key });
        await storage.messages.accept({ message, idempotency, backlogLimit: 10, trialLimit: null });
      }
      expect(await storage.retention.deleteIdempotencyRecords(NOW, 2)).toBe(2);
      expect(await storage.retention.deleteIdempotencyRecords(NOW, 2)).toBe(1);
      expect(await storage.retention.deleteIdempotencyRecords(NOW, 2)).toBe(0);
      for (const key of ['a', 'b', 'c']) {
        expect(await storage.messages.findIdempotencyRecord(workspace.id, key)).toBeNull();
      }
      expect(await storage.messages.findIdempotencyRecord(workspace.id, 'd')).not.toBeNull();
      expect((await storage.messages.list(workspace.id, {}, { from: null, limit: 10 })).rows).toHaveLength(4);
    });
  });
}
