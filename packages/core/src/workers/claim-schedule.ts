import { createTurns } from '../runtime/turns.ts';

/** Leases taken in one pass, so that a crash elsewhere does not make this process open thousands of connections concurrently. */
export const CLAIM_BATCH = 20;
/**
 * As long as a batch of connections is still to open, the next leases wait this long: processes that start together
 * then share the instances by how fast they open them, and the first one does not take them all.
 */
const CLAIM_PAUSE_MS = 200;
/**
 * Instances held whose first connection waits for its turn, before this process takes no more: it would hold them
 * without being able to open them soon, where another process may.
 */
const MAX_WAITING = 100;
/**
 * Claims on the strength of signals that found nothing, before further ones wait for each other by CLAIM_PAUSE_MS: a
 * process hears of every instance that another one changes, and hundreds of those in a second are nothing to claim.
 */
const FRUITLESS_CLAIMS = 100;

/** When a process asks the storage for instances to take: immediately where it may find some, and seldom otherwise. */
export interface ClaimSchedule {
  /** Another process may have left an instance free. */
  noteFree(): void;
  /** What is ahead of this process's time is known from now on: it begins to claim, and renews its leases first. */
  begin(): void;
  /** Whether the leases are to be renewed before the next claim, out of turn. */
  renewsFirst(): boolean;
  noteRenewal(): void;
  /** Whether to claim now. `isRenewal`: the leases have just been renewed, which is when it looks in any case. */
  isDue(now: number, isRenewal: boolean): boolean;
  /** When to claim next if nothing happens before. */
  nextAt(): number;
  /**
   * Claims by `ask`, for at most CLAIM_BATCH. `mayTakeAhead`: whether it may take leases that lie too far ahead, as one
   * that has just seen that it still holds what it held.
   */
  claim<Claimed>(
    { now, isRenewal }: { readonly now: number; readonly isRenewal: boolean },
    ask: (mayTakeAhead: boolean) => Promise<readonly Claimed[]>,
  ): Promise<readonly Claimed[]>;
}

interface ScheduleOptions {
  /** Instances held whose first connection has neither opened nor failed yet; `waiting`: of these, those whose turn has not come. */
  untried(): { readonly all: number; readonly waiting: number };
  /** When to look for instances that are handed over, if the last look was at `lookedAt`. */
  lookAt(lookedAt: number): number;
}

export function createClaimSchedule({ untried, lookAt }: ScheduleOptions): ClaimSchedule {
  const fruitless = createTurns({ burst: FRUITLESS_CLAIMS, everyMs: CLAIM_PAUSE_MS });
  /** Whether an instance has changed that this process does not hold. */
  let mayBeFree = false;
  /** Until a claim has left nothing. */
  let isStarting = true;
  /** Before that, what lies ahead may be held by a process that runs, and this one's time be wrong. */
  let knowsLeads = false;
  let renewsFirst = false;
  let claimedAt = -Infinity;
  /** When to claim again at the latest, where the last claim may have left something; else 0. */
  let claimAgainAt = 0;

  return {
    noteFree() {
      mayBeFree = true;
    },
    begin() {
      knowsLeads = true;
      isStarting = true;
      renewsFirst = true;
    },
    renewsFirst: () => renewsFirst,
    noteRenewal() {
      renewsFirst = false;
    },
    isDue(now, isRenewal) {
      if (claimAgainAt > 0) {
        const { all, waiting } = untried();
        return all < CLAIM_BATCH || (now >= claimAgainAt && waiting < MAX_WAITING);
      }
      return isRenewal || isStarting || now >= lookAt(claimedAt) || (mayBeFree && fruitless.has(now));
    },
    nextAt() {
      // What opens or fails makes room, and a pass.
      if (claimAgainAt > 0) return untried().waiting < MAX_WAITING ? claimAgainAt : Infinity;
      return Math.min(lookAt(claimedAt), mayBeFree ? fruitless.nextAt() : Infinity);
    },
    async claim({ now, isRenewal }, ask) {
      const isSignalled = mayBeFree;
      claimedAt = now;
      // First: what changes while the storage is being asked may be missed by this claim.
      mayBeFree = false;
      try {
        const claimed = await ask(knowsLeads && (isRenewal || isStarting));
        if (isSignalled && claimed.length === 0) fruitless.take(now);
        const mayBeMore = claimed.length === CLAIM_BATCH;
        claimAgainAt = mayBeMore ? now + CLAIM_PAUSE_MS : 0;
        if (!mayBeMore) isStarting = false;
        return claimed;
      } catch (error) {
        mayBeFree ||= isSignalled;
        // The repeated pass asks for the same: it renews first, so that it may take what lies ahead, too.
        renewsFirst = true;
        throw error;
      }
    },
  };
}
