/** How much may be sent to one endpoint. */
export interface LaneLimits {
  /** Requests that may be in flight concurrently. */
  readonly slots: number;
  /** Requests that may start within any `windowMs` milliseconds. */
  readonly startsPerWindow: number;
  readonly windowMs: number;
}

// `starts` are the times at which requests to the endpoint started, oldest first, in epoch milliseconds. They include
// at least the starts within one window before the latest.

/** When the throttle allows the next request; a past time or 0 if a request is allowed now. */
export function throttledUntil(
  starts: readonly number[],
  { startsPerWindow, windowMs }: Omit<LaneLimits, 'slots'>,
): number {
  const oldest = starts.at(-startsPerWindow);
  return oldest === undefined ? 0 : oldest + windowMs;
}

/** How many requests may start at `now`, while `lane.claims` slots are held. */
export function roomInLane(
  lane: { readonly starts: readonly number[]; readonly claims: number },
  { slots, startsPerWindow, windowMs }: LaneLimits,
  now: number,
): number {
  const budget = startsPerWindow - withinWindow(lane.starts, windowMs, now).length;
  // The free slots and the budget may be negative after the limits were lowered.
  return Math.max(0, Math.min(slots - lane.claims, budget));
}

/** The starts to remember after `count` more requests, at `now`. They stay in order even if the clock was set back. */
export function startsAfter(
  starts: readonly number[],
  count: number,
  { windowMs }: Pick<LaneLimits, 'windowMs'>,
  now: number,
): readonly number[] {
  const recent = withinWindow(starts, windowMs, now);
  const startedAt = Math.max(now, recent.at(-1) ?? 0);
  return [...recent, ...Array.from({ length: count }, () => startedAt)];
}

/** The starts after the clock was set back to `now`. Starts in the future become `now`. */
export function startsSetBack(starts: readonly number[], now: number): readonly number[] {
  return starts.map((start) => Math.min(start, now));
}

function withinWindow(starts: readonly number[], windowMs: number, now: number): readonly number[] {
  return starts.filter((start) => start + windowMs > now);
}
