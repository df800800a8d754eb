import type { SpentTokenStore } from '../../ports/storage/spent-token-store.ts';
import type { State } from './state.ts';

export class MemorySpentTokenStore implements SpentTokenStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async spend(id: string, until: number): Promise<boolean> {
    const { spentTokens } = this.#state;
    if (spentTokens.has(id)) return false;
    spentTokens.set(id, until);
    return true;
  }

  async isSpent(id: string): Promise<boolean> {
    return this.#state.spentTokens.has(id);
  }

  async deleteExpired(before: number, limit: number): Promise<number> {
    const { spentTokens } = this.#state;
    const expired = [...spentTokens].filter(([, until]) => until < before);
    const old = expired.toSorted(([, one], [, other]) => one - other).slice(0, limit);
    for (const [id] of old) spentTokens.delete(id);
    return old.length;
  }
}
