import type { Clock } from '../ports/clock.ts';
import { pause } from '../runtime/deadline.ts';

/** How long an outcome waits when the storage does not take it. */
const AGAIN_MS = 1_000;
/** Outcomes that wait for another claim: memory stays bounded. Beyond it, the oldest attempts are made again. */
const MOST_KEPT = 4_096;

/** How the recording of an outcome ended. */
type Recorded =
  | 'recorded'
  | 'claim_lost'
  /** The claim was lost, or an earlier try recorded the outcome and its answer was lost: the next claim, or none, shows it. */
  | 'uncertain'
  /** The storage has not taken it in time. */
  | 'given_up';

/**
 * The outcomes of attempts that were made under a claim. An outcome that could not be recorded is kept: when this process
 * claims the same work again, the outcome is recorded, and the attempt is not made again.
 */
export interface AttemptOutcomes<Outcome> {
  /** Takes the outcome of an attempt that this process has made already, as its first, second or third. */
  takeKept(id: string, attempt: number): Outcome | undefined;
  record(
    of: { readonly id: string; readonly attempt: number; readonly outcome: Outcome },
    how: {
      /** Epoch milliseconds. */
      readonly until: number;
      /** Returns how many outcomes were recorded. */
      readonly write: () => Promise<number>;
      /** Called at each failure. */
      readonly failed: (error: unknown) => void;
    },
  ): Promise<Recorded>;
}

/** Once the process `isStopping`, each outcome is tried once more at most. */
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
      // From the start: the claim may be lost, and made again, while a write hangs.
      keep(id, own);
      for (;;) {
        // Before the last try, which may be the one that a stop waits for.
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
