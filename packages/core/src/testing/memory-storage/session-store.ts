import type { SessionNamesPage } from '../../ports/gateway.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { SessionStore } from '../../ports/storage/session-store.ts';
import { leasedRecord } from './lease.ts';
import type { State } from './state.ts';

export class MemorySessionStore implements SessionStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async load(instanceId: string): Promise<ReadonlyMap<string, Uint8Array>> {
    return structuredClone(this.#state.instances.get(instanceId)?.session ?? new Map());
  }

  async read(instanceId: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const session = this.#state.instances.get(instanceId)?.session;
    return new Map(
      names.flatMap((name) => {
        const value = session?.get(name);
        return value ? [[name, Uint8Array.from(value)] as const] : [];
      }),
    );
  }

  async names(instanceId: string, { prefix, after, limit }: SessionNamesPage): Promise<readonly string[]> {
    const session = this.#state.instances.get(instanceId)?.session;
    return [...(session?.keys() ?? [])]
      .filter((name) => name.startsWith(prefix) && (after === null || name > after))
      .toSorted()
      .slice(0, limit);
  }

  async save(lease: Lease, changes: ReadonlyMap<string, Uint8Array | null>): Promise<'saved' | 'fenced'> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    for (const [name, value] of changes) {
      if (value === null) record.session.delete(name);
      else record.session.set(name, Uint8Array.from(value));
    }
    return 'saved';
  }

  async erase(instanceId: string, names: readonly string[]): Promise<void> {
    const session = this.#state.instances.get(instanceId)?.session;
    for (const name of names) session?.delete(name);
  }

  async replace(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void> {
    const session = this.#state.instances.get(instanceId)?.session;
    for (const [name, { from, to }] of replacements) {
      const stored = session?.get(name);
      if (stored && Buffer.compare(stored, from) === 0) session?.set(name, Uint8Array.from(to));
    }
  }
}
