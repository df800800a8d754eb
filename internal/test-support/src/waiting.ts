import { setTimeout } from 'node:timers/promises';

/**
 * How long a test waits for real I/O at most. It distinguishes a hang from a machine that is busy, and nothing else: what
 * a deadline says about speed depends on who else uses the machine.
 */
export const HANG_MS = 60_000;

/**
 * A limit that a test lets pass: nothing has to arrive before it does, so no machine is too slow for it. The lint rule
 * `trunkline/no-short-limit` refuses short limits that are not marked so.
 */
export function elapsing(ms: number): number {
  return ms;
}

const LOOK_EVERY_MS = 10;

// The real clock, even if a test has replaced the timers.
const now = performance.now.bind(performance);

/**
 * Repeats `look` until it returns something other than undefined, null or false, and returns that. An error of `look`
 * ends the wait, as does the end of the time.
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

/** Repeats `check` until it no longer throws, and returns its result. At the end of the time it throws what `check` threw last. */
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
