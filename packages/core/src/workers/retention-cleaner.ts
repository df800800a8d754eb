import { RETENTION_MS } from '../domain/delivery/delivery.ts';
import { GROUP_CHANGE_KEPT_MS } from '../domain/instance/group-change-limits.ts';
import { LOOKUP_KEPT_MS } from '../domain/instance/number-lookup.ts';
import { historySince } from '../domain/instance/instance-history.ts';
import { IDEMPOTENCY_WINDOW_MS } from '../domain/idempotency/idempotency.ts';
import { TRAFFIC_KEPT_MS } from '../domain/traffic/traffic.ts';
import { createLoop, eachStep } from '../runtime/loop.ts';
import type { PassResult, Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { giveUpDownload } from '../services/media/pending-downloads.ts';
import { ACTIVITY_KNOWN_MS } from '../services/messages/activities.ts';

const EVERY_MS = 60_000;
/** Rows per transaction: few, so that requests are not kept waiting. */
const BATCH = 500;
/** How long expired rows are kept although they are hidden, so that a reader whose clock is behind finds no gap. */
const GRACE_MS = 60 * 60_000;

/** How long a download that was in flight when it expired may still take. */
const DOWNLOAD_GRACE_MS = 15 * 60_000;

/**
 * Deletes rows older than their retention and rows of deleted subscriptions, records cancelled deliveries of
 * closed endpoints, and gives up expired downloads, batch by batch.
 */
export function createRetentionCleaner(context: ServiceContext): Worker {
  const { storage, clock, logger } = context;
  const giveUpExpired = async (now: number): Promise<number> => {
    const expired = await storage.downloads.listExpired(now - DOWNLOAD_GRACE_MS, BATCH);
    for (const pending of expired) await giveUpDownload(context, pending);
    return expired.length;
  };

  /** Runs one batch of each kind, and asks for another pass if a batch was full. */
  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    let isAnyFull = false;
    const batches: readonly (() => Promise<number>)[] = [
      () => storage.deliveries.sweepClosed(BATCH),
      () => storage.retention.deleteHistory(now - RETENTION_MS - GRACE_MS, BATCH),
      () => storage.retention.deleteIdempotencyRecords(now - IDEMPOTENCY_WINDOW_MS - GRACE_MS, BATCH),
      () => giveUpExpired(now),
      () => storage.activities.deleteKeys(now - ACTIVITY_KNOWN_MS, BATCH),
      () => storage.spentTokens.deleteExpired(now - GRACE_MS, BATCH),
      () => storage.calls.deleteExpired(now, BATCH),
      () => storage.lookups.deleteExpired(now - LOOKUP_KEPT_MS, BATCH),
      () => storage.groupChanges.deleteExpired(now - GROUP_CHANGE_KEPT_MS, BATCH),
      () =>
        storage.retention.deleteInstanceHistory(
          historySince(now, context.settings.retention.instanceHistoryDays) - GRACE_MS,
          BATCH,
        ),
      () => storage.traffic.deleteBefore(now - TRAFFIC_KEPT_MS - GRACE_MS, BATCH),
    ];
    await eachStep([
      async () => storage.maintain?.(now),
      ...batches.map((batch) => async () => {
        if ((await batch()) >= BATCH) isAnyFull = true;
      }),
    ]);
    return { more: isAnyFull, nextAt: null };
  };
  return createLoop({ name: 'retention cleaner', clock, logger, everyMs: EVERY_MS, pass });
}
