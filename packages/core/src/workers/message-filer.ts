import { orderOfId } from '../domain/id.ts';
import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

/** Look-ups are late by no more than this, unless messages come faster than they can be filed. */
const EVERY_MS = 1_000;
/** Messages of one transaction: few enough that acceptances are not kept waiting, and many enough to share their writes. */
const BATCH = 1_000;

/** Messages from before an upgrade or a move are in no hurry, so that what happens now comes between them. */
const OLDER_BATCH = 500;
const OLDER_EVERY_MS = 100;

/** From this delay on it is worth a line in the log. */
const LATE_MS = 10_000;

/** Files messages by their chats, behind their acceptance: see `ChatStore`. */
export function createMessageFiler(context: ServiceContext): Worker {
  const { storage, clock, logger, metrics } = context;
  let delayMs = 0;
  let isLate = false;
  let areOlderFiled = false;
  let hasBegunOlder = false;

  /** How long the oldest message that look-ups do not read has waited. */
  const observeDelay = async (): Promise<void> => {
    const { missingFrom } = await storage.chats.coverage();
    delayMs = missingFrom === null ? 0 : Math.max(0, clock.now() - orderOfId('msg', missingFrom).ms);
    if (delayMs >= LATE_MS && !isLate) {
      logger.warn(
        { delayMs },
        'look-ups of messages by counterpart are late, and catch up by themselves: if this goes on, give the database or this process more room',
      );
    }
    isLate = delayMs >= LATE_MS;
  };

  const fileOlder = async (): Promise<number | null> => {
    if (areOlderFiled) return null;
    const pass = await storage.chats.fileOlder?.(OLDER_BATCH);
    areOlderFiled = pass?.more !== true;
    if (!areOlderFiled && !hasBegunOlder) {
      hasBegunOlder = true;
      logger.info(
        {},
        'older messages are being added to look-ups by counterpart, the newest first: if this is interrupted, the next start continues it',
      );
    }
    if (areOlderFiled && hasBegunOlder) {
      logger.info({}, 'all older messages are in look-ups by counterpart');
    }
    return areOlderFiled ? null : clock.now() + OLDER_EVERY_MS;
  };

  const loop = createLoop({
    name: 'message filer',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => {
      const pass = await storage.chats.file?.(BATCH);
      if (!pass) return { more: false, nextAt: null };
      if (pass.more || delayMs > 0) await observeDelay();
      // Without a step forward, another process is at it.
      if (pass.more && pass.filed > 0) return { more: true, nextAt: null };
      return { more: false, nextAt: await fileOlder() };
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
