import type { Clock } from '../ports/clock.ts';

/** How often calls in flight are checked, which limits the precision of `ms`. */
const LOOK_MS = 5_000;

/**
 * Watches calls in flight, with one timer for all of them, because a timer for each call would cost more than
 * many calls do.
 */
export interface CallWatch {
  /**
   * Calls `late` once if the call has not ended, between `ms` and `ms` + 5 s after the start. Returns a
   * function that reports the end of the call.
   */
  begin(ms: number, late: () => void): () => void;
  open(): void;
  /** Stops watching calls until `open`, so that no timer keeps the process running. */
  close(): void;
}

interface Call {
  looksLeft: number;
  readonly late: () => void;
}

export function createCallWatch(clock: Pick<Clock, 'elapsed' | 'setTimer'>): CallWatch {
  const calls = new Set<Call>();
  let isOpen = false;
  let cancelLook: (() => void) | null = null;

  const planLook = (): void => {
    if (cancelLook || calls.size === 0) return;
    const dueAt = clock.elapsed() + LOOK_MS;
    cancelLook = clock.setTimer(LOOK_MS, () => {
      cancelLook = null;
      // After a suspension, the process has not read the results that arrived, so do not count that time.
      if (clock.elapsed() - dueAt < LOOK_MS) look();
      planLook();
    });
  };

  const look = (): void => {
    for (const call of calls) {
      call.looksLeft -= 1;
      if (call.looksLeft > 0) continue;
      calls.delete(call);
      call.late();
    }
  };

  return {
    begin(ms, late) {
      if (!isOpen) return () => undefined;
      // One more look, because the first may come immediately.
      const call: Call = { looksLeft: Math.ceil(ms / LOOK_MS) + 1, late };
      calls.add(call);
      // Not cancelled when the last call ends, because the next call can use the planned look.
      planLook();
      return () => calls.delete(call);
    },
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      cancelLook?.();
      cancelLook = null;
      calls.clear();
    },
  };
}
