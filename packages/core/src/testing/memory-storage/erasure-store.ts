import type { Contact } from '../../domain/contact/contact.ts';
import { floorId } from '../../domain/id.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Event } from '../../domain/event/event.ts';
import type {
  ErasureStore,
  MessageDeletion,
  MessagesDeleted,
  StoredMessage,
  Walk,
  WalkPart,
} from '../../ports/storage/erasure-store.ts';
import { readMessage } from './message-rows.ts';
import { byId } from './order.ts';
import { keyOf } from './state.ts';
import type { State } from './state.ts';

export class MemoryErasureStore implements ErasureStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async listMessages(
    workspaceId: string,
    { before, ...walk }: Walk & { readonly before?: number },
  ): Promise<WalkPart<StoredMessage>> {
    const end = before === undefined ? null : floorId('msg', before);
    const messages = [...this.#state.messages.values()].filter(({ id }) => end === null || id < end);
    const { rows, next } = partOf(messages, workspaceId, walk);
    return {
      rows: rows.map((message) => ({
        message: readMessage(this.#state, message),
        senderId: this.#senderOf(message),
      })),
      next,
    };
  }

  async deleteMessages(
    workspaceId: string,
    { ids, unfinished, limit }: MessageDeletion,
  ): Promise<MessagesDeleted> {
    let [messages, events] = [0, 0];
    for (const id of ids) {
      const message = this.#state.messages.get(id);
      if (message?.workspaceId !== workspaceId) continue;
      if (unfinished === 'kept' && this.#isUnfinished(message)) continue;
      const own = [...this.#state.eventSubjects].filter(([, subject]) => subject.messageId === id);
      for (const [eventId] of own.slice(0, limit - events)) this.#deleteEvent(eventId);
      events += Math.min(own.length, limit - events);
      if (own.length > 0 && events === limit) return { messages, events, more: true };
      this.#deleteMessage(message);
      messages += 1;
    }
    return { messages, events, more: false };
  }

  async listEvents(workspaceId: string, walk: Walk): Promise<WalkPart<Event>> {
    return partOf([...this.#state.events.values()], workspaceId, walk);
  }

  async deleteEvents(workspaceId: string, ids: readonly string[]): Promise<number> {
    const own = ids.filter((id) => this.#state.events.get(id)?.workspaceId === workspaceId);
    for (const id of own) this.#deleteEvent(id);
    return own.length;
  }

  async listContacts(workspaceId: string, walk: Walk): Promise<WalkPart<Contact>> {
    const { contacts, mergedContacts } = this.#state;
    const current = [...contacts.values()].filter(({ id }) => !mergedContacts.has(id));
    return partOf(current, workspaceId, walk);
  }

  async deleteContacts(
    workspaceId: string,
    { ids, unlessAfter }: { readonly ids: readonly string[]; readonly unlessAfter: string },
  ): Promise<readonly string[]> {
    const { contacts, mergedContacts, contactIds, messages } = this.#state;
    const merged = (id: string): readonly string[] =>
      [...mergedContacts].flatMap(([from, into]) => (into === id ? [from] : []));
    const deleted = ids.filter((id) => {
      const all = [id, ...merged(id)];
      const hasMessage = [...messages.values()].some(
        (message) => message.id > unlessAfter && all.includes(message.contact?.id ?? ''),
      );
      return contacts.get(id)?.workspaceId === workspaceId && !mergedContacts.has(id) && !hasMessage;
    });
    for (const id of deleted) {
      for (const one of [id, ...merged(id)]) {
        contacts.delete(one);
        mergedContacts.delete(one);
      }
      for (const [key, contactId] of contactIds) if (contactId === id) contactIds.delete(key);
    }
    return deleted;
  }

  #senderOf({ id, direction, instanceId, networkId }: Message): string {
    if (direction === 'outbound') return '';
    const arrived = this.#state.arrivals.get(keyOf(instanceId, networkId)) ?? new Map<string, Message>();
    return [...arrived].find(([, message]) => message.id === id)?.[0] ?? '';
  }

  #isUnfinished({ id, instanceId }: Message): boolean {
    const record = this.#state.instances.get(instanceId);
    return record !== undefined && (record.queue.has(id) || record.downloads.has(id));
  }

  #deleteMessage(message: Message): void {
    const { id, workspaceId, instanceId, networkId } = message;
    const state = this.#state;
    const record = state.instances.get(instanceId);
    record?.queue.delete(id);
    record?.held.delete(id);
    record?.downloads.delete(id);
    const content = state.contents.get(contentIdOf(message));
    if (content?.messageId === id)
      state.contents.set(contentIdOf(message), { reservedAt: 0, messageId: null });
    if (state.outbound.get(keyOf(instanceId, networkId)) === id)
      state.outbound.delete(keyOf(instanceId, networkId));
    const arrived = state.arrivals.get(keyOf(instanceId, networkId));
    for (const [sender, one] of arrived ?? []) if (one.id === id) arrived?.delete(sender);
    for (const [key, { messageId }] of state.idempotency)
      if (messageId === id && key.startsWith(`[${JSON.stringify(workspaceId)},`))
        state.idempotency.delete(key);
    state.messages.delete(id);
  }

  #deleteEvent(id: string): void {
    const { deliveries, lanes, queuedEvents, events, eventSubjects } = this.#state;
    for (const [deliveryId, { delivery }] of deliveries) {
      if (delivery.eventId !== id) continue;
      lanes.get(delivery.endpointId)?.remove(deliveryId);
      deliveries.delete(deliveryId);
    }
    for (const [key, { eventId }] of queuedEvents) if (eventId === id) queuedEvents.delete(key);
    events.delete(id);
    eventSubjects.delete(id);
  }
}

function partOf<Row extends { readonly id: string; readonly workspaceId: string }>(
  all: readonly Row[],
  workspaceId: string,
  { after, limit }: Walk,
): WalkPart<Row> {
  const rows = all
    .filter((row) => row.workspaceId === workspaceId && (after === null || row.id > after))
    .toSorted(byId)
    .slice(0, limit);
  return { rows: structuredClone(rows), next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
}
