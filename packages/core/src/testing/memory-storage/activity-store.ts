import { changeContent } from '../../domain/message/content-change.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import { forgetWords } from '../../resources/forgotten-words.ts';
import type { ActivityStore, Echo, RecordedActivity } from '../../ports/storage/activity-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { currentContact } from './contact-store.ts';
import { storeEvents } from './event-fan-out.ts';
import { leasedRecord } from './lease.ts';
import { insertMessage } from './message-rows.ts';
import { keyOf } from './state.ts';
import type { InstanceRecord, State } from './state.ts';

export class MemoryActivityStore implements ActivityStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async record(
    lease: Lease,
    { key, recordedAt, change, event }: RecordedActivity,
  ): Promise<'recorded' | 'repeat' | 'stale' | 'fenced'> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    const { activityKeys, messages } = this.#state;
    const known = key === null ? null : keyOf(lease.instanceId, key);
    if (known !== null && activityKeys.has(known)) return 'repeat';
    if (change) {
      const stored = messages.get(change.message.id);
      const changed = stored?.instanceId === lease.instanceId ? changeContent(stored, change) : null;
      if (!stored || !changed) return 'stale';
      messages.set(changed.id, structuredClone(changed));
      if (changed.deletedAt !== null) {
        this.#abandonContent(record, stored);
        this.#forgetWords(changed);
      }
    }
    if (known !== null) activityKeys.set(known, recordedAt);
    this.#state.signalWork(storeEvents(this.#state, [event]));
    return 'recorded';
  }

  async recordEcho(
    lease: Lease,
    { message, event, download }: Echo,
  ): Promise<'recorded' | 'repeat' | 'contact_gone' | 'fenced'> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    const key = keyOf(lease.instanceId, message.networkId);
    if (this.#state.outbound.has(key)) return 'repeat';
    if (message.contact && !currentContact(this.#state, message.contact.id)) return 'contact_gone';
    insertMessage(this.#state, message);
    this.#state.outbound.set(key, message.id);
    if (download) record.downloads.set(message.id, structuredClone(download));
    this.#state.signalWork(storeEvents(this.#state, [event]));
    return 'recorded';
  }

  async deleteKeys(before: number, limit: number): Promise<number> {
    const { activityKeys } = this.#state;
    const old = [...activityKeys].filter(([, recordedAt]) => recordedAt < before).slice(0, limit);
    for (const [key] of old) activityKeys.delete(key);
    return old.length;
  }

  #forgetWords(deleted: Message): void {
    const { events } = this.#state;
    for (const [id, event] of events)
      events.set(id, { ...event, payload: forgetWords(event.payload, deleted) });
  }

  #abandonContent({ downloads }: InstanceRecord, message: Message): void {
    downloads.delete(message.id);
    const content = this.#state.contents.get(contentIdOf(message));
    if (content?.messageId === message.id) content.messageId = null;
  }
}
