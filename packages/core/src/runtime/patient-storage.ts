import { doublingDelay } from '../domain/backoff.ts';
import type { Clock } from '../ports/clock.ts';
import { pause } from './deadline.ts';
import { wrapCalls } from './wrap-methods.ts';

const AGAIN = { firstMs: 1_000, longestMs: 10_000 };

interface Patience {
  readonly clock: Clock;
  /** Returns true once the result is no longer needed, which makes an error final. */
  readonly isOver: () => boolean;
  readonly failed: (error: unknown) => void;
}

/**
 * Returns the same storage, or one of its stores, with each call repeated until it succeeds. Use it for
 * idempotent writes, such as storing what a network delivers.
 */
export function patientStorage<Port extends object>(port: Port, patience: Patience): Port {
  return wrapCalls(port, (call) => repeated(async () => call(), patience));
}

async function repeated<Value>(
  call: () => Promise<Value>,
  { clock, isOver, failed }: Patience,
): Promise<Value> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      failed(error);
      if (isOver()) throw error;
      await pause(clock, doublingDelay(failures, AGAIN));
      if (isOver()) throw error;
    }
  }
}
