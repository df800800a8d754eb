import { once } from 'node:events';
import type { Storage } from '@trunkline/core';
import { NOW, testId } from './examples.ts';

/**
 * Runs in a separate process that tests kill. Claims every lease and everything else that can be claimed, prints
 * `holding`, and keeps the claims. When its parent ends its input, the process closes the storage with all claims still
 * held.
 */
export async function holdEverything(storage: Storage<unknown>): Promise<void> {
  await storage.open({ newId: testId, logger: { debug() {}, info() {}, warn() {}, error() {} } });
  await storage.processes.releaseEnded?.(NOW);
  await storage.leases.claim({ owner: 'held', now: NOW, networks: ['sandbox'], ttlMs: LEASE_MS, limit: 100 });
  await storage.processes.register('held', { network: 'sandbox', now: NOW, since: 0 });
  await storage.deliveries.claim({
    now: NOW,
    limit: 100,
    leaseMs: LEASE_MS,
    slots: 2,
    startsPerWindow: 120,
    windowMs: 60_000,
  });
  for (const { subscription } of await storage.subscriptions.list(1)) {
    const { id: subscriptionId, eventTypes } = subscription;
    await storage.subscriptions.claim({
      subscriptionId,
      eventTypes,
      now: NOW,
      limit: 100,
      leaseMs: LEASE_MS,
    });
  }
  process.stdout.write('holding\n');
  await once(process.stdin.resume(), 'end');
  await storage.close();
  process.stdout.write('closed\n');
  // Stays alive, because the claims of an ended process would be released.
  setInterval(() => {}, HOUR);
}

const LEASE_MS = 30_000;
const HOUR = 3_600_000;
