import type { Clock } from '../ports/clock.ts';

/** The machine's clock. A timer that is set keeps the process running. */
export function systemClock(): Clock {
  return { now: () => Date.now(), elapsed: () => performance.now(), setTimer };
}

/** In milliseconds. Node's setTimeout fires immediately if its delay is longer. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Counts on the monotonic clock, so that setting the system's clock moves no timer. */
function setTimer(delayMs: number, callback: () => void): () => void {
  const due = performance.now() + Math.max(0, delayMs);
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    // On a busy machine, the timer may already be due.
    const remaining = Math.max(1, Math.ceil(due - performance.now()));
    timer = setTimeout(remaining > LONGEST_TIMEOUT ? wait : finish, Math.min(remaining, LONGEST_TIMEOUT));
  };
  const finish = (): void => {
    // Node rounds its own reading of the time, so that a timeout can fire up to a millisecond early.
    if (performance.now() < due) wait();
    else callback();
  };
  wait();
  return () => clearTimeout(timer);
}
