import { networkIdsOf } from '../../domain/contact/contact.ts';
import type { Contact } from '../../domain/contact/contact.ts';
import type { IdempotencyRecord } from '../../domain/idempotency/idempotency.ts';
import { acceptsMessages } from '../../domain/instance/instance.ts';
import { decideAcceptance } from '../../domain/message/acceptance.ts';
import type { Acceptance, AcceptanceResult } from '../../domain/message/acceptance.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Message } from '../../domain/message/message.ts';
import { floorId } from '../../domain/id.ts';
import type { IdRange } from '../../domain/id.ts';
import type { Workspace } from '../../domain/workspace/workspace.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { SAME_NETWORK_ID_MAX } from '../../ports/storage/message-store.ts';
import type {
  Arrival,
  MessageChange,
  MessageFilter,
  MessageStore,
  Postponement,
  QuotableMessage,
  QueuedMessage,
  Sender,
} from '../../ports/storage/message-store.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
import { isWith } from './chat-store.ts';
import { currentContact } from './contact-store.ts';
import { storeEvents } from './event-fan-out.ts';
import { leasedRecord } from './lease.ts';
import { applyChange, insertMessage, readMessage } from './message-rows.ts';
import { isWorkPostponed } from './postponement.ts';
import { nextInQueue } from './queue.ts';
import { pageOf } from './page.ts';
import { keyOf } from './state.ts';
import type { State } from './state.ts';

export class MemoryMessageStore implements MessageStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async findSender(workspaceId: string, instanceId: string): Promise<Sender | null> {
    const workspace = this.#state.workspaces.get(workspaceId);
    if (!workspace) return null;
    const found = this.#state.instances.get(instanceId)?.instance;
    const instance = found?.workspaceId === workspaceId ? found : null;
    return structuredClone({ workspace, revision: revisionOf(workspace, instance), instance });
  }

  async accept(acceptance: Acceptance, transaction?: never): Promise<AcceptanceResult> {
    if (transaction !== undefined) {
      throw new TypeError('memoryStorage: there are no transactions that an acceptance could be part of.');
    }
    const { message, idempotency, trialLimit, hasReadableNetworkId } = acceptance;
    const { workspaceId, instanceId } = message;
    const state = this.#state;

    const found = state.instances.get(instanceId);
    const target = found?.instance.workspaceId === workspaceId ? found : undefined;
    const workspace = state.workspaces.get(workspaceId);
    const record = idempotency && state.idempotency.get(keyOf(workspaceId, idempotency.key));
    const result = decideAcceptance(acceptance, {
      revision: revisionOf(workspace, target?.instance),
      record: structuredClone(record ?? null),
      instance: target
        ? { acceptsMessages: acceptsMessages(target.instance), queued: target.queue.size }
        : null,
      trialMessagesUsed: workspace?.trialMessagesUsed ?? 0,
    });
    if (result.kind !== 'accepted' || !target) return result;

    insertMessage(state, message);
    if (hasReadableNetworkId !== true) {
      state.outbound.set(keyOf(instanceId, message.networkId), message.id);
    }
    target.queue.set(message.id, { tries: 0, dueAt: 0 });
    if (idempotency) state.idempotency.set(keyOf(workspaceId, idempotency.key), structuredClone(idempotency));
    if (workspace && trialLimit !== null) {
      state.workspaces.set(workspaceId, { ...workspace, trialMessagesUsed: workspace.trialMessagesUsed + 1 });
    }
    state.signal({ topic: 'queue', instanceId });
    return result;
  }

  async findIdempotencyRecord(workspaceId: string, key: string): Promise<IdempotencyRecord | null> {
    return structuredClone(this.#state.idempotency.get(keyOf(workspaceId, key)) ?? null);
  }

  async find(workspaceId: string, id: string): Promise<Message | null> {
    const message = this.#state.messages.get(id);
    return message?.workspaceId === workspaceId ? readMessage(this.#state, message) : null;
  }

  async findOutbound(
    instanceId: string,
    networkId: string,
    ids: readonly IdRange[] = [],
  ): Promise<Message | null> {
    const isIt = (message: Message): boolean =>
      message.instanceId === instanceId &&
      message.direction === 'outbound' &&
      message.networkId === networkId &&
      ids.some(({ first, last }) => first <= message.id && message.id <= last);
    const id = this.#state.outbound.get(keyOf(instanceId, networkId));
    const message =
      id === undefined ? [...this.#state.messages.values()].find(isIt) : this.#state.messages.get(id);
    return message ? readMessage(this.#state, message) : null;
  }

  async findByNetworkId(
    instanceId: string,
    networkId: string,
    ids: readonly IdRange[] = [],
  ): Promise<readonly Message[]> {
    const outbound = await this.findOutbound(instanceId, networkId, ids);
    const inbound = this.#state.arrivals.get(keyOf(instanceId, networkId))?.values() ?? [];
    const read = Array.from(inbound, ({ id }) => this.#state.messages.get(id)).flatMap((message) =>
      message ? [readMessage(this.#state, message)] : [],
    );
    return [...(outbound ? [outbound] : []), ...read].slice(0, SAME_NETWORK_ID_MAX);
  }

  async findQuotable(instanceId: string, id: string): Promise<QuotableMessage | null> {
    const message = this.#state.messages.get(id);
    if (message?.instanceId !== instanceId) return null;
    const { direction, networkId, contact } = message;
    const stored = [...(this.#state.arrivals.get(keyOf(instanceId, networkId)) ?? [])];
    const [sender] = stored.find(([, arrived]) => arrived.id === id) ?? [null];
    const current = contact && currentContact(this.#state, contact.id);
    return {
      message: readMessage(this.#state, message),
      senderId: direction === 'outbound' ? null : (current?.networkId ?? sender),
    };
  }

  async hasInbound(
    instanceId: string,
    networkId: string,
    senderId: string,
    contact?: Contact | null,
  ): Promise<boolean> {
    return hasArrived(this.#state, { instanceId, networkId, senderId, contact });
  }

  async countBetween(
    workspaceId: string,
    times: readonly number[],
    countUpTo: number,
  ): Promise<readonly number[]> {
    const ids = [...this.#state.messages.values()]
      .filter((message) => message.workspaceId === workspaceId)
      .map(({ id }) => id);
    const floors = times.map((time) => floorId('msg', time));
    return floors.slice(1).map((end, index) => {
      const from = floors[index] ?? end;
      return Math.min(countUpTo, ids.filter((id) => id >= from && id < end).length);
    });
  }

  async list(workspaceId: string, filter: MessageFilter, page: PageRequest): Promise<Page<Message>> {
    const messages = [...this.#state.messages.values()];
    const rows = messages.filter(
      (message) =>
        message.workspaceId === workspaceId &&
        matches(message, filter) &&
        (filter.counterpart === undefined || isWith(this.#state, message, filter.counterpart)),
    );
    const { rows: onPage, ...rest } = pageOf(rows, page);
    return { rows: onPage.map((message) => readMessage(this.#state, message)), ...rest };
  }

  async queueHeads(instanceIds: readonly string[], now: number): Promise<readonly QueuedMessage[]> {
    return [...new Set(instanceIds)].flatMap((instanceId) => {
      const record = this.#state.instances.get(instanceId);
      if (!record || isWorkPostponed(this.#state, record.instance.workspaceId)) return [];
      return nextInQueue(this.#state, record, now);
    });
  }

  async postpone(lease: Lease, { messageId, ...place }: Postponement): Promise<'postponed' | 'fenced'> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    const stored = record.queue.get(messageId);
    if (stored) record.queue.set(messageId, { ...stored, ...place });
    if (stored && place.heldSince !== undefined) record.held.add(messageId);
    return 'postponed';
  }

  async change(lease: Lease, change: MessageChange): Promise<'changed' | 'stale' | 'fenced'> {
    if (!leasedRecord(this.#state, lease)) return 'fenced';
    if (this.#state.messages.get(change.message.id)?.instanceId !== lease.instanceId) return 'stale';
    const work = applyChange(this.#state, change);
    if (work === null) return 'stale';
    this.#state.signalWork(work);
    return 'changed';
  }

  async receive(
    lease: Lease,
    arrival: Arrival,
  ): Promise<'received' | 'duplicate' | 'contact_gone' | 'fenced'> {
    const { message, senderId, contact, event, download } = arrival;
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    const { instanceId, networkId } = message;
    if (hasArrived(this.#state, { instanceId, networkId, senderId, contact })) return 'duplicate';
    if (contact && !currentContact(this.#state, contact.id)) return 'contact_gone';

    insertMessage(this.#state, message);
    const key = keyOf(instanceId, networkId);
    const current = contact && currentContact(this.#state, contact.id);
    const senders = this.#state.arrivals.get(key) ?? new Map<string, Message>();
    this.#state.arrivals.set(key, senders.set(current?.id ?? senderId, message));
    if (download) record.downloads.set(message.id, structuredClone(download));
    this.#state.signalWork(storeEvents(this.#state, [event]));
    return 'received';
  }
}

interface InboundKey {
  readonly instanceId: string;
  readonly networkId: string;
  readonly senderId: string;
  readonly contact: Contact | null | undefined;
}

function hasArrived(state: State, { instanceId, networkId, senderId, contact }: InboundKey): boolean {
  const stored = state.arrivals.get(keyOf(instanceId, networkId));
  const current = contact && (currentContact(state, contact.id) ?? contact);
  const own = current ? [current.id, ...current.formerIds, ...networkIdsOf(current)] : [];
  return [senderId, ...own].some((sender) => stored?.has(sender));
}

function revisionOf(workspace?: Workspace, instance?: Instance | null): string {
  return JSON.stringify([workspace?.plan, workspace?.suspendedAt, instance?.phoneNumber]);
}

function matches(message: Message, filter: MessageFilter): boolean {
  const { instanceId, direction, type, statuses } = filter;
  if (instanceId !== undefined && message.instanceId !== instanceId) return false;
  if (direction !== undefined && message.direction !== direction) return false;
  if (type !== undefined && message.type !== type) return false;
  return statuses?.includes(message.status) ?? true;
}
