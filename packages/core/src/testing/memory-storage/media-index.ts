import type { MediaIndex } from '../../ports/storage/media-index.ts';
import { compare } from './order.ts';
import type { State } from './state.ts';

export class MemoryMediaIndex implements MediaIndex {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async begin(contentId: string, now: number): Promise<void> {
    if ((this.#state.contents.get(contentId)?.messageId ?? null) === null) {
      this.#state.contents.set(contentId, { begunAt: now, messageId: null });
    }
  }

  async listAbandoned(before: number, limit: number): Promise<readonly string[]> {
    return [...this.#state.contents]
      .filter(([, { begunAt, messageId }]) => messageId === null && begunAt < before)
      .toSorted(([a, one], [b, other]) => compare(one.begunAt, other.begunAt) || compare(a, b))
      .slice(0, limit)
      .map(([contentId]) => contentId);
  }

  async listOrphaned(limit: number): Promise<readonly string[]> {
    return [...this.#state.contents]
      .filter(([, { messageId }]) => messageId !== null && this.#isOrphan(messageId))
      .map(([contentId]) => contentId)
      .toSorted(compare)
      .slice(0, limit);
  }

  #isOrphan(messageId: string): boolean {
    return !this.#state.instances.has(this.#state.messages.get(messageId)?.instanceId ?? '');
  }

  async forget(contentId: string): Promise<void> {
    const messageId = this.#state.contents.get(contentId)?.messageId;
    this.#state.contents.delete(contentId);
    const message = this.#state.messages.get(messageId ?? '');
    if (!message?.media) return;
    this.#state.messages.set(message.id, { ...message, media: { ...message.media, available: false } });
  }
}
