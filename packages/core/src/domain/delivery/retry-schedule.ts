const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The wait after each failed attempt (specification, "Webhook delivery"), without jitter; 44 h 36 min in all. */
const WAITS_MS = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR] as const;

/** How many failed attempts exhaust a delivery. */
export const MAX_ATTEMPTS: number = WAITS_MS.length + 1;

/** The wait after `attempts` failed attempts; null if no attempts remain. */
export function retryDelay(attempts: number): number | null {
  return WAITS_MS[attempts - 1] ?? null;
}
