import { createLoop, eachStep } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { createUnknownFileWalk } from '../services/media/unknown-files.ts';
import { createFileSweep } from '../services/media/uploads.ts';

const EVERY_MS = 60_000;
const BATCH = 100;

/** Deletes stored files that belong to nothing, and finds files that the database does not know. */
export function createMediaSweeper(context: ServiceContext): Worker {
  const { clock, logger } = context;
  const sweepFiles = createFileSweep(context, BATCH);
  const findUnknownFiles = createUnknownFileWalk(context);
  return createLoop({
    name: 'media sweeper',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => {
      let more = false;
      await eachStep([
        async () => void ({ more } = await sweepFiles()),
        // If one step fails, the other still runs.
        findUnknownFiles,
      ]);
      return { more, nextAt: null };
    },
  });
}
