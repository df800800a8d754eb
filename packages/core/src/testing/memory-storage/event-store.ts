import type { Event } from '../../domain/event/event.ts';
import { floorId } from '../../domain/id.ts';
import type { EventFilter, EventStore } from '../../ports/storage/event-store.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
import { byId } from './order.ts';
import { pageOf } from './page.ts';
import type { State } from './state.ts';

export class MemoryEventStore implements EventStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async find(workspaceId: string, id: string, since: number): Promise<Event | null> {
    const event = this.#state.events.get(id);
    if (event?.workspaceId !== workspaceId || id < floorId('evt', since)) return null;
    return structuredClone(event);
  }

  async list(
    workspaceId: string,
    filter: EventFilter,
    page: PageRequest,
    since: number,
  ): Promise<Page<Event>> {
    const floor = floorId('evt', since);
    const rows = this.#log(workspaceId).filter(({ id, type }) => {
      const subject = this.#state.eventSubjects.get(id);
      return (
        id >= floor &&
        (filter.messageId === undefined || subject?.messageId === filter.messageId) &&
        (filter.instanceId === undefined || subject?.instanceId === filter.instanceId) &&
        (filter.types?.includes(type) ?? true)
      );
    });
    return structuredClone(pageOf(rows, page));
  }

  async listAfter(workspaceId: string, afterId: string, limit: number): Promise<readonly Event[]> {
    const later = this.#log(workspaceId).filter(({ id }) => id > afterId);
    return structuredClone(later.toSorted(byId).slice(0, limit));
  }

  async listIds(
    workspaceId: string,
    { after, upTo }: { readonly after: string; readonly upTo: string },
    limit: number,
  ): Promise<readonly string[]> {
    const ids = this.#log(workspaceId).map(({ id }) => id);
    return ids
      .filter((id) => id > after && id <= upTo)
      .toSorted()
      .slice(0, limit);
  }

  #log(workspaceId: string): readonly Event[] {
    const { events, eventSubjects } = this.#state;
    return [...eventSubjects.keys()].flatMap((id) => {
      const event = events.get(id);
      return event?.workspaceId === workspaceId ? [event] : [];
    });
  }
}
