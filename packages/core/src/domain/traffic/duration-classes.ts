import type { TrafficCounts } from './traffic.ts';

/**
 * The upper ends of all classes of duration but the last, which has none; milliseconds. A class includes its upper end.
 */
export type ClassBounds = readonly number[];

/** From the acceptance of a message until the network accepts it: seldom below one round trip, and minutes in a queue. */
export const NETWORK_BOUNDS_MS: ClassBounds = [100, 250, 500, 1_000, 5_000, 30_000, 300_000];
/** Attempts of webhooks, which end after 10 s by default. */
export const ATTEMPT_BOUNDS_MS: ClassBounds = [50, 100, 250, 500, 1_000, 2_500, 5_000];

const NAMES = Array.from({ length: ATTEMPT_BOUNDS_MS.length + 1 }, (_, index) => `class:${index}`);

/** The name under which a duration is counted. */
export function classCount(durationMs: number, bounds: ClassBounds): string {
  const found = bounds.findIndex((bound) => durationMs <= bound);
  return `class:${found === -1 ? bounds.length : found}`;
}

/** How many durations are in each class, the shortest first. */
export function classesIn(counts: TrafficCounts, bounds: ClassBounds): readonly number[] {
  return NAMES.slice(0, bounds.length + 1).map((name) => counts[name] ?? 0);
}

/**
 * Estimates the duration that this share of all durations does not exceed, as if the durations of a class were spread
 * evenly over it; milliseconds. In the last class, returns its lower end. Null without durations.
 */
export function estimateQuantile(
  classes: readonly number[],
  bounds: ClassBounds,
  share: number,
): number | null {
  const total = classes.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [index, count] of classes.entries()) {
    const from = bounds[index - 1] ?? 0;
    if (count > 0 && left <= count)
      return Math.round(from + (left / count) * ((bounds[index] ?? from) - from));
    left -= count;
  }
  return bounds.at(-1) ?? null;
}
