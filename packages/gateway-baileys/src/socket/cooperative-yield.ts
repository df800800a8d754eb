import type { Clock } from '@trunkline/core/spi/gateway';

/** How long one instance may keep the others in the process waiting. */
const LONGEST_MS = 10;

/**
 * Returns a function to await before each of many small pieces of work, so that other work can run in between. Without
 * it, encrypting for a group of a thousand members blocks the process for seconds.
 */
export function cooperativeYield({ elapsed }: Pick<Clock, 'elapsed'>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let since = elapsed();
  const turn = async (): Promise<void> => {
    if (elapsed() - since < LONGEST_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = elapsed();
  };
  return () => {
    last = last.then(turn);
    return last;
  };
}
