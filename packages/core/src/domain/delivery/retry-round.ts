/**
 * A run of retry-failed calls at one endpoint, which is to give each delivery that had failed when it began one more
 * attempt, and then to end; or of `retryExhausted` calls, with the exhausted events of one subscription. What fails again meanwhile is of the next round: counted in `remaining`, it would keep a loop
 * going for as long as the receiver refuses.
 */
export interface RetryRound {
  /** Epoch milliseconds, as all times here. */
  readonly beganAt: number;
  /** The latest call. */
  readonly calledAt: number;
}

/** Calls further apart than this are of two rounds: the caller of the first has given up. */
const ROUND_PAUSE_MS = 60 * 60 * 1000;

/** The round of a call made now: the one that is in progress, or a new one. */
export function joinRound(round: RetryRound | null, now: number): RetryRound {
  const isInProgress = round !== null && round.calledAt <= now && now - round.calledAt <= ROUND_PAUSE_MS;
  return { beganAt: isInProgress ? round.beganAt : now, calledAt: now };
}

/** Whether what has failed still waits for its attempt of this round. */
export function waitsInRound(lastAttemptAt: number | null, { beganAt }: RetryRound): boolean {
  return lastAttemptAt === null || lastAttemptAt < beganAt;
}
