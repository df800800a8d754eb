import type { NewId } from '../../domain/id.ts';
import type { Logger } from '../logger.ts';
import type { ActionStore } from './action-store.ts';
import type { ActivityStore } from './activity-store.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { CallStore } from './call-store.ts';
import type { ChatStore } from './chat-store.ts';
import type { ContactStore } from './contact-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { DownloadStore } from './download-store.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { EventStore } from './event-store.ts';
import type { ErasureStore } from './erasure-store.ts';
import type { GroupChangeStore } from './group-change-store.ts';
import type { GroupStore } from './group-store.ts';
import type { HistoryStore } from './history-store.ts';
import type { InstanceStore } from './instance-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { LookupStore } from './lookup-store.ts';
import type { MessageStore } from './message-store.ts';
import type { ProcessRegistry } from './process-registry.ts';
import type { RetentionStore } from './retention-store.ts';
import type { ScheduleStore } from './schedule-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SpentTokenStore } from './spent-token-store.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import type { TrafficStore } from './traffic-store.ts';
import type { UploadRegistry } from './upload-registry.ts';
import type { VoteStore } from './vote-store.ts';
import type { WaitsStep } from './waits-step.ts';
import type { WorkloadStore } from './workload-store.ts';
import type { WorkspaceStore } from './workspace-store.ts';

/**
 * A hint of new work, or of a change. A signal only saves time: workers, which poll, and lookups, which are cached for
 * a few seconds, must work without signals.
 */
export type Signal =
  | {
      readonly topic: 'instance';
      readonly instanceId: string;
      /**
       * If true, the holder of the instance made this change, under its lease, so the instance is not free, and its
       * holder knows of the change.
       */
      readonly byHolder?: true;
    }
  | { readonly topic: 'queue'; readonly instanceId: string }
  | { readonly topic: 'call'; readonly instanceId: string }
  | { readonly topic: 'schedule' }
  | { readonly topic: 'deliveries' }
  | { readonly topic: 'subscriptions' }
  /** This process stored events; events of other processes are found by polling. */
  | { readonly topic: 'events'; readonly workspaceId: string }
  | { readonly topic: 'workspace'; readonly workspaceId: string };

/**
 * Stores everything durable. Each method is one transaction, which is on disk when its promise resolves. The service
 * needs nothing else from a database. No method except `serverTime` reads a clock. The contract suite defines the
 * methods.
 *
 * A method rejects with an `UnavailableError` if it may succeed later. A storage bounds its own calls, since it knows
 * best what they wait for. The service gives up a read after 15 to 20 s and a write after 30 to 35 s. It ignores a late
 * result and may call the method again, while the first call may still be carried out.
 *
 * `Transaction` is the type of a caller's transaction on the same database, if the storage accepts such transactions: a
 * connection on which a transaction was begun. Otherwise `never`.
 */
export interface Storage<Transaction = never> {
  /** Workspaces and their members. */
  readonly workspaces: WorkspaceStore;
  /** API keys, by their hashes. */
  readonly apiKeys: ApiKeyStore;
  /** Instances, with their state and their operations. */
  readonly instances: InstanceStore;
  /** The history of instances. */
  readonly history: HistoryStore;
  /** Which process holds which instance. */
  readonly leases: LeaseStore;
  /** The credentials and keys of gateways, sealed. */
  readonly sessions: SessionStore;
  /** Calls of instances on their way to the processes that hold them. */
  readonly calls: CallStore;
  /** The numbers that instances have lately looked up. */
  readonly lookups: LookupStore;
  /** The changes of groups that instances have lately begun. */
  readonly groupChanges: GroupChangeStore;
  /** The groups of instances. */
  readonly groups: GroupStore;
  /** The people that instances exchange messages with. */
  readonly contacts: ContactStore;
  /** Messages, and the queues of those to be sent. */
  readonly messages: MessageStore<Transaction>;
  /** Messages that wait for their time. */
  readonly schedule: ScheduleStore;
  /** The chats of instances, by their last messages. */
  readonly chats: ChatStore;
  /** Files that belong to no message yet. */
  readonly uploads: UploadRegistry;
  /** Files of messages that are still to be fetched. */
  readonly downloads: DownloadStore;
  /** Actions of instances on messages, which wait in their queues. */
  readonly actions: ActionStore;
  /** Acts of people on messages, such as reactions and edits. */
  readonly activities: ActivityStore;
  /** The votes of people in polls. */
  readonly votes: VoteStore;
  /** Webhook endpoints. */
  readonly endpoints: EndpointStore;
  /** Deliveries of webhooks, and their attempts. */
  readonly deliveries: DeliveryStore;
  /** Events, by workspace. */
  readonly events: EventStore;
  /** The subscriptions of handlers in process, and their queues. */
  readonly subscriptions: SubscriptionStore;
  /** Deletes data past its retention. */
  readonly retention: RetentionStore;
  /** Finds and erases the data of a person. */
  readonly erasure: ErasureStore;
  /** Tokens that were used up or revoked before they expired. */
  readonly spentTokens: SpentTokenStore;
  /** The processes of the service. */
  readonly processes: ProcessRegistry;
  /** The open work, for metrics and operators. */
  readonly workload: WorkloadStore;
  /** Counts over time. */
  readonly traffic: TrafficStore;

  /**
   * Connects and upgrades the schema. Rejects, having written nothing, if a newer version has upgraded the database.
   */
  open(context: StorageContext): Promise<void>;
  /**
   * A small value of the service itself, such as the one that verifies the secret key. Sets `valueIfNew` if there is no
   * value. Returns the stored value, which is the same for all processes.
   */
  setting(name: string, valueIfNew: string): Promise<string>;
  /** Sets a value, whatever it was before. */
  replaceSetting(name: string, value: string): Promise<void>;
  /** Returns the product, version and size of the database, for the operator. The cost does not grow with the rows. */
  describe(): Promise<StorageDescription>;
  /**
   * A signal comes after the commit of its change. `queue` follows an acceptance, or `schedule`, if the message
   * is scheduled and due soon. `call` follows a call or its response. `instance` follows an insert, write,
   * delete or the release of a lease. `deliveries` and `subscriptions` follow a call that made deliveries or queued
   * events claimable. `events` follows a call that added events to the log of a workspace. `workspace` follows a change
   * of a workspace, its members or its keys (except `touch`). Errors of listeners have no effect. Returns a function
   * that ends the subscription.
   */
  subscribe(listener: (signal: Signal) => void): () => void;
  /**
   * Shortens waits that are longer than the retry schedule allows from `now`, because the deliveries and events were
   * queued before the clock was set back. Their due times, and `nextRetryAt` of deliveries, are set to the time that
   * the schedule allows (`dueWithinSchedule`); claims of events end `leaseMs` after `now` at the latest
   * (`claimEndWithin`). Signals `deliveries` or `subscriptions` if a wait was shortened. Returns the start of the next
   * step; null at the end.
   */
  shortenWaits(step: WaitsStep): Promise<string | null>;
  /** Closes the connections, and releases what belongs to this process. No listener is called afterwards. */
  close(): Promise<void>;
  /**
   * The storage's own maintenance, such as making partitions for the next days. Called when the role `maintenance`
   * starts, and then every minute. Absent if the storage needs none.
   */
  maintain?(now: number): Promise<void>;
  /**
   * Overwrites the remains of deleted rows in the files of the database. Resolves with null, or with a sentence that
   * names possible remains and the remedy. Absent if the database cannot do so.
   */
  purge?(): Promise<string | null>;
  /**
   * The database's own time in epoch milliseconds, for a database that several machines share. Their processes use it,
   * so that they agree on leases and limits, however wrong a machine's clock is. Absent if all processes share a
   * machine.
   */
  serverTime?(): Promise<number>;
}

/** Facts about a database, for its operator. */
export interface StorageDescription {
  /** The product with its version, such as `PostgreSQL 17.2`. */
  readonly database: string;
  /** The number of the latest schema change. */
  readonly schemaVersion: number;
  /** The size on the disk, indexes included; null for a database in memory. */
  readonly sizeBytes: number | null;
}

export interface StorageContext {
  /** Makes ids for rows that a method creates itself, such as the deliveries of an event. */
  readonly newId: NewId;
  readonly logger: Logger;
}
