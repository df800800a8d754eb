import type { Attempt, Delivery } from '../../domain/delivery/delivery.ts';
import type { NewId } from '../../domain/id.ts';
import type { RetryRound } from '../../domain/delivery/retry-round.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { ApiKey } from '../../domain/api-key/api-key.ts';
import type { Contact } from '../../domain/contact/contact.ts';
import type { Event, EventSubject, EventType } from '../../domain/event/event.ts';
import type { IdempotencyRecord } from '../../domain/idempotency/idempotency.ts';
import type { Group } from '../../domain/instance/group.ts';
import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Message } from '../../domain/message/message.ts';
import type { EventSubscription } from '../../domain/subscription/event-subscription.ts';
import type { Member, Workspace } from '../../domain/workspace/workspace.ts';
import type { PendingDownload } from '../../ports/storage/download-store.ts';
import type { ProcessReport } from '../../ports/storage/process-registry.ts';
import type { Signal, StorageContext } from '../../ports/storage/storage.ts';
import type { OwedInstanceNotification, OwedNotification } from '../../ports/storage/owed-notification.ts';
import { createSignals } from '../../services/signals.ts';
import type { Signals } from '../../services/signals.ts';
import type { Lane } from './lane.ts';
import { OwedNotifications } from './owed-notifications.ts';

/** An instance with the rows that are deleted with it. */
export interface InstanceRecord {
  instance: Instance;
  /** Without an owner, the lease may be reserved for a process until it expires. */
  lease: { owner: string | null; epoch: number; expiresAt: number; reservedFor: string | null };
  readonly session: Map<string, Uint8Array>;
  /** Keyed by network id. */
  readonly groups: Map<string, Group>;
  /** Keyed by message id; a Map keeps the order of insertion, which is the queue's. */
  readonly queue: Map<string, QueuePlace>;
  /** Keyed by message id. */
  readonly downloads: Map<string, PendingDownload>;
  /** The ids of held messages. */
  readonly held: Set<string>;
}

interface QueuePlace {
  readonly tries: number;
  readonly dueAt: number;
  readonly heldSince?: number;
}

export interface DeliveryRecord {
  /** The delivery as last written; `readDelivery` applies a cancellation to it. */
  delivery: Delivery;
  /** The lane's generation when the delivery was last queued. */
  generation: number;
  readonly attempts: Attempt[];
}

/** An event's place in the queue of a subscription. */
export interface QueuedEvent {
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  /** When the event can be claimed or, while claimed, when the lease ends. Null once exhausted. */
  dueAt: number | null;
  /** When the last attempt failed; null until the event is exhausted. */
  exhaustedAt: number | null;
  attempts: number;
  lostClaims: number;
  /** The token of a claim that has no outcome yet, even if it expired; otherwise null. */
  token: number | null;
}

/** The signals due after events were stored. */
export type Work = Extract<Signal, { readonly topic: 'events' | 'deliveries' | 'subscriptions' }>;

/** The tables of this database, which the stores share. */
export class State {
  readonly settings: Map<string, string> = new Map();
  readonly workspaces: Map<string, Workspace> = new Map();
  readonly members: Map<string, Member> = new Map();
  readonly apiKeys: Map<string, ApiKey> = new Map();
  readonly apiKeyIdsByHash: Map<string, string> = new Map();

  readonly instances: Map<string, InstanceRecord> = new Map();
  /** History entries; they outlive their instances. */
  readonly history: Map<string, HistoryEntry> = new Map();
  readonly instanceNotifications: OwedNotifications<OwedInstanceNotification> = new OwedNotifications();
  /** The last report of each process, keyed by its name as a lease owner. */
  readonly reports: Map<string, ProcessReport> = new Map();
  readonly owners: Map<string, { readonly registeredAt: number; readonly asksUntil: number }> = new Map();
  readonly messages: Map<string, Message> = new Map();
  readonly contacts: Map<string, Contact> = new Map();
  /** Keyed by the id of a merged contact: the id of the contact that it was merged into. */
  readonly mergedContacts: Map<string, string> = new Map();
  /** Contact ids by `keyOf(instanceId, networkId)`. */
  readonly contactIds: Map<string, string> = new Map();
  /** Message ids by `keyOf(instanceId, networkId)`. */
  readonly outbound: Map<string, string> = new Map();
  /** Inbound messages by `keyOf(instanceId, networkId)`, then by sender: the id of a contact or of the network. */
  readonly arrivals: Map<string, Map<string, Message>> = new Map();
  /** When each activity was recorded, by `keyOf(instanceId, key)`. */
  readonly activityKeys: Map<string, number> = new Map();
  /** When each token stops counting as spent, by token id. */
  readonly spentTokens: Map<string, number> = new Map();
  /** Content that the media store holds or may hold, by content id, with its message, if any. */
  readonly contents: Map<string, { readonly reservedAt: number; messageId: string | null }> = new Map();
  /** Keyed by `keyOf(workspaceId, key)`. */
  readonly idempotency: Map<string, IdempotencyRecord> = new Map();

  readonly endpoints: Map<string, Endpoint> = new Map();
  /** Keyed by endpoint id. */
  readonly deletedEndpoints: Map<string, { readonly url: string; readonly deletedAt: number }> = new Map();
  /** Keyed by endpoint id; a lane outlives its endpoint. */
  readonly lanes: Map<string, Lane> = new Map();
  readonly notifications: OwedNotifications<OwedNotification> = new OwedNotifications();
  readonly events: Map<string, Event> = new Map();
  /** Keyed by event id, for events with a trace. */
  readonly traceparents: Map<string, string> = new Map();
  /** Keyed by event id; an event for one endpoint has no entry. */
  readonly eventSubjects: Map<string, EventSubject> = new Map();
  readonly deliveries: Map<string, DeliveryRecord> = new Map();
  readonly subscriptions: Map<string, EventSubscription> = new Map();
  /** Keyed by `keyOf(subscriptionId, eventId)`; includes events of deleted subscriptions. */
  readonly queuedEvents: Map<string, QueuedEvent> = new Map();
  /** The rounds of `retryFailedEvents` calls that are in progress, by subscription id. */
  readonly eventRetryRounds: Map<string, RetryRound> = new Map();
  lastToken = 0;

  /** Null while the storage is closed. */
  context: StorageContext | null = null;
  readonly #signals = createSignals();

  readonly subscribe: Signals['subscribe'] = this.#signals.subscribe;

  get newId(): NewId {
    if (!this.context)
      throw new Error('The storage is not open: start Trunkline first, or start it again if it was stopped.');
    return this.context.newId;
  }

  /** Publishes each distinct signal once. */
  signalWork(work: readonly Work[]): void {
    for (const signal of new Map(work.map((one) => [JSON.stringify(one), one])).values()) this.signal(signal);
  }

  /** Call this last in a method, so that listeners read its complete result. */
  signal(signal: Signal): void {
    if (this.context) this.#signals.publish(signal, this.context.logger);
  }
}

export function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** Inserts a row. Like a database, throws if a row with this id exists, which is a bug of the caller. */
export function insertRow<Row>(table: Map<string, Row>, id: string, row: Row): void {
  if (table.has(id)) throw new Error(`A row with the id ${id} already exists.`);
  table.set(id, row);
}
