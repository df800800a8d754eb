import type { Clock } from '../ports/clock.ts';
import { pause } from './deadline.ts';

/**
 * Repeats the work until it succeeds, and returns its value; once `until` has come, or where the error is final, rejects with the last error
 * instead.
 */
export async function keepTrying<Value>(
  clock: Clock,
  {
    until,
    everyMs,
    isFinal = () => false,
  }: { readonly until: number; readonly everyMs: number; readonly isFinal?: (error: unknown) => boolean },
  work: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (clock.now() >= until || isFinal(error)) throw error;
      await pause(clock, everyMs);
    }
  }
}

/**
 * Looks until `look` finds something: immediately, at every wake-up and every `everyMs`. Null when `timeoutMs` have
 * passed.
 */
export async function waitFor<Found>(
  clock: Clock,
  look: () => Promise<Found | undefined>,
  options: {
    readonly timeoutMs: number;
    readonly everyMs: number;
    readonly subscribe: (wake: () => void) => () => void;
  },
): Promise<Found | null> {
  const deadline = clock.now() + options.timeoutMs;
  let wake = (): void => {};
  let woken = false;
  const unsubscribe = options.subscribe(() => {
    woken = true;
    wake();
  });
  try {
    for (;;) {
      woken = false;
      const found = await look();
      if (found !== undefined) return found;
      const left = deadline - clock.now();
      if (left <= 0) return null;
      if (woken) continue;
      await new Promise<void>((resolve) => {
        const cancel = clock.setTimer(Math.min(left, options.everyMs), resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
  } finally {
    unsubscribe();
  }
}
