import * as z from 'zod';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { createLoop } from './loop.ts';
import { referenceTime } from './reference-time.ts';

/** The setting in which a process notes that its time is ahead of the reference. */
const LEAD = 'time_lead';
/** A lead that is smaller needs no agreement: no lease and no limit depends on it. */
const LEAST_LEAD_MS = 100;
/** From here on an operator should know. */
const WARN_FROM_MS = 1_000;
/** After so many looks of a process that starts, all that run have looked once since, and noted their leads. */
const LOOKS_OF_OTHERS = 1.5;

/** The clock of a process, by which all of it goes, and how to keep it right. */
export interface ServiceClock {
  readonly clock: Clock;
  /** Rejects when the time cannot be had. */
  start(): Promise<void>;
  /**
   * Resolves once the lead of every process that runs is known. At the start it may not be: where the clock was set back
   * within the last look, nobody has noted a lead yet.
   */
  leadsKnown(): Promise<void>;
  stop(): Promise<void>;
}

const storedLead = z.object({ aheadMs: z.number(), notedAt: z.number() });

/**
 * A clock that never goes back, and that processes on one database agree on. It goes with the reference. Where that is
 * set back, the processes that run keep their time, ahead of it by a lead that shrinks; they note their lead in the
 * database, and a process that starts then adopts it: otherwise it would find their leases in the future, and they
 * its own in the past. When none of them runs any more, the lead is gone, and the next one goes by the reference again.
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

  /** How far the time is ahead of the reference, which is `now`. */
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
      // Noted in the future: before the clock was set back once more.
      const isPresent = age > -LEAST_LEAD_MS && age <= reference.withinMs;
      return isPresent ? aheadMs - age * (1 - SLOWED) : 0;
    };
  };

  const warnOfLead = (aheadMs: number): void => {
    const isLarge = aheadMs >= WARN_FROM_MS;
    if (isLarge && !warned)
      logger.warn(
        { aheadMs: Math.round(aheadMs) },
        'the clock was set back: time goes on from where it was, slightly slowed, until the clock has caught up; to go by the clock immediately, stop all processes on this database and start them again',
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
    async start() {
      await reference.startFollowing();
      // What was read before, while nothing ran, binds nobody.
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
      // Others that still run note their lead again.
      await storage.replaceSetting(LEAD, '').catch((error: unknown) => {
        logger.debug({ err: error }, 'the lead of the time could not be erased: it runs out by itself');
      });
    },
  };
}

/** How fast time passes while it is ahead of its reference: an hour is made up for in twenty. */
const SLOWED = 0.95;

/** Epoch milliseconds that never go back. */
interface SteadyTime {
  /** The time now, where `reference` is what a clock says that may be set at any moment. */
  follow(reference: number): number;
  /** From now on `ms` later. */
  moveAhead(ms: number): void;
}

/**
 * Goes with its reference where that goes on evenly, and jumps ahead with it, as after a machine's sleep. Where the
 * reference was set back, it counts on by the monotonic clock, a little slowed, until the reference has caught up: what
 * waits for a time then goes on waiting for about as long as it would have.
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
