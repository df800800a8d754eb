import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { sweepFiles } from '../services/media/uploads.ts';

const EVERY_MS = 60_000;
const BATCH = 100;

/** Deletes stored files that belong to nothing. */
export function createMediaSweeper(context: ServiceContext): Worker {
  const { clock, logger } = context;
  return createLoop({
    name: 'media sweeper',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => ({ more: (await sweepFiles(context, BATCH)).more, nextAt: null }),
  });
}
