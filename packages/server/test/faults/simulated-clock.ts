import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '@trunkline/core/spi/runtime';
import type { RealWork } from './real-work.ts';

/** A clock that a test advances, and that waits for port calls in flight: to a database, a disk or a network. */
export interface SimulatedClock extends Clock {
  /** Counts the work as in flight until it settles; time stops until then. */
  during<Value>(work: Promise<Value>): Promise<Value>;
  /** Time also stops while this work is in flight. */
  alsoAwait(work: RealWork): void;
  advance(ms: number): Promise<void>;
  settle(): Promise<void>;
}

interface Timer {
  at: number;
  readonly callback: () => void;
}

/** Consecutive rounds of the event loop without new work, after which all remaining work waits for a timer. */
const QUIET_ROUNDS = 3;
/** The maximum number of rounds if no call is in flight, in case I/O never ends. */
const MOST_ROUNDS = 400;
/** The number of async resources that are created by a round and by counting them. */
const OWN = 2;
/**
 * After this many rounds, a round takes a millisecond while calls are in flight, because faster rounds would only keep
 * the machine busy.
 */
const PATIENT_AFTER = 50;
const LONGEST_CALL_MS = 60_000;

/**
 * Like `manualClock` of `@trunkline/core/testing`, but for real databases, disks and networks, because it advances only
 * when no call is in flight.
 */
export function simulatedClock(start: number = Date.UTC(2026, 0, 1)): SimulatedClock {
  let now = start;
  let inFlight = 0;
  let real: RealWork | null = null;
  const timers = new Set<Timer>();
  const isBusy = (): boolean => inFlight > 0 || real?.isInFlight() === true;

  const settle = async (): Promise<void> => {
    const since = performance.now();
    let quiet = 0;
    for (let round = 0; quiet < QUIET_ROUNDS && (isBusy() || round < MOST_ROUNDS); round++) {
      const before = begun();
      await (isBusy() && round > PATIENT_AFTER ? (real?.wait() ?? aMillisecond()) : nextRound());
      quiet = !isBusy() && begun() - before <= OWN ? quiet + 1 : 0;
      if (performance.now() - since > LONGEST_CALL_MS) throw new Error('A call of a port does not return.');
    }
  };
  const earliest = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (!first || timer.at < first.at) first = timer;
    return first;
  };

  return {
    now: () => now,
    elapsed: () => now,
    setTimer(delayMs, callback) {
      const timer: Timer = { at: now + Math.max(0, delayMs), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async during(work) {
      inFlight += 1;
      try {
        return await work;
      } finally {
        inFlight -= 1;
      }
    },
    alsoAwait(work) {
      real = work;
    },
    settle,
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = earliest(); timer && timer.at <= end; timer = earliest()) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.callback();
        await settle();
      }
      now = end;
    },
  };
}

function begun(): number {
  return new AsyncResource('SimulatedClock').asyncId();
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function aMillisecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
