import { describe, expect } from 'vitest';
import { must } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anInboundMessage, DAY, NOW } from './examples.ts';
import {
  accept,
  claim,
  claimEvents,
  deleteHistory,
  sending,
  storeEndpoint,
  storeLeasedInstance,
  storeSubscription,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

export function traceContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('the trace that caused something', () => {
    it('stays with its message whatever happens to that', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const message = aMessage(instance, { traceparent: TRACEPARENT, replyTo: aMessage(instance).id });
      await accept(storage, message);
      const [head] = await storage.messages.queueHeads([instance.id], NOW);
      expect(must(head).message).toEqual(message);
      const change = sending(must(head).message);
      expect(await storage.messages.change(lease, change)).toBe('changed');
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(change.message);
    });

    it('is claimed with its event, by webhooks and by handlers', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const subscription = await storeSubscription(storage);
      await storeEndpoint(storage, workspace);
      for (const [senderId, traceparent] of [
        ['traced', TRACEPARENT],
        ['not traced', null],
      ] as const) {
        const message = anInboundMessage(instance, { traceparent });
        const event = { ...anEvent(workspace), traceparent };
        expect(await storage.messages.receive(lease, { message, senderId, event })).toBe('received');
      }
      const deliveries = await claim(storage, NOW + DAY);
      expect(deliveries.map(({ traceparent }) => traceparent)).toEqual([TRACEPARENT, null]);
      const events = await claimEvents(storage, subscription, NOW + DAY);
      expect(events.map(({ traceparent }) => traceparent)).toEqual([TRACEPARENT, null]);
      await deleteHistory(storage, NOW + 10 * DAY);
      expect(await claimEvents(storage, subscription, NOW + 20 * DAY)).toEqual([]);
    });
  });
}
