import type { WaitsStep } from '../ports/storage/waits-step.ts';
import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

const STEP = 500;
/** The pause between steps, so that a long queue delays no other work; 100,000 waits take about 5 seconds. */
const PAUSE_MS = 20;
/** The pause after a failed step. */
const AGAIN_MS = 5_000;

/**
 * Walks once along a queue and has the storage shorten waits that are impossibly long. Such waits were
 * written before the clock was set back while no process ran.
 */
export function waitsWalk(
  { clock, logger }: Pick<ServiceContext, 'clock' | 'logger'>,
  name: string,
  shortenWaits: (step: WaitsStep) => Promise<string | null>,
): Worker {
  let after: string | null = null;
  const loop = createLoop({
    name,
    clock,
    logger,
    everyMs: AGAIN_MS,
    async pass() {
      after = await shortenWaits({ now: clock.now(), after, limit: STEP });
      // Do not await: `stop` waits for this pass.
      if (after === null) void loop.stop();
      return { more: false, nextAt: clock.now() + PAUSE_MS };
    },
  });
  return loop;
}
