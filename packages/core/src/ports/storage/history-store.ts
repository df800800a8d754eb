import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { Page, PageRequest } from './page.ts';

/**
 * What happened to each instance. Entries are written by `InstanceStore`, with the changes that they are about. They
 * outlive their instance, until retention deletes them. An entry whose id is stored takes the place of that one; a new one
 * that comes after `ENTRIES_PER_HOUR` others of its instance within an hour, by their ids, only adds 1 to the count of the
 * latest of these with its reason, which gets its `next` and `lastAt`. It is stored if there is none.
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
