import { withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

const LOOK_EVERY_MS = 1_000;
/** How long the start waits for the first look: longer than a reachable storage takes. */
const FIRST_LOOK_DEADLINE_MS = 5_000;

export interface EndedProcesses {
  /** Looks now, and then every second. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Releases the leases and claims of processes that ended without releasing them, if the storage can detect
 * such processes.
 */
export function createEndedProcesses({ storage, clock, logger }: ServiceContext): EndedProcesses {
  const releaseEnded = storage.processes.releaseEnded?.bind(storage);
  if (!releaseEnded) return { start: async () => {}, stop: async () => {} };

  const look = async (): Promise<void> => {
    const processes = await releaseEnded(clock.now());
    if (processes === 0) return;
    logger.warn(
      { processes },
      'a process ended without releasing what it held: that is released now; its log says why it ended',
    );
  };

  const loop = createLoop({
    name: 'ended processes',
    clock,
    logger,
    everyMs: LOOK_EVERY_MS,
    pass: async () => {
      await look();
      return { more: false, nextAt: null };
    },
  });

  return {
    async start() {
      const limit = { what: 'Looking for processes that have ended', ms: FIRST_LOOK_DEADLINE_MS };
      await withDeadline(clock, limit, look()).catch((error: unknown) => {
        logger.warn(
          { err: error },
          'the leases and claims of ended processes could not be released: it is tried again every second, and they expire by themselves',
        );
      });
      loop.start();
    },
    stop: loop.stop,
  };
}
