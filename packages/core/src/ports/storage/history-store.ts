import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { Page, PageRequest } from './page.ts';

/**
 * The history of each instance. `InstanceStore` writes entries with the changes that they are about. Entries outlive
 * their instance, until retention deletes them. An entry replaces a stored entry with the same id. If an instance has
 * `ENTRIES_PER_HOUR` entries within an hour, by their ids, a further entry only adds 1 to the count of the latest of
 * these with the same reason, which gets its `next` and `lastAt`; if no entry has this reason, the further entry is
 * stored.
 */
export interface HistoryStore {
  /** Newest first, by id. Entries older than retention (`since`, the earliest time in an id) are not found. */
  list(
    workspaceId: string,
    instanceId: string,
    page: PageRequest,
    since: number,
  ): Promise<Page<HistoryEntry>>;
}
