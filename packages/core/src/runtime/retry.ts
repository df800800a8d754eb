import { doublingDelay } from '../domain/backoff.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { UnavailableError } from '../ports/unavailable-error.ts';
import { pause } from './deadline.ts';

/**
 * Repeats the work until it succeeds, and returns its value. Once `until` has come, or if the error is final, rejects
 * with the last error instead.
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
 * Looks until `look` finds something: immediately, at every wake-up and every `everyMs`. Returns null once
 * `timeoutMs` have passed.
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

/** A hundred concurrent changes can overtake each other this many times. */
const TRIES_WITHOUT_PAUSE = 100;
const MOST_TRIES = 110;
const OVERTAKEN = { firstMs: 10, longestMs: 5_000 };

/**
 * Returns a function to await before each attempt at a change that is decided again if another write came in
 * between. After a hundred attempts the function pauses longer and longer, which is logged; about ten seconds
 * later, it rejects with an `UnavailableError`.
 */
export function changeTries(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  change: string,
): () => Promise<void> {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= TRIES_WITHOUT_PAUSE) return;
    if (tries > MOST_TRIES)
      throw new UnavailableError(`${change} was overtaken by another change ${MOST_TRIES} times.`);
    if (tries === TRIES_WITHOUT_PAUSE + 1)
      logger.warn(
        { change },
        'a change is overtaken by other changes again and again, so it pauses, and is given up after some ten seconds: look for what writes the same rows all the time, or a database that does not take writes',
      );
    await pause(clock, doublingDelay(tries - TRIES_WITHOUT_PAUSE - 1, OVERTAKEN));
  };
}
