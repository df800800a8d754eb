import { expect, it, onTestFinished } from 'vitest';
import {
  aMessage,
  anEndpoint,
  anEvent,
  anIdempotencyRecord,
  aSubscription,
  NOW,
} from '@trunkline/storage-contract/examples';
import { claimAt, sending, succeeded, takeLease } from '@trunkline/storage-contract/fixtures';
import { must } from '@trunkline/test-support';
import { openStorage, storeInstance, temporarySchema } from './support/open-storage.ts';
import { transactionPooler } from './support/transaction-pooler.ts';

it('a message goes all its way through a pooler that hands out connections by the transaction', async () => {
  const schema = await temporarySchema();
  const pooler = await transactionPooler(schema.url);
  onTestFinished(() => pooler.end());
  const throughPooler = { pool: pooler.pool, preparedStatements: false, notifications: false };
  const [storage, other] = [
    await openStorage(schema, throughPooler),
    await openStorage(schema, throughPooler),
  ];

  const { workspace, instance } = await storeInstance(storage);
  const endpoint = anEndpoint(workspace, { events: ['message.sent'] });
  await storage.endpoints.insert(endpoint, 5);
  const subscription = await storage.subscriptions.register(aSubscription({ eventTypes: ['message.sent'] }));
  const messages = Array.from({ length: 20 }, () => aMessage(instance));
  const accepted = await Promise.all(
    messages.map((message, index) =>
      must([storage, other][index % 2]).messages.accept({
        message,
        idempotency: index % 3 === 0 ? anIdempotencyRecord(message, { key: message.id }) : null,
        backlogLimit: 100,
        trialLimit: index % 4 === 0 ? 100 : null,
      }),
    ),
  );
  expect(new Set(accepted.map(({ kind }) => kind))).toEqual(new Set(['accepted']));

  const lease = await takeLease(other, instance);
  await other.sessions.save(lease, new Map([['key', Uint8Array.of(1)]]));
  const [head] = await other.messages.queueHeads([instance.id], NOW);
  const { message } = must(head);
  const event = anEvent(workspace, NOW, { type: 'message.sent' });
  expect(await other.messages.change(lease, { ...sending(message), events: [event] })).toBe('changed');

  const { claimed } = await storage.deliveries.claim(claimAt(NOW));
  expect(claimed.map(({ delivery }) => delivery.eventId)).toEqual([event.id]);
  await other.deliveries.complete([succeeded(must(claimed[0]), NOW)], NOW);
  const page = { from: null, limit: 10 };
  const { rows } = await storage.deliveries.list(workspace.id, endpoint.id, {}, page, 0);
  expect(rows).toMatchObject([{ eventId: event.id, status: 'success' }]);

  const { id: subscriptionId, eventTypes } = subscription;
  const queued = { subscriptionId, eventTypes, now: NOW, limit: 10, leaseMs: 1000 };
  expect((await storage.subscriptions.claim(queued))?.claimed).toMatchObject([
    { event: { id: event.id, payload: event.payload } },
  ]);
  await storage.maintain?.(NOW);
  expect((await storage.messages.list(workspace.id, {}, { from: null, limit: 50 })).rows).toHaveLength(20);

  expect(new Set(pooler.used).size).toBe(3);
});

it('a pooler that mixes up prepared statements is named, with what to set', async () => {
  const schema = await temporarySchema();
  const pooler = await transactionPooler(schema.url, { passesNames: true });
  onTestFinished(() => pooler.end());
  const why =
    /^The PostgreSQL database cannot be used: A pooler in transaction mode.*DATABASE_POOL_MODE.*preparedStatements/;
  await expect(openStorage(schema, { pool: pooler.pool, notifications: false })).rejects.toThrow(why);
});
