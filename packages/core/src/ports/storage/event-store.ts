import type { Event, EventType } from '../../domain/event/event.ts';
import type { Page, PageRequest } from './page.ts';

/** Selects the events of a message, of an instance (of all types or some) or of the whole workspace. */
export type EventFilter =
  | { readonly messageId: string; readonly instanceId?: undefined; readonly types?: undefined }
  | {
      readonly instanceId: string;
      /** At least one; all types by default. */
      readonly types?: readonly EventType[] | undefined;
      readonly messageId?: undefined;
    }
  | { readonly messageId?: undefined; readonly instanceId?: undefined; readonly types?: undefined };

/**
 * The event log of each workspace. The log has every event that a method stores with its change, with or without
 * subscribers. It has neither events for one endpoint (`deliveries.enqueue`) nor events from before the log existed;
 * only `find` finds such events. The cost of a read does not depend on the number of other events. An event's id has
 * the time of its creation, but the event may be committed after events with later ids.
 */
export interface EventStore {
  /**
   * Also finds an event that is not in the log. Rows older than retention (`since`, the earliest time in an id) are not
   * found.
   */
  find(workspaceId: string, id: string, since: number): Promise<Event | null>;
  /** Newest first. */
  list(workspaceId: string, filter: EventFilter, page: PageRequest, since: number): Promise<Page<Event>>;
  /** The first events with later ids, oldest first. */
  listAfter(workspaceId: string, afterId: string, limit: number): Promise<readonly Event[]>;
  /** The first ids in a range, oldest first, to find events that were committed late without reading others. */
  listIds(
    workspaceId: string,
    range: { readonly after: string; readonly upTo: string },
    limit: number,
  ): Promise<readonly string[]>;
}
