/**
 * A series of retry-failed calls for one endpoint, which gives one more attempt to each delivery that had failed when
 * the round began, and then ends. The `retryFailedEvents` calls for the exhausted events of one subscription form such
 * rounds too. A delivery or event that fails during the round belongs to the next round, because a loop of calls until
 * `remaining` is 0 would otherwise run for as long as the receiver refuses.
 */
export interface RetryRound {
  /** Epoch milliseconds, like all times here. */
  readonly beganAt: number;
  /** When the latest call was made. */
  readonly calledAt: number;
}

/**
 * Calls further apart than this belong to two rounds, because the caller is assumed to have given up the first round.
 */
const ROUND_PAUSE_MS = 60 * 60 * 1000;

/** The part of the failed deliveries or events that a call takes. */
export interface RetryBatch<Failed> {
  /** The deliveries or events to try now. */
  readonly chosen: readonly Failed[];
  /** How many more deliveries or events wait for their attempt in this round. */
  readonly remaining: number;
  /** The round after this call; null if nothing remains. */
  readonly round: RetryRound | null;
}

/**
 * Takes the first `limit` failed deliveries or events, which the caller has sorted: those never attempted first, then
 * those attempted longest ago. `failedAt` returns null for one that was never attempted.
 */
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

/** The round of a call made now: the round in progress, or a new round. */
function joinRound(round: RetryRound | null, now: number): RetryRound {
  const isInProgress = round !== null && round.calledAt <= now && now - round.calledAt <= ROUND_PAUSE_MS;
  return { beganAt: isInProgress ? round.beganAt : now, calledAt: now };
}

function waitsInRound(lastAttemptAt: number | null, { beganAt }: RetryRound): boolean {
  return lastAttemptAt === null || lastAttemptAt < beganAt;
}
