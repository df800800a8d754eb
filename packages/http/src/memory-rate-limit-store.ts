import { RateLimiterRes } from '#rate-limiter-flexible';
import type { RateLimitStore } from './rate-limit-options.ts';
import { WINDOW_SECONDS } from './rate-limit-options.ts';

interface Window {
  used: number;
  /** When the window ends, by `performance.now()`. */
  readonly endsAt: number;
}

/**
 * Counts in the memory of this process. The library's `RateLimiterMemory` uses the machine's clock. If that clock is
 * changed, the rest of a minute could become an hour, or nothing.
 */
export function memoryRateLimitStore(points: number): RateLimitStore {
  /** The windows in the order of their ends. */
  const windows = new Map<string, Window>();

  const removeEnded = (now: number): void => {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now) return;
      windows.delete(key);
    }
  };
  const stateOf = ({ used, endsAt }: Window, now: number): RateLimiterRes =>
    new RateLimiterRes(Math.max(0, points - used), endsAt - now, used);

  return {
    points,
    duration: WINDOW_SECONDS,
    async consume(key) {
      const now = performance.now();
      removeEnded(now);
      const window = windows.get(String(key)) ?? { used: 0, endsAt: now + WINDOW_SECONDS * 1000 };
      window.used += 1;
      windows.set(String(key), window);
      const state = stateOf(window, now);
      if (window.used <= points) return state;
      // oxlint-disable-next-line typescript/only-throw-error -- the library's limiters report it this way
      throw state;
    },
    async get(key) {
      const now = performance.now();
      removeEnded(now);
      const window = windows.get(String(key));
      return window ? stateOf(window, now) : null;
    },
  };
}
