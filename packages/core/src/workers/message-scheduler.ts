import { SCHEDULE_LOOK_MS } from '../domain/message/schedule.ts';
import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { UNLINKED } from '../services/instances/change-instance.ts';

interface MessageScheduler {
  start(): void;
  /** Looks again, because a message was scheduled that is due soon. */
  wake(): void;
  /** Starts no more passes, and resolves when the current pass has ended. */
  stop(): Promise<void>;
}

/**
 * Queues scheduled messages when their time has come, for all instances, so that each gets its place in the order of
 * its chat even while no process holds its instance. Several processes may do so concurrently. The wall clock decides:
 * it may be set back, and the messages then wait for it.
 */
export function createMessageScheduler({
  storage,
  clock,
  wallTime,
  logger,
}: ServiceContext): MessageScheduler {
  return createLoop({
    name: 'message scheduler',
    clock: { ...clock, now: wallTime },
    logger,
    everyMs: SCHEDULE_LOOK_MS,
    pass: async () => {
      const now = clock.now();
      const nextAt = await storage.schedule.release(wallTime(), {
        error: UNLINKED,
        now,
        eventsFrom: now * 1000,
      });
      return { more: nextAt !== null && nextAt <= wallTime(), nextAt };
    },
  });
}
