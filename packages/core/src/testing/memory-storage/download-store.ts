import type { EventRecord } from '../../domain/event/event.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import type { DownloadStore, PendingDownload } from '../../ports/storage/download-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { storeEvents } from './event-fan-out.ts';
import { leasedRecord } from './lease.ts';
import { takeContent } from './message-rows.ts';
import { compare } from './order.ts';
import type { State } from './state.ts';

export class MemoryDownloadStore implements DownloadStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async listNext(instanceIds: readonly string[], limit: number): Promise<readonly PendingDownload[]> {
    const next = [...new Set(instanceIds)].flatMap((id) => this.#of(id).toSorted(byDueAt).slice(0, limit));
    return structuredClone(next.toSorted(byDueAt));
  }

  async isFull(instanceId: string, limit: number): Promise<boolean> {
    return this.#of(instanceId).length >= limit;
  }

  async add(lease: Lease, download: PendingDownload): Promise<'added' | 'fenced'> {
    const downloads = leasedRecord(this.#state, lease)?.downloads;
    if (!downloads) return 'fenced';
    downloads.set(download.messageId, structuredClone(download));
    return 'added';
  }

  async postpone(
    lease: Lease,
    postponement: { readonly messageId: string; readonly tries: number; readonly dueAt: number },
  ): Promise<'postponed' | 'fenced'> {
    const downloads = leasedRecord(this.#state, lease)?.downloads;
    if (!downloads) return 'fenced';
    const { messageId, tries, dueAt } = postponement;
    const pending = downloads.get(messageId);
    if (pending) downloads.set(messageId, { ...pending, tries, dueAt });
    return 'postponed';
  }

  async complete(
    lease: Lease,
    completion: { readonly message: Message; readonly event: EventRecord },
  ): Promise<'completed' | 'stale' | 'fenced'> {
    const { message, event } = completion;
    const downloads = leasedRecord(this.#state, lease)?.downloads;
    if (!downloads) return 'fenced';
    const stored = this.#state.messages.get(message.id);
    if (!stored || !downloads.has(message.id)) return 'stale';
    takeContent(this.#state, message);
    const before = stored.media?.available ? this.#state.contents.get(contentIdOf(stored)) : undefined;
    if (before?.messageId === message.id) before.messageId = null;
    downloads.delete(message.id);
    this.#state.messages.set(message.id, { ...stored, media: structuredClone(message.media) });
    this.#state.signalWork(storeEvents(this.#state, [event]));
    return 'completed';
  }

  async remove(instanceId: string, messageId: string): Promise<boolean> {
    return this.#state.instances.get(instanceId)?.downloads.delete(messageId) ?? false;
  }

  async listExpired(before: number, limit: number): Promise<readonly PendingDownload[]> {
    const expired = [...this.#state.instances.keys()]
      .flatMap((id) => this.#of(id))
      .filter(({ expiresAt }) => expiresAt < before)
      .toSorted((a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.messageId, b.messageId));
    return structuredClone(expired.slice(0, limit));
  }

  async list(
    instanceId: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly PendingDownload[]> {
    const rest = this.#of(instanceId)
      .filter(({ messageId }) => after === null || messageId > after)
      .toSorted((a, b) => compare(a.messageId, b.messageId));
    return structuredClone(rest.slice(0, limit));
  }

  async replace(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void> {
    const downloads = this.#state.instances.get(instanceId)?.downloads;
    for (const [messageId, { from, to }] of replacements) {
      const pending = downloads?.get(messageId);
      if (pending && Buffer.compare(pending.sealedReference, from) === 0)
        downloads?.set(messageId, { ...pending, sealedReference: Uint8Array.from(to) });
    }
  }

  #of(instanceId: string): readonly PendingDownload[] {
    return [...(this.#state.instances.get(instanceId)?.downloads.values() ?? [])];
  }
}

function byDueAt(a: PendingDownload, b: PendingDownload): number {
  return compare(a.dueAt, b.dueAt) || compare(a.messageId, b.messageId);
}
