import type { InstanceHistoryResource, InstanceResource } from '@trunkline/http/client';

export const DAY_MS = 86_400_000;

export interface StatusStretch {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly status: InstanceResource['status'];
}

export interface ReadHistory {
  /** Newest first. */
  readonly entries: readonly Pick<InstanceHistoryResource, 'at' | 'from' | 'to'>[];
  /** Whether there are older entries, which were not read. */
  readonly hasOlder: boolean;
}

/**
 * The statuses of a number in the 24 hours before `at`, oldest first. Leaves out the time before the number was added,
 * and the time before the oldest entry if there are older ones, which may have any statuses.
 */
export function stretchesOf(
  { entries, hasOlder }: ReadHistory,
  { status: current, created_at }: Pick<InstanceResource, 'status' | 'created_at'>,
  at: number,
): readonly StatusStretch[] {
  const oldest = hasOlder ? entries.at(-1) : undefined;
  const begin = Math.max(at - DAY_MS, Date.parse(oldest?.at ?? created_at));
  const stretches: StatusStretch[] = [];
  let to = at;
  let status: InstanceResource['status'] | null = current;
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
