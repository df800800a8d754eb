/**
 * Remembers which events have been handled. Every method may reject. If `claim` rejects, the request gets a 500, so
 * that the sender tries again.
 *
 * `claim` must be atomic: of concurrent calls for one id, in any number of processes, only one gets `claimed`. The
 * README has a store for Postgres and one for Redis.
 */
export interface EventStore {
  /**
   * Claims the event for `leaseSeconds`, unless the event is done or claimed by another request. A claim whose lease
   * has expired does not count, because its process is presumed dead.
   */
  claim(eventId: string, claim: ProcessingClaim): Promise<ClaimResult>;
  /** Records that the event was handled, even if the lease has expired, and forgets it after `keepSeconds`. */
  markDone(eventId: string, keepSeconds: number): Promise<void>;
  /** Releases the claim with this token, so that the next attempt can claim the event. Never reopens a done event. */
  release(eventId: string, token: string): Promise<void>;
}

/** One request's claim of an event. */
export interface ProcessingClaim {
  /** A new random text for each claim, which distinguishes it from an earlier, expired claim of the same event. */
  readonly token: string;
  /** How many seconds the claim lasts, unless it is released earlier. */
  readonly leaseSeconds: number;
}

/** `in_progress`: another request holds the claim. `done`: there is nothing left to do. */
export type ClaimResult = 'claimed' | 'in_progress' | 'done';
