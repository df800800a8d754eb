import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { resealAll } from '../services/reseal-all.ts';

/** The wait before an incomplete pass is repeated. */
const AGAIN_MS = 60_000;

/** Reseals values sealed with other keys, using the first `secretKey`, once per start. */
export function createResealer(context: ServiceContext, keys: number): Worker {
  const { clock, logger } = context;
  let isStopping = false;
  let isDone = false;

  const reseal = async (): Promise<boolean> => {
    // If there is only one key, it sealed everything, as the start has checked.
    if (keys === 1) return true;
    const { isComplete } = await resealAll(context, { isStopping: () => isStopping });
    if (isComplete)
      logger.info(
        { keys },
        'everything is sealed with the first secretKey; previous ones can be removed from the list',
      );
    return isComplete;
  };

  const loop = createLoop({
    name: 'resealer',
    clock,
    logger,
    everyMs: AGAIN_MS,
    pass: async () => {
      if (!isDone) isDone = await reseal();
      return { more: false, nextAt: null };
    },
  });
  return {
    start() {
      isStopping = false;
      loop.start();
    },
    async stop() {
      isStopping = true;
      await loop.stop();
    },
  };
}
