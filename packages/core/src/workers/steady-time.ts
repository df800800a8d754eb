/** How fast time passes while it is ahead of its reference: an hour is made up for in twenty. */
export const SLOWED = 0.95;

/** Epoch milliseconds that never go back. */
export interface SteadyTime {
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
export function steadyTime(elapsed: () => number): SteadyTime {
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
