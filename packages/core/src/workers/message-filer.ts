import { orderOfId } from '../domain/id.ts';
import type { FilingPass } from '../ports/storage/chat-store.ts';
import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

/**
 * The time between passes. Lookups may find a message this late, or later if messages come faster than they are
 * filed.
 */
const EVERY_MS = 1_000;
/** Messages per transaction: few enough not to delay acceptances, and many enough to share their writes. */
const BATCH = 1_000;

/** The smallest delay that is logged. */
const LATE_MS = 10_000;

/** Files messages by chat after they were stored: see `ChatStore`. */
export function createMessageFiler(context: ServiceContext): Worker {
  const { storage, clock, logger, metrics } = context;
  let delayMs = 0;
  let isLate = false;

  /**
   * Measures from the last message of the pass. Messages are filed in order, so all unfiled messages are newer.
   */
  const observeDelay = ({ more, lastId }: FilingPass): void => {
    delayMs = more && lastId !== null ? Math.max(0, clock.now() - orderOfId('msg', lastId).ms) : 0;
    if (delayMs >= LATE_MS && !isLate) {
      logger.warn(
        { delayMs },
        'lookups of messages by counterpart are late, and catch up by themselves: if this continues, give the database or this process more room',
      );
    }
    isLate = delayMs >= LATE_MS;
  };

  const loop = createLoop({
    name: 'message filer',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => {
      const pass = await storage.chats.file?.(BATCH);
      if (pass) observeDelay(pass);
      // If more messages are left but none was filed, another process is filing: do not repeat the pass now.
      return { more: pass?.more === true && pass.filed > 0, nextAt: null };
    },
  });
  return {
    start() {
      metrics.observeFilingDelay(() => delayMs);
      loop.start();
    },
    stop: () => loop.stop(),
  };
}
