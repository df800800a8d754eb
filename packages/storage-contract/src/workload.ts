import { describe, expect } from 'vitest';
import { HEALTHY, INSTANCE_STATUSES } from '@trunkline/core/spi/storage';
import type { InstanceQueue, Storage, Workload } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aDownload, aMessage, anEvent, anInboundMessage, DAY, NOW, testId } from './examples.ts';
import {
  accept,
  claim,
  claimEvents,
  completed,
  enqueueAt,
  finish,
  happen,
  readEndpoint,
  sending,
  storeEndpoint,
  storeInstance,
  storeLane,
  storeLeasedInstance,
  storeQueuedEvents,
  storeQueuedMessages,
  storeWorkspace,
  succeeded,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const LIMIT = 5;

export function workloadContract(subject: ContractSubject): void {
  const open = testDatabases(subject);
  const read = (storage: Storage, now: number = NOW): Promise<Workload> =>
    storage.workload.read({ now, limit: LIMIT });

  describe('the workload', () => {
    it('is nothing at first', async () => {
      expect(await read(await open())).toEqual({
        instances: {},
        unheldInstances: 0,
        queuedMessages: 0,
        oldestQueuedMessage: null,
        openDeliveries: 0,
        oldestOpenDeliveryAt: null,
        deliveriesDueAt: null,
        failingEndpoints: 0,
        queuedEvents: 0,
        exhaustedEvents: 0,
        eventsDueAt: null,
        pendingDownloads: 0,
        oldestEventAt: null,
      });
    });

    itAlways('has the instances by network and status, each counted up to the limit', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      for (let count = 0; count <= LIMIT; count += 1)
        await storeInstance(storage, workspace, { status: 'connected' });
      const other = await storeWorkspace(storage);
      await storeInstance(storage, other, { status: 'logged_out' });
      for (const network of ['carrier', 'a_net', 'z_net'])
        await storeInstance(storage, other, { network, status: 'connected', desired: 'stopped' });
      const { instances } = await read(storage);
      const none = Object.fromEntries(INSTANCE_STATUSES.map((status) => [status, 0]));
      expect(instances).toEqual({
        sandbox: { ...none, connected: LIMIT, logged_out: 1 },
        carrier: { ...none, connected: 1 },
        a_net: { ...none, connected: 1 },
        z_net: { ...none, connected: 1 },
      });
    });

    it('has the instances that need a process and have none', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      await storeInstance(storage, workspace, { desired: 'stopped' });
      const instance = await storeInstance(storage, workspace, { desired: 'running' });
      expect(await read(storage)).toMatchObject({ unheldInstances: 1 });
      const lease = await takeLease(storage, instance);
      expect(await read(storage)).toMatchObject({ unheldInstances: 0 });
      expect(await read(storage, NOW + DAY)).toMatchObject({ unheldInstances: 1 });
      await storage.leases.release(lease);
      expect(await read(storage)).toMatchObject({ unheldInstances: 1 });
    });

    it('has the messages queued, and which of all instances was accepted first', async () => {
      const storage = await open();
      const { workspace, instance } = await storeLeasedInstance(storage);
      const { instance: other, lease } = await storeLeasedInstance(storage);
      await storeQueuedMessages(storage, instance, 2);
      const early = aMessage(other, { id: testId('msg', NOW - DAY) });
      await accept(storage, early);
      expect(await read(storage)).toMatchObject({
        queuedMessages: 3,
        oldestQueuedMessage: {
          workspaceId: other.workspaceId,
          instanceId: other.id,
          messageId: early.id,
          since: NOW - DAY,
        },
      });
      expect(await storage.messages.change(lease, sending(early))).toBe('changed');
      expect(await read(storage)).toMatchObject({
        queuedMessages: 2,
        oldestQueuedMessage: { workspaceId: workspace.id, instanceId: instance.id },
      });
      await storeQueuedMessages(storage, instance, LIMIT);
      expect(await read(storage)).toMatchObject({ queuedMessages: LIMIT });
    });

    itAlways('has the queue of each instance, the one with the oldest message first', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const others = await storeLeasedInstance(storage);
      await storeQueuedMessages(storage, others.instance, 1);
      const second = await storeInstance(storage, workspace, { status: 'connected' });
      const empty = await storeInstance(storage, workspace);
      await storeQueuedMessages(storage, instance, 4);
      const early = aMessage(second, { id: testId('msg', NOW - DAY) });
      await accept(storage, early);
      const queues = (instanceId: string | null, limit = 10): Promise<readonly InstanceQueue[]> =>
        storage.workload.queues({ workspaceId: workspace.id, instanceId }, { now: NOW, countUpTo: 3, limit });
      const oldest = { messageId: early.id, since: NOW - DAY };
      const ofSecond = { instanceId: second.id, queued: 1, oldest, heldBy: null };
      const all = await queues(null);
      expect(all).toEqual([
        ofSecond,
        { instanceId: instance.id, queued: 3, oldest: expect.anything() as object, heldBy: lease.owner },
      ]);
      expect(await queues(null, 1)).toEqual([ofSecond]);
      expect(await queues(instance.id)).toEqual([all[1]]);
      expect(await queues(empty.id)).toEqual([
        { instanceId: empty.id, queued: 0, oldest: null, heldBy: null },
      ]);
      expect(await queues(others.instance.id)).toEqual([]);

      const held = aMessage(instance, { id: testId('msg', NOW - 2 * DAY) });
      await accept(storage, held);
      const place = { messageId: held.id, tries: 0, dueAt: NOW + DAY, heldSince: NOW };
      expect(await storage.messages.postpone(lease, place)).toBe('postponed');
      expect(await queues(null)).toMatchObject([
        { instanceId: instance.id, oldest: { messageId: held.id, since: NOW - 2 * DAY } },
        { instanceId: second.id },
      ]);
      await storage.leases.release(lease);
      expect(await queues(instance.id)).toMatchObject([{ heldBy: null }]);
    });

    it('has the messages that are held', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const held = aMessage(instance, { id: testId('msg', NOW - DAY) });
      await accept(storage, held);
      await storeQueuedMessages(storage, instance, 1);
      const place = { messageId: held.id, tries: 0, dueAt: NOW + DAY, heldSince: NOW };
      expect(await storage.messages.postpone(lease, place)).toBe('postponed');
      expect(await read(storage)).toMatchObject({
        queuedMessages: 2,
        oldestQueuedMessage: { messageId: held.id, since: NOW - DAY },
      });
      await storeQueuedMessages(storage, instance, LIMIT - 1);
      expect(await read(storage)).toMatchObject({ queuedMessages: LIMIT });
    });

    it('has the deliveries that are open, and since when one is due', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await enqueueAt(storage, endpoint, NOW, NOW + 1, NOW + 2);
      expect(await read(storage)).toMatchObject({
        openDeliveries: 3,
        oldestOpenDeliveryAt: NOW,
        deliveriesDueAt: NOW,
      });
      expect(await claim(storage, NOW, { limit: 1 })).toHaveLength(1);
      expect(await read(storage)).toMatchObject({ openDeliveries: 3 });
      await enqueueAt(storage, endpoint, NOW + 3, NOW + 4, NOW + 5);
      expect(await read(storage)).toMatchObject({ openDeliveries: LIMIT });
    });

    it('has no delivery that has ended', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [delivery] = await enqueueAt(storage, endpoint, NOW);
      await finish(storage, must(delivery), succeeded);
      expect(await read(storage)).toMatchObject({
        openDeliveries: 0,
        oldestOpenDeliveryAt: null,
        deliveriesDueAt: null,
        oldestEventAt: NOW,
      });
    });

    it('has the endpoints that fail while they are enabled', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const failures = { ...HEALTHY, failingSince: NOW - DAY, exhausted: true };
      const failing = await storeEndpoint(storage, workspace, { health: failures });
      await storeEndpoint(storage, workspace, { health: { ...failures, exhausted: false } });
      await storeEndpoint(storage, workspace);
      expect(await read(storage)).toMatchObject({ failingEndpoints: 1 });
      const stored = await readEndpoint(storage, failing);
      const disabled = { ...stored, status: 'disabled', disabledAt: NOW, disabledReason: 'manual' } as const;
      expect(await storage.endpoints.write({ endpoint: disabled, close: 'ENDPOINT_DISABLED' })).toBe(
        'written',
      );
      expect(await read(storage)).toMatchObject({ failingEndpoints: 0 });
    });

    it('has the events that handlers have not handled, those given up apart', async () => {
      const storage = await open();
      const { subscription } = await storeQueuedEvents(storage, NOW, NOW + 1, NOW + 2);
      expect(await read(storage)).toMatchObject({
        queuedEvents: 3,
        exhaustedEvents: 0,
        eventsDueAt: NOW,
        oldestEventAt: NOW,
      });
      const claimed = await claimEvents(storage, subscription, NOW + DAY);
      const [handled, failed] = claimed;
      await storage.subscriptions.complete([
        completed(must(handled)),
        completed(must(failed), { kind: 'exhausted', attempts: 8, failedAt: NOW }),
      ]);
      expect(await read(storage)).toMatchObject({ queuedEvents: 1, exhaustedEvents: 1 });
      // The third event is claimed, so nothing is due before its claim ends.
      expect((await read(storage)).eventsDueAt).toBeGreaterThan(NOW + DAY);
    });

    it('has the files that the network has not delivered', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const message = anInboundMessage(instance, { type: 'image' });
      const event = anEvent(workspace);
      const arrival = { message, senderId: 's1', event, download: aDownload(message) };
      expect(await storage.messages.receive(lease, arrival)).toBe('received');
      await happen(storage, workspace, anEvent(workspace));
      expect(await read(storage)).toMatchObject({ pendingDownloads: 1 });
    });
  });
}
