import { floorId } from '../../domain/id.ts';
import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { HistoryStore } from '../../ports/storage/history-store.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
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

/** A new entry, or what takes the place of the one with its id. */
export function writeEntry({ history }: State, entry: HistoryEntry | null | undefined): void {
  if (entry) history.set(entry.id, structuredClone(entry));
}
