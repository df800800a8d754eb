import type { NewId } from '../../domain/id.ts';
import type { Logger } from '../logger.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { GroupStore } from './group-store.ts';
import type { InstanceStore } from './instance-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { MessageStore } from './message-store.ts';
import type { ProcessRegistry } from './process-registry.ts';
import type { RetentionStore } from './retention-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import type { UploadRegistry } from './upload-registry.ts';
import type { WorkspaceStore } from './workspace-store.ts';

/**
 * "There is work", or "look again": it only makes that happen sooner. A worker that polls, and a look-up that is kept for
 * some seconds, must be right without it.
 */
export type Signal =
  | {
      readonly topic: 'instance';
      readonly instanceId: string;
      /** Where true, the one that holds the instance wrote it, under its lease: it is not free, and its holder knows. */
      readonly byHolder?: true;
    }
  | { readonly topic: 'queue'; readonly instanceId: string }
  | { readonly topic: 'deliveries' }
  | { readonly topic: 'subscriptions' }
  | { readonly topic: 'workspace'; readonly workspaceId: string };

/**
 * Everything durable. Each method is one transaction that is on disk when its promise resolves; together they are all
 * that the service asks of a database. No method reads a clock. The contract suite defines them.
 *
 * `Transaction` is what the storage takes as a transaction of the caller's own, on the same database: a connection in
 * which one was begun. `never` where it takes none.
 */
export interface Storage<Transaction = never> {
  readonly workspaces: WorkspaceStore;
  readonly apiKeys: ApiKeyStore;
  readonly instances: InstanceStore;
  readonly leases: LeaseStore;
  readonly sessions: SessionStore;
  readonly groups: GroupStore;
  readonly messages: MessageStore<Transaction>;
  readonly uploads: UploadRegistry;
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  readonly subscriptions: SubscriptionStore;
  readonly retention: RetentionStore;
  readonly processes: ProcessRegistry;

  /** Connects and brings the schema up to date. Rejects, having written nothing, on a database made by a newer version. */
  open(context: StorageContext): Promise<void>;
  /** A small value of the installation's own, such as the check of the secret key: the first to set it wins, and all read that. */
  setting(name: string, valueIfNew: string): Promise<string>;
  /** Sets it whatever it was. */
  replaceSetting(name: string, value: string): Promise<void>;
  /**
   * Signals come after their commit: `queue` after an acceptance, `instance` after an insert, write, delete or a
   * lease that was released, `deliveries` and `subscriptions` when a call made some claimable, `workspace` after a workspace,
   * one of its members or of its keys was changed (`touch` is no change). A listener that throws harms nobody. Returns what
   * ends it.
   */
  subscribe(listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
  /**
   * Work of the storage's own that is due from time to time, such as making room for the rows of the next days: at the
   * start, and every few minutes. Absent where there is none.
   */
  maintain?(now: number): Promise<void>;
  /**
   * The database's own time, epoch milliseconds, where processes of several machines share it. They go by it, so that
   * they agree on leases and limits however wrong a machine's clock is. Absent where all share a machine.
   */
  serverTime?(): Promise<number>;
}

export interface StorageContext {
  /** For rows that a method makes by itself, as the deliveries of an event. */
  readonly newId: NewId;
  readonly logger: Logger;
}
