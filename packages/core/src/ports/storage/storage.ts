import type { NewId } from '../../domain/id.ts';
import type { Logger } from '../logger.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { InstanceStore } from './instance-store.ts';
import type { MediaIndex } from './media-index.ts';
import type { MessageStore } from './message-store.ts';
import type { RetentionStore } from './retention-store.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import type { WebhookStore } from './webhook-store.ts';
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
  readonly messages: MessageStore<Transaction>;
  readonly media: MediaIndex;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly subscriptions: SubscriptionStore;
  readonly retention: RetentionStore;

  /** Connects and brings the schema up to date. Rejects, having written nothing, on a database made by a newer version. */
  open(context: StorageContext): Promise<void>;
  /** A small value of the installation's own, such as the check of the secret key: the first to set it wins, and all read that. */
  setting(name: string, valueIfNew: string): Promise<string>;
  /** Sets it whatever it was. */
  replaceSetting(name: string, value: string): Promise<void>;
  /**
   * Signals come after their commit: `queue` after an acceptance, `instance` after an insert, write, delete or a
   * lease given back, `deliveries` and `subscriptions` when a call made some claimable, `workspace` after a workspace,
   * one of its members or of its keys was changed (`touch` is no change). A listener that throws harms nobody. Answers what
   * ends it.
   */
  subscribe(listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
  /**
   * Releases what other processes held that have certainly ended without releasing it, as if it had expired at `now`:
   * leases, which signals `instance` for each, and claims of deliveries and events, which signals `deliveries` and
   * `subscriptions`. Answers how many processes that were. What cannot be proven waits for the ends of leases and claims.
   * The first call makes this process known: what is claimed before is never released by this. Absent where what a
   * process holds goes with it.
   */
  releaseEnded?(now: number): Promise<number>;
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
