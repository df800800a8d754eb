import type { Message, MessageFilter } from '@trunkline/core/spi/storage';
import type { UnfiledMessage } from './chats.ts';
import { isWithin } from './page-plan.ts';
import type { IdBound, PagePlan } from './page-plan.ts';

/** How many of the latest unfiled messages a lookup reads in addition to filed ones. */
export const UNFILED_READ_MAX = 1_000;

/** The latest of these ids for each key. Messages without a key are left out. */
export function latestUnfiled(
  unfiled: readonly Pick<UnfiledMessage, 'id' | 'key'>[],
): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  for (const { key, id } of unfiled) {
    if (key !== null && id > (latest.get(key) ?? '')) latest.set(key, id);
  }
  return latest;
}

/** Returns the later of the two ids for each key. */
export function laterOf(
  filed: ReadonlyMap<string, string>,
  unfiled: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const later = new Map(filed);
  for (const [key, id] of unfiled) if (id > (later.get(key) ?? '')) later.set(key, id);
  return later;
}

/**
 * Merges `found`, whose ids are within the bound, with the ids of `others` within the bound. Returns the first `count`
 * in this order.
 */
export function mergeIds(
  found: readonly string[],
  others: Iterable<string>,
  {
    bound,
    order,
    count,
  }: { readonly bound: IdBound | null; readonly order: PagePlan['order']; readonly count: number },
): readonly string[] {
  const within = [...others].filter((id) => isWithin(id, bound));
  const ids = [...new Set([...found, ...within])].toSorted();
  return (order === 'ASC' ? ids : ids.toReversed()).slice(0, count);
}

/** Whether a message passes the direction, type and statuses of a filter. */
export function passesFilter(
  { direction, type, status }: Pick<Message, 'direction' | 'type' | 'status'>,
  filter: Pick<MessageFilter, 'direction' | 'type' | 'statuses'>,
): boolean {
  return (
    (filter.direction === undefined || filter.direction === direction) &&
    (filter.type === undefined || filter.type === type) &&
    (filter.statuses === undefined || filter.statuses.includes(status))
  );
}
