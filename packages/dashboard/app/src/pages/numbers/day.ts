import type { InstanceHistoryResource, InstanceResource } from '@trunkline/http/client';
import type { Status } from '../../domain/number-status.ts';

export const DAY_MS = 86_400_000;

export interface StatusStretch {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly status: Status;
}

/**
 * The statuses of a number in the 24 hours before `at`, oldest first. `entries` is its history, newest first. Leaves
 * out the time before the number was added.
 */
export function stretchesOf(
  entries: readonly InstanceHistoryResource[],
  { status: current, created_at }: Pick<InstanceResource, 'status' | 'created_at'>,
  at: number,
): readonly StatusStretch[] {
  const begin = Math.max(at - DAY_MS, Date.parse(created_at));
  const stretches: StatusStretch[] = [];
  let to = at;
  let status: Status | null = current;
  for (const entry of entries) {
    const from = Math.max(Date.parse(entry.at), begin);
    if (entry.from === entry.to) continue;
    if (status !== null && from < to) stretches.unshift({ from, to, status });
    to = Math.min(to, from);
    status = entry.from;
    if (to <= begin) return stretches;
  }
  if (status !== null && begin < to) stretches.unshift({ from: begin, to, status });
  return stretches;
}
