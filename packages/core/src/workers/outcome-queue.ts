import type { Clock } from '../ports/clock.ts';
import type {
  Completion,
  DeliveryClaim,
  DeliveryClaimResult,
  DeliveryStore,
} from '../ports/storage/delivery-store.ts';

/** The maximum number of outcomes that one claim writes. */
const MOST = 500;

/** An outcome that waits, and the write that it settles. */
export interface WaitingOutcome {
  readonly outcome: Completion;
  readonly resolve: (written: number | Promise<number>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The outcomes of webhook attempts that wait for the next claim, which writes them in its transaction. Each function
 * that writes returns the number of outcomes that were written: 0 if the claim was lost.
 */
export interface OutcomeQueue {
  writeWithClaim(outcome: Completion): Promise<number>;
  writeAlone(outcome: Completion): Promise<number>;
  /** Removes and returns the outcomes that the next claim writes. */
  take(): readonly WaitingOutcome[];
  /** Claims, and writes the outcomes. If this rejects, their writes do, too. */
  claim(claim: DeliveryClaim, taken: readonly WaitingOutcome[]): Promise<DeliveryClaimResult>;
  /** Writes all waiting outcomes without a claim. */
  writeAll(): void;
}

export function outcomeQueue(deliveries: DeliveryStore, clock: Clock): OutcomeQueue {
  const waiting: WaitingOutcome[] = [];

  const writeAlone = (outcome: Completion): Promise<number> => deliveries.complete([outcome], clock.now());

  return {
    writeAlone,
    writeWithClaim: (outcome) =>
      new Promise((resolve, reject) => {
        waiting.push({ outcome, resolve, reject });
      }),
    take: () => waiting.splice(0, MOST),
    async claim(claim, taken) {
      if (taken.length === 0) return deliveries.claim(claim);
      try {
        const outcomes = taken.map(({ outcome }) => outcome);
        const { completed, ...result } = await deliveries.completeAndClaim(outcomes, claim);
        for (const [index, { outcome, resolve }] of taken.entries()) {
          const written = completed[index];
          if (written === 'written') resolve(1);
          else resolve(written === 'claim_lost' ? 0 : writeAlone(outcome));
        }
        return result;
      } catch (error) {
        for (const { reject } of taken) reject(error);
        throw error;
      }
    },
    writeAll() {
      for (const { outcome, resolve } of waiting.splice(0)) resolve(writeAlone(outcome));
    },
  };
}
