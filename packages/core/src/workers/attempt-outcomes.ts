import type { Clock } from '../ports/clock.ts';
import { pause } from '../runtime/deadline.ts';

/** The wait before a failed write of an outcome is repeated. */
const AGAIN_MS = 1_000;
/**
 * The maximum number of outcomes kept for another claim, to bound memory. Beyond it, the oldest is dropped, so its
 * attempt may be repeated.
 */
const MOST_KEPT = 4_096;

type Recorded =
  | 'recorded'
  | 'claim_lost'
  /**
   * The claim was lost, or an earlier write that seemed to fail recorded the outcome. The next claim shows
   * which.
   */
  | 'uncertain'
  /** All writes failed, including the last one, after `until` or during a stop. */
  | 'given_up';

/**
 * The outcomes of attempts that were made under a claim. An outcome that could not be recorded is kept: when this
 * process claims the same work again, the outcome is recorded, and the attempt is not repeated.
 */
export interface AttemptOutcomes<Outcome> {
  /** Removes and returns the kept outcome of an attempt; attempts count from 1. */
  takeKept(id: string, attempt: number): Outcome | undefined;
  record(
    of: { readonly id: string; readonly attempt: number; readonly outcome: Outcome },
    how: {
      /** Epoch milliseconds. A write that begins at this time or later is not repeated. */
      readonly until: number;
      /** Returns how many outcomes were recorded. */
      readonly write: () => Promise<number>;
      /** Called for each failed write. */
      readonly failed: (error: unknown) => void;
    },
  ): Promise<Recorded>;
}

/** Once `isStopping()` is true, an outcome is written at most once more. */
export function attemptOutcomes<Outcome>(clock: Clock, isStopping: () => boolean): AttemptOutcomes<Outcome> {
  const kept = new Map<string, Kept<Outcome>>();

  const keep = (id: string, one: Kept<Outcome>): void => {
    kept.set(id, one);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  };

  return {
    takeKept(id, attempt) {
      const found = kept.get(id);
      kept.delete(id);
      return found?.attempt === attempt ? found.outcome : undefined;
    },
    async record({ id, attempt, outcome }, { until, write, failed }) {
      const own: Kept<Outcome> = { attempt, outcome };
      let failures = 0;
      // Keep the outcome from the start: while a write hangs, the claim may be lost and taken again.
      keep(id, own);
      for (;;) {
        // Decide before the write, so that a stop that begins during it still allows one more.
        const isLast = isStopping() || clock.now() >= until;
        try {
          const isRecorded = (await write()) > 0;
          if (isRecorded && kept.get(id) === own) kept.delete(id);
          if (isRecorded) return 'recorded';
          return failures === 0 ? 'claim_lost' : 'uncertain';
        } catch (error) {
          failures += 1;
          failed(error);
          if (isLast) return 'given_up';
        }
        await pause(clock, AGAIN_MS);
      }
    },
  };
}

interface Kept<Outcome> {
  readonly attempt: number;
  readonly outcome: Outcome;
}
