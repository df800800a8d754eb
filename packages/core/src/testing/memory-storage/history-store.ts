import { floorId } from '../../domain/id.ts';
import { ENTRIES_PER_HOUR, floorOfHour } from '../../domain/instance/instance-history.ts';
import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { HistoryStore } from '../../ports/storage/history-store.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
import { byId } from './order.ts';
import { pageOf } from './page.ts';
import type { State } from './state.ts';

export class MemoryHistoryStore implements HistoryStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async list(
    workspaceId: string,
    instanceId: string,
    page: PageRequest,
    since: number,
  ): Promise<Page<HistoryEntry>> {
    const floor = floorId('hst', since);
    const entries = [...this.#state.history.values()].filter(
      (entry) => entry.workspaceId === workspaceId && entry.instanceId === instanceId && entry.id >= floor,
    );
    return structuredClone(pageOf(entries, page));
  }
}

/**
 * Adds an entry, replaces the entry with the same id, or raises the count of an earlier entry: see
 * `HistoryStore`.
 */
export function writeEntry({ history }: State, entry: HistoryEntry | null | undefined): void {
  if (!entry) return;
  const counted = history.has(entry.id) ? undefined : countedIn(history, entry);
  const { next, lastAt } = entry;
  const written = counted ? { ...counted, next, count: counted.count + 1, lastAt } : entry;
  history.set(written.id, structuredClone(written));
}

function countedIn(history: State['history'], entry: HistoryEntry): HistoryEntry | undefined {
  const floor = floorOfHour(entry);
  const withinHour = [...history.values()].filter(
    ({ id, instanceId }) => instanceId === entry.instanceId && id >= floor && id < entry.id,
  );
  if (withinHour.length < ENTRIES_PER_HOUR) return undefined;
  return withinHour.toSorted(byId).findLast(({ reason }) => reason === entry.reason);
}
