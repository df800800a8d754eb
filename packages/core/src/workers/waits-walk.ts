import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { EVENT_LEASE_MS } from './event-worker.ts';

const STEP = 500;
/** The pause between steps, so that a long queue delays no other work; 100,000 waits take about 5 seconds. */
const PAUSE_MS = 20;
/** The pause after a failed step. */
const AGAIN_MS = 5_000;

/**
 * Walks once along what waits, and has the storage shorten waits that are impossibly long. Such waits were written
 * before the clock was set back while no process ran.
 */
export function createWaitsWalk({ storage, clock, logger }: ServiceContext): Worker {
  let after: string | null = null;
  const loop = createLoop({
    name: 'waits of deliveries and events',
    clock,
    logger,
    everyMs: AGAIN_MS,
    async pass() {
      const now = clock.now();
      after = await storage.shortenWaits({ now, after, limit: STEP, leaseMs: EVENT_LEASE_MS });
      // Do not await: `stop` waits for this pass.
      if (after === null) void loop.stop();
      return { more: false, nextAt: clock.now() + PAUSE_MS };
    },
  });
  return loop;
}
