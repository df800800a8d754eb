import { describe, expect } from 'vitest';
import { must, only } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { anEndpoint, anEvent, anInboundMessage, NOW } from './examples.ts';
import {
  claim,
  disable,
  enable,
  happen,
  idsOf,
  readDelivery,
  readEndpoint,
  storeEndpoint,
  storeInstance,
  storeLane,
  storedEvent,
  storeWorkspace,
  takeLease,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function fanOutContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('an event', () => {
    it('becomes one delivery for each enabled endpoint that subscribes', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      const later = await storeEndpoint(storage, workspace, { createdAt: NOW + 1 });
      const first = await storeEndpoint(storage, workspace);
      await storeEndpoint(storage, workspace, { events: ['message.sent'] });
      await storeEndpoint(storage, workspace, { status: 'disabled' });
      await storeEndpoint(storage, other);
      await happen(storage, workspace, anEvent(workspace));

      const claimed = await claim(storage, NOW);
      const ordered = claimed.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
      expect(ordered.map(({ delivery }) => delivery.endpointId)).toEqual([first.id, later.id]);
    });

    itAlways('becomes deliveries only for endpoints that chose its instance, or none', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = await storeInstance(storage, workspace);
      const other = await storeInstance(storage, workspace);
      const endpoints = await Promise.all(
        [null, [instance.id], [other.id, instance.id], [other.id]].map((instances) =>
          storeEndpoint(storage, workspace, { instances }),
        ),
      );
      const lease = await takeLease(storage, instance);
      const about = { subject: { instanceId: instance.id, messageId: null } };
      const arrival = {
        message: anInboundMessage(instance),
        senderId: 's1',
        event: anEvent(workspace, NOW, about),
      };
      expect(await storage.messages.receive(lease, arrival)).toBe('received');
      await happen(storage, workspace, anEvent(workspace));

      const received = (await claim(storage, NOW)).map(({ delivery }) => delivery.endpointId);
      // The second event is about no instance.
      expect(endpoints.map(({ id }) => received.filter((one) => one === id).length)).toEqual([2, 1, 1, 0]);
      expect((await readEndpoint(storage, must(endpoints[2]))).instances).toEqual([other.id, instance.id]);
      expect(await storage.deliveries.enqueue(must(endpoints[3]).id, anEvent(workspace))).not.toBeNull();
    });

    it('becomes a delivery of the event’s own time and bytes', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const event = anEvent(workspace, NOW - 5, { payload: '{"text":"Grüße 👋\\u0000"}' });
      await happen(storage, workspace, event);
      const { delivery, payload } = only(await claim(storage, NOW));
      expect(payload).toBe(event.payload);
      expect(delivery).toEqual({
        id: expect.stringMatching(/^whd_/),
        workspaceId: workspace.id,
        endpointId: endpoint.id,
        eventId: event.id,
        eventType: 'message.received',
        eventOccurredAt: event.occurredAt,
        status: 'pending',
        attempts: 0,
        maxAttempts: 8,
        manual: false,
        nextRetryAt: null,
        responseStatus: null,
        errorCode: null,
        lastAttemptAt: null,
        deliveredAt: null,
        createdAt: NOW - 5,
      });
      const found = await storage.deliveries.findDetail(workspace.id, delivery.id, NOW - 5);
      expect(must(found).delivery).toEqual(delivery);
    });

    it('is not due before it happened', async () => {
      const storage = await open();
      const { workspace } = await storeLane(storage);
      await happen(storage, workspace, anEvent(workspace, NOW + 10));
      expect(await claim(storage, NOW + 9)).toEqual([]);
      expect(await claim(storage, NOW + 10)).toHaveLength(1);
    });

    it('is kept, but not delivered, if no endpoint subscribes to it', async () => {
      const storage = await open();
      const { workspace } = await storeLane(storage);
      const event = anEvent(workspace, NOW, { type: 'instance.error' });
      await happen(storage, workspace, event);
      expect(await claim(storage, NOW)).toEqual([]);
      expect(await storage.events.find(workspace.id, event.id, 0)).toEqual(storedEvent(event));
    });

    it('follows what endpoints subscribe to at the time', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await storage.endpoints.write({ endpoint: { ...endpoint, events: ['message.read'] } });
      await happen(storage, workspace, anEvent(workspace));
      await disable(storage, endpoint);
      await happen(storage, workspace, anEvent(workspace, NOW, { type: 'message.read' }));
      await enable(storage, endpoint);
      const event = anEvent(workspace, NOW, { type: 'message.read' });
      await happen(storage, workspace, event);
      expect(only(await claim(storage, NOW)).payload).toBe(event.payload);
    });
  });

  describe('enqueueing for one endpoint', () => {
    it('delivers whatever the endpoint subscribes to', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      await storeEndpoint(storage, workspace);
      const event = anEvent(workspace, NOW, { type: 'webhook.test' });
      const delivery = must(await storage.deliveries.enqueue(endpoint.id, event));
      expect(delivery).toMatchObject({
        workspaceId: workspace.id,
        endpointId: endpoint.id,
        eventId: event.id,
        eventType: 'webhook.test',
        status: 'pending',
        maxAttempts: 8,
        createdAt: NOW,
      });
      expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(idsOf(await claim(storage, NOW))).toEqual([delivery.id]);
    });

    it('is null for an endpoint that is gone, disabled or of another workspace', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeWorkspace(storage);
      expect(await storage.deliveries.enqueue(anEndpoint(workspace).id, anEvent(workspace))).toBeNull();
      expect(await storage.deliveries.enqueue(endpoint.id, anEvent(other))).toBeNull();
      await disable(storage, endpoint);
      expect(await storage.deliveries.enqueue(endpoint.id, anEvent(workspace))).toBeNull();
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      expect(await storage.deliveries.enqueue(endpoint.id, anEvent(workspace))).toBeNull();
      // The only row is the URL of the deleted endpoint: no event was stored.
      expect(await storage.retention.deleteHistory(NOW * 2, 10)).toBe(1);
    });
  });
}
