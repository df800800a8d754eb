import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

const EVERY_MS = 60_000;
const BATCH = 100;
/** An upload that has not become a message after this time never will: its process has died. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

export interface MediaSweeper {
  /** One batch of each kind. `more` says that one was full. */
  runOnce(): Promise<{ readonly deleted: number; readonly more: boolean }>;
  start(): void;
  stop(): Promise<void>;
}

/** Deletes stored files that belong to nothing: uploads that were broken off, and files of deleted instances. */
export function createMediaSweeper({ storage, media, clock, logger }: ServiceContext): MediaSweeper {
  const runOnce = async (): Promise<{ deleted: number; more: boolean }> => {
    const batches = [
      await storage.media.listAbandoned(clock.now() - ABANDONED_AFTER_MS, BATCH),
      await storage.media.listOrphaned(BATCH),
    ];
    let deleted = 0;
    for (const id of batches.flat()) if (await sweep(id)) deleted += 1;
    // One that cannot be deleted comes first again: not at once.
    return { deleted, more: deleted > 0 && batches.some((batch) => batch.length === BATCH) };
  };
  /** Answers whether it is gone. One that is not must not keep the others. */
  const sweep = async (id: string): Promise<boolean> => {
    try {
      // The bytes first: what is forgotten is looked for no more.
      await media.delete(id);
      await storage.media.forget(id);
      return true;
    } catch (error) {
      logger.error({ err: error, contentId: id }, 'a stored file could not be deleted');
      return false;
    }
  };
  const loop = createLoop({
    name: 'media sweeper',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => ({ more: (await runOnce()).more, nextAt: null }),
  });
  return { runOnce, start: loop.start, stop: loop.stop };
}
