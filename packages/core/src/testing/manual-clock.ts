import type { Clock } from '../ports/clock.ts';

/** A clock whose time only changes when a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward, and calls each timer at its own moment. After each timer, the work that it started can run, as
   * far as it waits only for other code of this process, before time moves on.
   */
  advance(ms: number): Promise<void>;
  /** Lets pending work run without moving time. */
  settle(): Promise<void>;
  /** Sets the clock, as an operating system may: no timer is called, and none has to wait longer. */
  jump(ms: number): void;
}

interface Timer {
  at: number;
  readonly callback: () => void;
}

/** Rounds of the event loop that work gets to run on in. */
const ROUNDS = 20;

export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  let jumped = 0;
  const timers = new Set<Timer>();

  const settle = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) await nextRound();
  };
  const next = (until: number): Timer | undefined =>
    [...timers]
      .filter(({ at }) => at <= until)
      .reduce<Timer | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);

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
      for (let timer = next(end); timer; timer = next(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.callback();
        await settle();
      }
      now = end;
    },
  };
}

/** One turn of the event loop, so that finished I/O is seen too. */
function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
