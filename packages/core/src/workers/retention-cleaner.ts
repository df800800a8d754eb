import { RETENTION_MS } from '../domain/delivery/delivery.ts';
import { IDEMPOTENCY_WINDOW_MS } from '../domain/idempotency/idempotency.ts';
import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

const EVERY_MS = 60_000;
/** Rows of one transaction: small, so that requests are not kept waiting. */
const BATCH = 500;
/** Rows that readers no longer see are deleted a little later, so that a reader whose clock is behind meets no gap. */
const GRACE_MS = 60 * 60_000;

export interface RetentionCleaner {
  /** One batch of each kind. `more` says that some batch was full. */
  runOnce(): Promise<{ readonly deleted: number; readonly more: boolean }>;
  start(): void;
  stop(): Promise<void>;
}

/** Deletes what is older than its retention and what deleted subscriptions had, writes down what closed endpoints have ended; batch by batch. */
export function createRetentionCleaner({ storage, clock, logger }: ServiceContext): RetentionCleaner {
  const runOnce = async (): Promise<{ deleted: number; more: boolean }> => {
    const now = clock.now();
    await storage.retention.prepare(now);
    const batches = [
      await storage.deliveries.sweepClosed(BATCH),
      await storage.subscriptions.sweepDeleted(BATCH),
      await storage.retention.deleteHistory(now - RETENTION_MS - GRACE_MS, BATCH),
      await storage.retention.deleteIdempotencyRecords(now - IDEMPOTENCY_WINDOW_MS - GRACE_MS, BATCH),
    ];
    return {
      deleted: batches.reduce((sum, count) => sum + count, 0),
      more: batches.some((count) => count >= BATCH),
    };
  };
  const loop = createLoop({
    name: 'retention cleaner',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => ({ more: (await runOnce()).more, nextAt: null }),
  });
  return { runOnce, start: loop.start, stop: loop.stop };
}
