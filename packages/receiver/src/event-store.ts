/**
 * Remembers which events have been handled. Every method may reject: the request then gets a 500, so that the sender
 * tries again.
 *
 * `claim` must be atomic: of several calls at the same time for one id, in any number of processes, one gets
 * `claimed`. The README has one for Postgres and one for Redis.
 */
export interface EventStore {
  /**
   * Claims the event for `leaseSeconds`, unless another request has claimed it or it is done. A lease that has run out
   * does not count: its process has died.
   */
  claim(eventId: string, claim: ProcessingClaim): Promise<ClaimResult>;
  /** Notes that the event was handled, whether or not the lease still holds. Forgets it after `keepSeconds`. */
  markDone(eventId: string, keepSeconds: number): Promise<void>;
  /**
   * Releases a claim, so that the next attempt can claim the event. Only the claim with this token, and never a done
   * event.
   */
  release(eventId: string, token: string): Promise<void>;
}

/** One request's claim of an event. */
export interface ProcessingClaim {
  /** A new random text for each claim. It distinguishes the claims if a lease has run out and another one has begun. */
  readonly token: string;
  /** How many seconds the claim lasts, unless it is released before. */
  readonly leaseSeconds: number;
}

/** `in_progress`: another request holds the claim. `done`: there is nothing left to do. */
export type ClaimResult = 'claimed' | 'in_progress' | 'done';
