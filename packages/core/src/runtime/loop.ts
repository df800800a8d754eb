import { doublingDelay } from '../domain/backoff.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { isLogged } from './port-guard.ts';

/** The result of a pass, which decides when the next pass runs. */
export interface PassResult {
  /** Whether there is more to do now. */
  readonly more: boolean;
  /** When the next work is due, in epoch milliseconds; null if no time is known. */
  readonly nextAt: number | null;
}

/**
 * Runs each step even if others fail, and then rejects with the first error, because a failure of one step, or of one
 * item, must not stop the others.
 */
export async function eachStep(steps: Iterable<() => Promise<void>>): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Work in the background that can be started and stopped. */
export interface Worker {
  start(): void;
  /** Starts no more passes, and resolves when the current pass has ended. */
  stop(): Promise<void>;
}

interface Loop extends Worker {
  /** Starts a pass immediately, or after the current pass. */
  wake(): void;
}

interface LoopOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The longest time between two passes, because a worker must work without signals, too. */
  readonly everyMs: number;
  readonly pass: () => Promise<PassResult>;
}

/**
 * The delay after a failed pass, which is short because a broken connection to the database is soon replaced.
 * It doubles with each further failure, up to `everyMs`.
 */
const AGAIN_MS = 1_000;

/**
 * The maximum number of passes in a second, because a storage that reports more work without end must not keep the
 * machine busy.
 */
const MOST_PASSES = 1_000;

/**
 * Runs passes one after another: immediately while there is more to do, else when woken, when something is due, or
 * after `everyMs`.
 */
export function createLoop({ name, clock, logger, everyMs, pass }: LoopOptions): Loop {
  let running = false;
  let passing: Promise<void> | null = null;
  let woken = false;
  /** Failures in a row. */
  let failures = 0;
  let second = { from: -Infinity, passes: 0 };
  let cancelTimer = (): void => {};

  const next = (): void => {
    cancelTimer();
    if (!running) return;
    if (passing) {
      woken = true;
      return;
    }
    passing = passAndPlan();
  };

  const passAndPlan = async (): Promise<void> => {
    const delayMs = await onePass();
    passing = null;
    if (woken || delayMs <= 0) {
      woken = false;
      next();
    } else if (running) {
      cancelTimer = clock.setTimer(delayMs, next);
    }
  };

  const onePass = async (): Promise<number> => {
    try {
      const { more, nextAt } = await pass();
      failures = 0;
      if (more) return isSpinning() ? AGAIN_MS : 0;
      return nextAt === null ? everyMs : Math.min(everyMs, Math.max(1, nextAt - clock.now()));
    } catch (error) {
      logger[isLogged(error) ? 'debug' : 'error'](
        { err: error, worker: name },
        'a worker pass failed and is repeated: if this continues, check the database',
      );
      failures += 1;
      return doublingDelay(failures - 1, { firstMs: AGAIN_MS, longestMs: everyMs });
    }
  };

  const isSpinning = (): boolean => {
    const now = clock.elapsed();
    if (now - second.from >= 1_000) second = { from: now, passes: 0 };
    second.passes += 1;
    if (second.passes < MOST_PASSES) return false;
    logger.warn(
      { worker: name },
      'a worker found more to do in each of a thousand passes within a second, so it pauses for a second each time: look for a database that does not carry out what it is given, or report it as a defect',
    );
    return true;
  };

  return {
    start() {
      running = true;
      next();
    },
    wake: next,
    async stop() {
      running = false;
      cancelTimer();
      await passing;
    },
  };
}
