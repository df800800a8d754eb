import { createTokenBucket } from '../runtime/token-bucket.ts';

/**
 * The maximum number of leases per claim. When another process crashes, one process should not take thousands of
 * instances at once.
 */
export const CLAIM_BATCH = 20;
/**
 * The wait before the next claim while at least a batch of connections has yet to open. Processes that start
 * together thus share the instances by how fast they open connections, and the first process does not take
 * them all.
 */
const CLAIM_PAUSE_MS = 200;
/**
 * This process stops claiming a backlog while this many of its instances wait to begin their first connection, because
 * another process may open the next ones sooner.
 */
const MAX_WAITING = 100;
/**
 * How many fruitless claims a burst of signals may trigger; further claims are `CLAIM_PAUSE_MS` apart. A process
 * gets a signal for every instance that another process changes: hundreds may come in a second, with nothing
 * to claim.
 */
const FRUITLESS_CLAIMS = 100;

/** Decides when a process claims instances: immediately if some may be free, and rarely otherwise. */
export interface ClaimSchedule {
  /** Notes that another process may have freed an instance. */
  noteFree(): void;
  /** Called once it is known how far ahead other processes' clocks are: the next pass renews and claims. */
  begin(): void;
  /** Whether to renew the leases before the next claim, even if no renewal is due. */
  renewsFirst(): boolean;
  noteRenewal(): void;
  /**
   * Whether to claim now. `isRenewal`: the leases have just been renewed; a claim is then due unless
   * a batch is still opening.
   */
  isDue(now: number, isRenewal: boolean): boolean;
  /** When to claim next if nothing happens earlier. */
  nextAt(): number;
  /**
   * Claims at most `CLAIM_BATCH` instances with `ask`. `mayTakeAhead`: whether `ask` may take leases that end
   * impossibly far in the future; false before `begin` was called.
   */
  claim<Claimed>(
    { now, isRenewal }: { readonly now: number; readonly isRenewal: boolean },
    ask: (mayTakeAhead: boolean) => Promise<readonly Claimed[]>,
  ): Promise<readonly Claimed[]>;
}

interface ScheduleOptions {
  /**
   * Counts held instances whose first connection has neither opened nor failed; `waiting` counts those
   * that have not begun to open.
   */
  untried(): { readonly all: number; readonly waiting: number };
  /** When to look for handed-over instances, if the last look was at `lookedAt`. */
  lookAt(lookedAt: number): number;
}

export function createClaimSchedule({ untried, lookAt }: ScheduleOptions): ClaimSchedule {
  const fruitless = createTokenBucket({ burst: FRUITLESS_CLAIMS, everyMs: CLAIM_PAUSE_MS });
  /** Whether an instance that this process does not hold has changed since the last claim began. */
  let mayBeFree = false;
  /** True from the start and again from `begin`, until a claim takes less than a full batch. */
  let isStarting = true;
  /**
   * While this is false, a lease that seems to end impossibly far in the future may be valid: this process's clock may
   * be wrong.
   */
  let knowsLeads = false;
  let renewsFirst = false;
  let claimedAt = -Infinity;
  /** When the pause ends after a claim that may have left instances; else 0. */
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
      // While too many instances wait, no timer is needed, because a connection that opens or fails triggers a pass.
      if (claimAgainAt > 0) return untried().waiting < MAX_WAITING ? claimAgainAt : Infinity;
      return Math.min(lookAt(claimedAt), mayBeFree ? fruitless.nextAt() : Infinity);
    },
    async claim({ now, isRenewal }, ask) {
      const isSignalled = mayBeFree;
      claimedAt = now;
      // Reset before asking, because this claim may miss changes during it.
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
        // The repeated pass renews first, so that it may also take leases that end impossibly far in the future.
        renewsFirst = true;
        throw error;
      }
    },
  };
}
