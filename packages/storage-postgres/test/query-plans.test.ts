import { expect, it } from 'vitest';
import type { ClaimedDelivery, Storage } from '@trunkline/core';
import { aMessage, anEndpoint, anEvent, DAY, NOW } from '@trunkline/storage-contract/examples';
import { claimAt, failed, succeeded } from '@trunkline/storage-contract/scenes';
import { DAYS, storeBacklog } from './support/backlog.ts';
import { explainedPool } from './support/explained-pool.ts';
import type { Explained } from './support/explained-pool.ts';
import { must } from './support/must.ts';
import { openStorage, storeInstance, temporarySchema } from './support/open-storage.ts';

/** Messages, events, deliveries that have ended, and open ones, of each: `QUERY_PLAN_ROWS=1000000`. */
const ROWS = Number(process.env['QUERY_PLAN_ROWS'] ?? 50_000);

/** What any part of a plan may read: far less than there is, and some times what a page or a claim is made of. */
const MAY_READ = 2_000;

/** Tables that hold history, or all that is open. */
const GROWING = /^(messages|events|deliveries|attempts|due)/;

it('nothing that is asked reads, or sorts, more than its answer takes', { timeout: 600_000 }, async () => {
  const { storage, explained, instance, endpoint } = await openBacklog();
  const { workspaceId } = instance;
  const { deliveries, messages, retention, webhooks } = storage;

  // The limits of the first claim are new, for which all lanes are worked out.
  await deliveries.claim(claimAt(NOW, { limit: 1 }));
  explained.length = 0;

  const claimed: ClaimedDelivery[] = [];
  for (let pass = 1; pass <= 3; pass += 1) {
    const claim = await deliveries.claim(claimAt(NOW + pass, { limit: 128, leaseMs: 10 }));
    claimed.push(...claim.claimed);
  }
  expect(claimed.length).toBeGreaterThan(100);
  await deliveries.complete(
    claimed.map((one, index) => (index % 2 === 0 ? succeeded(one, NOW + 5) : failed(one, NOW + 5))),
    NOW + 5,
  );
  // What is under a claim yet, is taken back.
  await deliveries.claim(claimAt(NOW + 3 * DAY, { limit: 128 }));
  await deliveries.enqueue(endpoint.id, anEvent({ id: workspaceId }));
  await accept(storage, aMessage(instance));

  await readPages(storage, { workspaceId, webhookId: endpoint.id });
  const { rows } = await deliveries.list(workspaceId, endpoint.id, { status: 'exhausted' }, FIRST, 0);
  const ended = must(rows[0]);
  await deliveries.find(workspaceId, ended.id, NOW - 30 * DAY);
  await deliveries.findDetail(workspaceId, ended.id, NOW - 30 * DAY);
  await deliveries.retry(workspaceId, ended.id, NOW, NOW - 30 * DAY);
  const batch = { limit: 100, countUpTo: 1000, now: NOW, since: NOW - 30 * DAY };
  await deliveries.retryAll(workspaceId, endpoint.id, batch);

  await retention.prepare(NOW);
  await retention.deleteHistory(NOW - (DAYS - 1) * DAY, 500);
  await retention.deleteIdempotencyRecords(NOW - DAY, 500);
  const stored = must(await webhooks.find(workspaceId, endpoint.id));
  await webhooks.write({ endpoint: { ...stored, status: 'disabled' }, close: 'ENDPOINT_DISABLED' });
  await readPages(storage, { workspaceId, webhookId: endpoint.id });
  await deliveries.sweepClosed(500);
  await webhooks.delete(workspaceId, endpoint.id);
  await messages.queueHeads([instance.id], NOW);

  expect(explained.length).toBeGreaterThan(100);
  expect(explained.filter(({ rows: read }) => read > MAY_READ)).toEqual([]);
  expect(explained.filter(({ scanned }) => scanned.some((table) => GROWING.test(table)))).toEqual([]);
});

/** The largest page that can be asked for. */
const LIMIT = 100;

const FIRST = { from: null, limit: LIMIT };

async function openBacklog() {
  const schema = await temporarySchema();
  const explained: Explained[] = [];
  const pool = explainedPool(schema.url, explained);
  const storage = await openStorage(schema, { pool, notifications: false });
  for (let day = DAYS; day >= 0; day -= 4) await storage.retention.prepare(NOW - day * DAY);
  const { instance } = await storeInstance(storage);
  const endpoints = Array.from({ length: 100 }, () =>
    anEndpoint({ id: instance.workspaceId } as Parameters<typeof anEndpoint>[0]),
  );
  for (const endpoint of endpoints) await storage.webhooks.insert(endpoint, 1000);
  await storeBacklog(schema, { instance, endpoints, count: ROWS });
  return { storage, explained, instance, endpoint: must(endpoints[0]) };
}

async function readPages(
  { deliveries, messages }: Storage,
  { workspaceId, webhookId }: { readonly workspaceId: string; readonly webhookId: string },
): Promise<void> {
  for (const since of [0, NOW - 2 * DAY]) {
    for (const filter of [
      {},
      { status: 'failed' } as const,
      { status: 'retrying' } as const,
      { eventType: 'message.received' },
      { status: 'success', eventType: 'message.sent' } as const,
    ]) {
      const page = await deliveries.list(workspaceId, webhookId, filter, FIRST, since);
      const last = page.rows.at(-1);
      if (!last) continue;
      for (const direction of ['older', 'newer'] as const) {
        const from = { direction, id: last.id };
        await deliveries.list(workspaceId, webhookId, filter, { from, limit: LIMIT }, since);
      }
    }
  }
  for (const filter of [{}, { direction: 'inbound' } as const, { statuses: ['failed'] } as const]) {
    await messages.list(workspaceId, filter, FIRST);
  }
}

async function accept({ messages }: Storage, message: ReturnType<typeof aMessage>): Promise<void> {
  await messages.accept({ message, idempotency: null, backlogLimit: 1000, trialLimit: null });
}
