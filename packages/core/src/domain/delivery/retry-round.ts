/**
 * A run of retry-failed calls at one endpoint, which is to give each delivery that had failed when it began one more
 * attempt, and then to end; or of `retryFailedEvents` calls, with the exhausted events of one subscription. What fails again
 * meanwhile is of the next round: counted in `remaining`, it would keep a loop going for as long as the receiver refuses.
 */
export interface RetryRound {
  /** Epoch milliseconds, as all times here. */
  readonly beganAt: number;
  /** The latest call. */
  readonly calledAt: number;
}

/** Calls further apart than this are of two rounds: the caller of the first has given up. */
const ROUND_PAUSE_MS = 60 * 60 * 1000;

/** What a call does with what has failed. */
export interface RetryBatch<Failed> {
  /** Gets its attempt now. */
  readonly chosen: readonly Failed[];
  /** How many of the others wait for theirs in this round. */
  readonly remaining: number;
  /** The round that is in progress after the call; null once nothing is left in it. */
  readonly round: RetryRound | null;
}

/** Takes up to `limit` of what has failed, which comes in the order in which it is attempted. `failedAt` is null for what was never attempted. */
export function takeRetryBatch<Failed>(
  failed: readonly Failed[],
  call: {
    readonly limit: number;
    readonly now: number;
    readonly round: RetryRound | null;
    readonly failedAt: (one: Failed) => number | null;
  },
): RetryBatch<Failed> {
  const { limit, now, failedAt } = call;
  const round = joinRound(call.round, now);
  const remaining = failed.slice(limit).filter((one) => waitsInRound(failedAt(one), round)).length;
  return { chosen: failed.slice(0, limit), remaining, round: remaining > 0 ? round : null };
}

/** The round of a call made now: the one that is in progress, or a new one. */
function joinRound(round: RetryRound | null, now: number): RetryRound {
  const isInProgress = round !== null && round.calledAt <= now && now - round.calledAt <= ROUND_PAUSE_MS;
  return { beganAt: isInProgress ? round.beganAt : now, calledAt: now };
}

/** Whether what has failed still waits for its attempt of this round. */
function waitsInRound(lastAttemptAt: number | null, { beganAt }: RetryRound): boolean {
  return lastAttemptAt === null || lastAttemptAt < beganAt;
}
