/**
 * Remembers which events have been dealt with. Every method may reject: the request then gets a 500, so
 * that the sender tries again.
 *
 * `claim` must be atomic: of several calls at the same time for one id, in any number of processes, one gets
 * `claimed`. The README has one for Postgres and one for Redis.
 */
export interface EventStore {
  /**
   * Takes the event for `leaseSeconds`, unless it is taken or done. A lease that has run out is as good as none: its
   * process has died.
   */
  claim(eventId: string, claim: ProcessingClaim): Promise<ClaimResult>;
  /** Notes that the event has been dealt with, whether or not the lease still holds. Forgets it after `keepSeconds`. */
  markDone(eventId: string, keepSeconds: number): Promise<void>;
  /** Gives a claim back, so that the next attempt may have it. Only the claim with this token, and never a done event. */
  release(eventId: string, token: string): Promise<void>;
}

export interface ProcessingClaim {
  /** Random, another one for each claim: shows whose claim it is once a lease has run out and another has begun. */
  readonly token: string;
  readonly leaseSeconds: number;
}

/** `in_progress`: another request holds the claim. `done`: there is nothing left to do. */
export type ClaimResult = 'claimed' | 'in_progress' | 'done';
