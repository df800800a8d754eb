import type { DeliveryResource } from '@trunkline/http/client';

export const DAY_MS: number = 24 * 60 * 60 * 1_000;
const SLOTS = 24;

export interface Slot {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly delivered: number;
  /** Deliveries that have failed for good, or wait for a retry. */
  readonly failed: number;
  /** Deliveries that have not been attempted. */
  readonly open: number;
  /** The median time from an event to its delivery; null if nothing was delivered. */
  readonly medianMs: number | null;
}

type Shown = Pick<DeliveryResource, 'status' | 'created_at' | 'delivered_at'>;

/** Counts the deliveries created between `from` and `now` in 24 equal parts, oldest first. */
export function slotsOf(deliveries: readonly Shown[], from: number, now: number): readonly Slot[] {
  const width = (now - from) / SLOTS;
  const slots = Array.from({ length: SLOTS }, (_, index) => ({
    from: from + index * width,
    delivered: 0,
    failed: 0,
    open: 0,
    times: [] as number[],
  }));
  for (const { status, created_at, delivered_at } of deliveries) {
    const at = Date.parse(created_at);
    // The service's clock may differ from this machine's: count deliveries outside the period in the first or last
    // part.
    const slot = slots[Math.max(0, Math.min(SLOTS - 1, Math.floor((at - from) / width)))];
    if (!slot) continue;
    if (status === 'success') slot.delivered += 1;
    else if (status === 'pending') slot.open += 1;
    else slot.failed += 1;
    if (delivered_at !== null) slot.times.push(Math.max(0, Date.parse(delivered_at) - at));
  }
  return slots.map(({ times, ...counts }) => ({ ...counts, medianMs: medianOf(times) }));
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
