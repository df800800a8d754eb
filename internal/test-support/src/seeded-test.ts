import type { TestContext } from 'vitest';

/** Returns an integer from 0 to `below` - 1. */
export type RandomNumber = (below: number) => number;

/**
 * Random numbers for a test, different in each run. The report of a failure shows the seed, and `TEST_SEED=…` gives the
 * test the same numbers again. The timing of other processes is not repeated.
 */
export function randomInTest({ annotate }: Pick<TestContext, 'annotate'>): RandomNumber {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  // No await, because the end of the test waits for the annotation.
  void annotate(`Random numbers of TEST_SEED=${seed}: set it to repeat them.`);
  return randomFrom(seed);
}

/**
 * Gives the same numbers for the same seed (mulberry32), much faster than a property tester, because some tests need a
 * million.
 */
export function randomFrom(seed: number): RandomNumber {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below) >>> 0;
  };
}
