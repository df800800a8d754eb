import { setTimeout } from 'node:timers/promises';

/**
 * The maximum time that a test waits for real I/O. It only distinguishes a hang from a busy machine: a shorter limit
 * would also depend on the machine's other users.
 */
export const HANG_MS = 60_000;

/**
 * Marks a time limit that a test lets pass on purpose. Nothing has to happen before it, so a slow machine does not fail
 * the test. The lint rule `trunkline/no-short-limit` refuses short limits without this mark.
 */
export function elapsing(ms: number): number {
  return ms;
}

const LOOK_EVERY_MS = 10;

// The real clock, even if a test has replaced the timers.
const now = performance.now.bind(performance);

/**
 * Repeats `look` until it returns something other than undefined, null or false, and returns that. Rejects if `look`
 * throws, or after `withinMs`.
 */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  withinMs: number = HANG_MS,
): Promise<Exclude<Value, undefined | null | false>> {
  const deadline = now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) {
      return found as Exclude<Value, undefined | null | false>; // just checked, which TypeScript does not see
    }
    if (now() > deadline) throw new Error(`Gave up after waiting ${withinMs} ms until ${what}.`);
    await setTimeout(LOOK_EVERY_MS);
  }
}

/**
 * Repeats `check` until it no longer throws, and returns its result. After `HANG_MS`, throws the last error of `check`.
 */
export async function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  const deadline = now() + HANG_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (now() > deadline) throw error;
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}
