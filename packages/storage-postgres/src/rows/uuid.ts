import { idToUuid } from '@trunkline/core/spi/storage';
import type { IdPrefix } from '@trunkline/core/spi/storage';
import { uuidIds } from '@trunkline/storage-kit';

/** The uuid by which to look up an id. Null, which equals no row, if the id has the wrong form. */
export function uuidToFind(prefix: IdPrefix, id: string): string | null {
  return idToUuid(prefix, id);
}

/** The uuid that is stored for an id. */
export function uuidOf(prefix: IdPrefix, id: string): string {
  return uuidIds(prefix).write(id);
}

/** The ends of the range of these uuids, for conditions that exclude partitions. */
export function boundsOf(uuids: readonly string[]): { readonly first: string; readonly last: string } {
  let [first = NIL] = uuids;
  let last = first;
  for (const uuid of uuids) {
    if (uuid < first) first = uuid;
    if (uuid > last) last = uuid;
  }
  return { first, last };
}

/** Sorts before all other uuids. */
export const NIL = '00000000-0000-0000-0000-000000000000';
