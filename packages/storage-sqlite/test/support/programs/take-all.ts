// Takes leases and claims deliveries, a few at a time, until nothing is left, and prints the ids that it got.
import { sqliteStorage } from '../../../src/index.ts';
import { claimAt, NOW, succeeded } from '@trunkline/storage-contract/examples';
import { storageContext } from '../storage-context.ts';
import { print, waitForParent } from './parent.ts';

const storage = sqliteStorage({ path: process.argv[2] ?? '' });
await storage.open(storageContext);
await waitForParent();
for (;;) {
  const leases = await storage.leases.claim({
    owner: String(process.pid),
    now: NOW,
    networks: ['sandbox'],
    ttlMs: 60_000,
    limit: 3,
  });
  const { claimed } = await storage.deliveries.claim(
    claimAt(NOW, { limit: 3, leaseMs: 60_000, startsPerWindow: 1000 }),
  );
  for (const { lease } of leases) await print(lease.instanceId);
  for (const { delivery } of claimed) await print(delivery.id);
  const completed = await storage.deliveries.complete(
    claimed.map((one) => succeeded(one, NOW)),
    NOW,
  );
  if (completed !== claimed.length) throw new Error('A completion was refused.');
  if (leases.length === 0 && claimed.length === 0) break;
}
await storage.close();
