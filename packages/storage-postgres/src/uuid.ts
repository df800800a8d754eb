import { idToUuid } from '@trunkline/core/spi/storage';
import type { IdPrefix } from '@trunkline/core/spi/storage';
import { uuidIds } from '@trunkline/storage-kit';

/** The uuid to look an id up by. Null for one of the wrong form: no row equals it, so that it is simply not found. */
export function uuidToFind(prefix: IdPrefix, id: string): string | null {
  return idToUuid(prefix, id);
}

/** The uuid to store an id as. */
export function uuidOf(prefix: IdPrefix, id: string): string {
  return uuidIds(prefix).write(id);
}

/** The ends of a range that holds these uuids: for conditions that exclude partitions. */
export function boundsOf(uuids: readonly string[]): { readonly first: string; readonly last: string } {
  let [first = NIL] = uuids;
  let last = first;
  for (const uuid of uuids) {
    if (uuid < first) first = uuid;
    if (uuid > last) last = uuid;
  }
  return { first, last };
}

/** Sorts before all others. */
export const NIL = '00000000-0000-0000-0000-000000000000';
