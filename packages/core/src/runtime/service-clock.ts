import * as z from 'zod';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { createLoop } from './loop.ts';
import { referenceTime } from './reference-time.ts';

/** The setting in which a process notes how far its time is ahead of the reference. */
const LEAD = 'time_lead';
/** A smaller lead needs no agreement, because no lease and no limit depends on it. */
const LEAST_LEAD_MS = 100;
/** The smallest lead to warn an operator about. */
const WARN_FROM_MS = 1_000;
/**
 * How long a starting process waits, in intervals between looks, so that each running process has looked once and noted
 * its lead.
 */
const LOOKS_OF_OTHERS = 1.5;

/** The clock that a whole process uses, and the calls that keep it correct. */
export interface ServiceClock {
  readonly clock: Clock;
  /** The time of the reference, in epoch milliseconds, which may be set back. */
  readonly wallTime: () => number;
  /** Rejects if the time cannot be read. */
  start(): Promise<void>;
  /**
   * Resolves once the lead of every running process is known. At the start a lead may be unknown, because running
   * processes note a lead only when they next look after the clock was set back.
   */
  leadsKnown(): Promise<void>;
  stop(): Promise<void>;
}

const storedLead = z.object({ aheadMs: z.number(), notedAt: z.number() });

/**
 * A clock that never goes back, and that processes on one database agree on. It follows the reference. If the reference
 * is set back, the running processes keep their time, ahead of the reference by a lead that shrinks. They note the lead
 * in the database, and a process that starts then adopts the lead, because it would otherwise find their leases in the
 * future, and they would find its leases in the past. Once no process runs, the lead is gone, and the next process
 * follows the reference again.
 */
export function serviceClock(
  local: Clock,
  { storage, logger }: { readonly storage: Storage<unknown>; readonly logger: Logger },
): ServiceClock {
  const reference = referenceTime(local, storage, logger);
  let time = steadyTime(local.elapsed);
  let warned = false;
  let known = Promise.withResolvers<void>();
  let knownFrom = Infinity;
  let cancelLook = (): void => {};

  const clock: Clock = {
    now() {
      const now = reference.now();
      return now === null ? local.now() : time.follow(now);
    },
    elapsed: local.elapsed,
    setTimer: local.setTimer,
  };

  /** How far the time is ahead of `now`, the time of the reference. */
  const leadAt = (now: number): number => time.follow(now) - now;

  const agree = async (): Promise<void> => {
    const others = await othersLead();
    const now = reference.now();
    if (now === null) return;
    const missing = others(now) - leadAt(now);
    if (missing >= LEAST_LEAD_MS) time.moveAhead(missing);
    const aheadMs = leadAt(now);
    if (aheadMs >= LEAST_LEAD_MS) {
      await storage.replaceSetting(LEAD, JSON.stringify({ aheadMs, notedAt: now }));
    }
    warnOfLead(aheadMs);
  };

  const othersLead = async (): Promise<(now: number) => number> => {
    const stored = await storage.setting(LEAD, '');
    if (stored === '') return () => 0;
    const { aheadMs, notedAt } = storedLead.parse(JSON.parse(stored));
    return (now) => {
      const age = now - notedAt;
      // A lead noted in the future is from before the clock was set back again.
      const isPresent = age > -LEAST_LEAD_MS && age <= reference.withinMs;
      return isPresent ? aheadMs - age * (1 - SLOWED) : 0;
    };
  };

  const warnOfLead = (aheadMs: number): void => {
    const isLarge = aheadMs >= WARN_FROM_MS;
    if (isLarge && !warned)
      logger.warn(
        { aheadMs: Math.round(aheadMs) },
        'the clock was set back: time continues from where it was, slightly slowed, until the clock has caught up; to follow the clock immediately, stop all processes on this database and start them again',
      );
    warned = isLarge;
  };

  const loop = createLoop({
    name: 'clock',
    clock: local,
    logger,
    everyMs: reference.everyMs,
    pass: async () => {
      const lookedAt = local.elapsed();
      await reference.refresh();
      await agree();
      if (lookedAt >= knownFrom) known.resolve();
      return { more: false, nextAt: null };
    },
  });

  return {
    clock,
    wallTime: () => Math.round(reference.now() ?? local.now()),
    async start() {
      await reference.startFollowing();
      // Nothing ran before, so earlier reads of the time do not count.
      time = steadyTime(local.elapsed);
      await agree();
      known = Promise.withResolvers();
      const untilKnownMs = LOOKS_OF_OTHERS * reference.everyMs;
      knownFrom = local.elapsed() + untilKnownMs;
      cancelLook = local.setTimer(untilKnownMs, () => loop.wake());
      loop.start();
    },
    leadsKnown: () => known.promise,
    async stop() {
      cancelLook();
      await loop.stop();
      const now = reference.now();
      if (now === null || leadAt(now) < LEAST_LEAD_MS) return;
      // Processes that still run note their lead again.
      await storage.replaceSetting(LEAD, '').catch((error: unknown) => {
        logger.debug({ err: error }, 'the lead of the time could not be erased: it expires by itself');
      });
    },
  };
}

/** The rate of time while it is ahead of its reference. A lead of one hour is gone after 20 hours. */
const SLOWED = 0.95;

/** Epoch milliseconds that never go back. */
interface SteadyTime {
  /** Returns the time for `reference`, the reading of a clock that may be set at any moment. */
  follow(reference: number): number;
  moveAhead(ms: number): void;
}

/**
 * Follows its reference, even when that jumps ahead, as after a machine's sleep. If the reference is set
 * back, the time follows the monotonic clock, slightly slowed, until the reference has caught up, so that a
 * wait for a time takes about as long as before.
 */
function steadyTime(elapsed: () => number): SteadyTime {
  let last: { readonly time: number; readonly at: number } | null = null;
  return {
    follow(reference) {
      const at = elapsed();
      const time = last ? Math.max(reference, last.time + (at - last.at) * SLOWED) : reference;
      last = { time, at };
      return Math.round(time);
    },
    moveAhead(ms) {
      if (last) last = { time: last.time + ms, at: last.at };
    },
  };
}
