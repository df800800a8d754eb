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
  /** The index of the call in the array of calls in flight; -1 once the call has ended. */
  place: number;
}

export function createCallWatch(clock: Pick<Clock, 'elapsed' | 'setTimer'>): CallWatch {
  /** Unordered. This is not a Set, because adding to a Set and deleting from it takes longer than many calls do. */
  const calls: Call[] = [];
  let isOpen = false;
  let cancelLook: (() => void) | null = null;

  const planLook = (): void => {
    if (cancelLook || calls.length === 0) return;
    const dueAt = clock.elapsed() + LOOK_MS;
    cancelLook = clock.setTimer(LOOK_MS, () => {
      cancelLook = null;
      // After a suspension, the process has not read the results that arrived, so do not count that time.
      if (clock.elapsed() - dueAt < LOOK_MS) look();
      planLook();
    });
  };

  const remove = (call: Call): void => {
    const last = calls.at(-1);
    if (call.place < 0 || !last) return;
    last.place = call.place;
    calls[call.place] = last;
    calls.pop();
    call.place = -1;
  };

  const look = (): void => {
    for (const call of calls.slice()) {
      call.looksLeft -= 1;
      if (call.looksLeft > 0 || call.place < 0) continue;
      remove(call);
      call.late();
    }
  };

  return {
    begin(ms, late) {
      if (!isOpen) return () => undefined;
      // One more look, because the first may come immediately.
      const call: Call = { looksLeft: Math.ceil(ms / LOOK_MS) + 1, late, place: calls.length };
      calls.push(call);
      // Not cancelled when the last call ends, because the next call can use the planned look.
      planLook();
      return () => remove(call);
    },
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      cancelLook?.();
      cancelLook = null;
      for (const call of calls.splice(0)) call.place = -1;
    },
  };
}
