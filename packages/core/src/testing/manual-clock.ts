import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../ports/clock.ts';

/** A clock whose time only changes when a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward, and calls each timer at its own time. Before time moves on, the work that a timer
   * started runs until it waits for something outside this process.
   */
  advance(ms: number): Promise<void>;
  /** Lets pending work run without moving time. */
  settle(): Promise<void>;
  /** Shifts the clock, as an operating system may: calls no timer, and makes no timer wait longer. */
  jump(ms: number): void;
}

interface Timer {
  at: number;
  readonly callback: () => void;
}

/** How many rounds of the event loop `settle` gives pending work. */
const ROUNDS = 20;

/**
 * After this many timers in a row that only computed, each further timer gets a single round, because a test
 * of an eventless day would spend nearly all its time on rounds in which nothing happens.
 */
const COMPUTING = 50;

/**
 * The number of async resources that a round and its measurement create. If a runtime counts differently, each timer
 * gets all rounds.
 */
const OWN = 2;

/** A clock for tests, which stands still until `advance` moves it and calls the timers that are due. */
export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  let jumped = 0;
  const timers = new Set<Timer>();

  /** How many timers in a row started no work that takes a round of the event loop. */
  let computed = 0;

  const settle = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) await nextRound();
  };
  const callAll = async (due: readonly Timer[]): Promise<void> => {
    const before = begun();
    for (const timer of due) if (timers.delete(timer)) timer.callback();
    await nextRound();
    computed = begun() - before === OWN ? computed + due.length : 0;
    if (computed < COMPUTING) await settle();
  };
  /** The timers that are due first, in the order in which they were set. */
  const next = (until: number): readonly Timer[] => {
    let due: Timer[] = [];
    for (const timer of timers) {
      const first = due[0]?.at ?? until;
      if (timer.at < first) due = [timer];
      else if (timer.at === first) due.push(timer);
    }
    return due;
  };

  return {
    now: () => now,
    elapsed: () => now - jumped,
    setTimer(delayMs, callback) {
      const timer: Timer = { at: now + Math.max(0, delayMs), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    settle,
    jump(ms) {
      now += ms;
      jumped += ms;
      // Timers count on the monotonic clock, which was not set back.
      if (ms < 0) for (const timer of timers) timer.at += ms;
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let due = next(end); due[0]; due = next(end)) {
        now = Math.max(now, due[0].at);
        await callAll(due);
      }
      now = end;
    },
  };
}

/** Counts the work started so far that ends in a later round: I/O, immediates and jobs of a thread, not promises. */
function begun(): number {
  return new AsyncResource('ManualClock').asyncId();
}

/** Waits one turn of the event loop, so that finished I/O is handled too. */
function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
