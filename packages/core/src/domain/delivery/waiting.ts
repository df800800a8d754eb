import { ENDPOINT_SLOTS, ENDPOINT_STARTS_PER_MINUTE, THROTTLE_WINDOW_MS } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import { throttledUntil } from './lane.ts';

/** The position of an open delivery in the lane of its endpoint. */
export interface LanePosition {
  /** Epoch milliseconds; null while the delivery is claimed, which means that its request is in flight. */
  readonly dueAt: number | null;
  /** Claims that hold slots of the endpoint, including the claim of this delivery. */
  readonly claims: number;
  /**
   * When requests to the endpoint started, oldest first; at least those within one throttle window before the latest.
   */
  readonly starts: readonly number[];
}

export const WAITING_REASONS = [
  'in_progress',
  'retry_scheduled',
  'throttled',
  'endpoint_busy',
  'queued',
  'endpoint_disabled',
] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

/**
 * Why a delivery has not been sent yet. `until` is the earliest time at which this can change automatically; null if no
 * time is known.
 */
export interface Waiting {
  readonly reason: WaitingReason;
  readonly until: number | null;
}

/**
 * Null for a delivery that has ended, unless the disabling of its endpoint ended it. `lane` is null
 * for a delivery that has ended.
 */
export function waitingOf(delivery: Delivery, lane: LanePosition | null, now: number): Waiting | null {
  if (lane === null)
    return delivery.errorCode === 'ENDPOINT_DISABLED' ? { reason: 'endpoint_disabled', until: null } : null;
  if (lane.dueAt === null) return { reason: 'in_progress', until: null };
  if (lane.dueAt > now) return { reason: 'retry_scheduled', until: lane.dueAt };
  const throttleEnds = throttledUntil(lane.starts, LIMITS);
  if (throttleEnds > now) return { reason: 'throttled', until: throttleEnds };
  if (lane.claims >= ENDPOINT_SLOTS) return { reason: 'endpoint_busy', until: null };
  return { reason: 'queued', until: null };
}

const LIMITS = { startsPerWindow: ENDPOINT_STARTS_PER_MINUTE, windowMs: THROTTLE_WINDOW_MS };
