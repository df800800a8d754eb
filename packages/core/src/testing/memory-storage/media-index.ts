import type { MediaIndex } from '../../ports/storage/media-index.ts';
import { compare } from './order.ts';
import type { State } from './state.ts';

export class MemoryMediaIndex implements MediaIndex {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async begin(messageId: string, now: number): Promise<void> {
    if (this.#state.contents.get(messageId)?.owned !== true) {
      this.#state.contents.set(messageId, { begunAt: now, owned: false });
    }
  }

  async listAbandoned(before: number, limit: number): Promise<readonly string[]> {
    return [...this.#state.contents]
      .filter(([, { begunAt, owned }]) => !owned && begunAt < before)
      .toSorted(([a, one], [b, other]) => compare(one.begunAt, other.begunAt) || compare(a, b))
      .slice(0, limit)
      .map(([messageId]) => messageId);
  }

  async listOrphaned(limit: number): Promise<readonly string[]> {
    const owned = [...this.#state.contents].filter(([, content]) => content.owned);
    return owned
      .map(([messageId]) => messageId)
      .filter(
        (messageId) => !this.#state.instances.has(this.#state.messages.get(messageId)?.instanceId ?? ''),
      )
      .toSorted(compare)
      .slice(0, limit);
  }

  async forget(messageId: string): Promise<void> {
    if (!this.#state.contents.delete(messageId)) return;
    const message = this.#state.messages.get(messageId);
    if (!message?.media) return;
    this.#state.messages.set(messageId, { ...message, media: { ...message.media, available: false } });
  }
}
