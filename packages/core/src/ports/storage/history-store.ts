import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { Page, PageRequest } from './page.ts';

/**
 * What happened to each instance. Entries are written by `InstanceStore`, with the changes that they are about. They
 * outlive their instance, until retention deletes them.
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
