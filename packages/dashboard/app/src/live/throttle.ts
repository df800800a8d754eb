/** The clock and the timers of the hints; tests inject their own. */
export interface Timers {
  now(): number;
  /** Returns a function that cancels the timer. */
  after(ms: number, run: () => void): () => void;
}

const FIRST_WAIT_MS = 100;
const SHORTEST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 8_000;

/**
 * Runs `run(name)` soon after a name is first given, so that a burst causes one run, and then at most once a second.
 * While the name keeps arriving, the gap doubles, up to 8 s.
 */
export function throttleByName<Name extends string>(
  run: (name: Name) => void,
  timers: Timers,
): { give(name: Name): void; stop(): void } {
  const states = new Map<Name, { lastRun: number; gap: number; cancel: (() => void) | null }>();

  const fire = (name: Name): void => {
    const state = states.get(name);
    if (!state) return;
    state.cancel = null;
    const now = timers.now();
    const wasQuiet = now - state.lastRun > 2 * state.gap;
    state.gap = wasQuiet ? SHORTEST_GAP_MS : Math.min(state.gap * 2, LONGEST_GAP_MS);
    state.lastRun = now;
    run(name);
  };

  return {
    give(name) {
      const state = states.get(name) ?? { lastRun: -Infinity, gap: SHORTEST_GAP_MS, cancel: null };
      states.set(name, state);
      if (state.cancel) return;
      const wait = Math.max(FIRST_WAIT_MS, state.lastRun + state.gap - timers.now());
      state.cancel = timers.after(wait, () => fire(name));
    },
    stop() {
      for (const { cancel } of states.values()) cancel?.();
      states.clear();
    },
  };
}
