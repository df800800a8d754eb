import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { sweepFiles } from '../services/media/uploads.ts';

const EVERY_MS = 60_000;
const BATCH = 100;

interface MediaSweeper {
  start(): void;
  stop(): Promise<void>;
}

/** Deletes stored files that belong to nothing. */
export function createMediaSweeper(context: ServiceContext): MediaSweeper {
  const { clock, logger } = context;
  return createLoop({
    name: 'media sweeper',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => ({ more: (await sweepFiles(context, BATCH)).more, nextAt: null }),
  });
}
