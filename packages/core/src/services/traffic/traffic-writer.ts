import { createLoop } from '../../runtime/loop.ts';
import type { Worker } from '../../runtime/loop.ts';
import type { ServiceContext } from '../context.ts';
import type { CountedTraffic } from './traffic-counter.ts';

/** How often counts are written, and so how much of them a crash can lose. */
const WRITE_EVERY_MS = 10_000;

/**
 * Adds the counts of this process to the stored ones, in one transaction every ten seconds and at the stop. Counts that
 * cannot be written stay in memory until they can.
 */
export function createTrafficWriter(
  { storage, clock, logger }: Pick<ServiceContext, 'storage' | 'clock' | 'logger'>,
  counted: CountedTraffic,
): Worker {
  let hasFailed = false;

  const write = async (): Promise<void> => {
    const { rows, leftOut } = counted.take();
    if (leftOut > 0)
      logger.warn(
        { leftOut },
        'counts of messages and webhooks are incomplete, because too many waited for the database: check the database',
      );
    if (rows.length === 0) return;
    try {
      await storage.traffic.add(rows);
      hasFailed = false;
    } catch (error) {
      counted.putBack(rows);
      logger[hasFailed ? 'debug' : 'warn'](
        { err: error },
        'counts of messages and webhooks could not be written: they stay in memory and are written as soon as the database takes them; check the database',
      );
      hasFailed = true;
    }
  };

  const loop = createLoop({
    name: 'traffic writer',
    clock,
    logger,
    everyMs: WRITE_EVERY_MS,
    async pass() {
      await write();
      return { more: false, nextAt: null };
    },
  });

  return {
    start: loop.start,
    async stop() {
      await loop.stop();
      await write();
      const { rows } = counted.take();
      if (rows.length > 0)
        logger.warn(
          { rows: rows.length },
          'the latest counts of messages and webhooks are lost, because the database did not take them before the stop; nothing else is',
        );
    },
  };
}
