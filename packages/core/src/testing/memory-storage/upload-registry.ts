import type { UploadRegistry } from '../../ports/storage/upload-registry.ts';
import { compare } from './order.ts';
import type { State } from './state.ts';

export class MemoryUploadRegistry implements UploadRegistry {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async reserve(contentId: string, now: number): Promise<void> {
    if ((this.#state.contents.get(contentId)?.messageId ?? null) === null) {
      this.#state.contents.set(contentId, { reservedAt: now, messageId: null });
    }
  }

  async reserveUnknown(contentIds: readonly string[], now: number): Promise<number> {
    const unknown = contentIds.filter((contentId) => !this.#state.contents.has(contentId));
    for (const contentId of unknown)
      this.#state.contents.set(contentId, { reservedAt: now, messageId: null });
    return unknown.length;
  }

  async listAbandoned(before: number, limit: number): Promise<readonly string[]> {
    return [...this.#state.contents]
      .filter(([, { reservedAt, messageId }]) => messageId === null && reservedAt < before)
      .toSorted(([a, one], [b, other]) => compare(one.reservedAt, other.reservedAt) || compare(a, b))
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

  async release(contentId: string): Promise<void> {
    const messageId = this.#state.contents.get(contentId)?.messageId;
    this.#state.contents.delete(contentId);
    const message = this.#state.messages.get(messageId ?? '');
    if (!message?.media) return;
    this.#state.messages.set(message.id, { ...message, media: { ...message.media, available: false } });
  }
}
