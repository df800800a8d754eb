import type { Timers } from '../../app/src/live/throttle.ts';

/** Time advances only through `pass`. */
export function manualTimers(): Timers & { pass(ms: number): void } {
  let time = 0;
  const due = new Set<{ readonly at: number; run(): void }>();
  return {
    now: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run };
      due.add(timer);
      return () => due.delete(timer);
    },
    pass(ms) {
      const end = time + ms;
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        due.delete(next);
        time = next.at;
        next.run();
      }
      time = end;
    },
  };
}
