import type { EventRecord } from '../../domain/event/event.ts';
import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Lease } from './lease.ts';
import type { QueueFailure } from './message-store.ts';
import type { NotificationClaim, OwedInstanceNotification } from './owed-notification.ts';

/** A decision about an instance, written only if nothing has changed since it was made. */
export interface InstanceWrite {
  /**
   * The new state of the instance. Its `version` is the version that the decision was based on, and the write raises
   * it. A later stored `lastSeenAt` is kept, since `touch` raises no version. If the instance is deleted, the result is
   * `stale`, or `fenced` under a lease.
   */
  readonly instance: Instance;
  readonly event: EventRecord | null;
  /** The lease of a gateway's write, which is checked before the version; null for a write of the API. */
  readonly lease: Lease | null;
  /**
   * If present, every queued message of the instance fails for this reason (`failQueue`), in queue order and in this
   * transaction, after `event` is stored.
   */
  readonly failQueued?: QueueFailure;
  /**
   * Whether to erase the session, remove the pending downloads and mark the groups as left, because they belong to the
   * unlinked number.
   */
  readonly forgetNumber?: boolean;
  /**
   * The history entry of this change, stored in this transaction: a new entry, or one that replaces the entry with its
   * id.
   */
  readonly entry?: HistoryEntry | null;
  /** The notification owed because of this change, stored in this transaction. */
  readonly notification?: OwedInstanceNotification | null;
}

/** `stale`: read again and decide again. `fenced`: another process holds the instance now. */
export type InstanceWriteResult =
  | {
      readonly kind: 'written';
      readonly instance: Instance;
      /** How many queued messages failed; absent without `failQueued`. */
      readonly failed?: number;
    }
  | { readonly kind: 'stale' | 'fenced' };

export interface InstanceStore {
  /**
   * Inserts the instance, unless the workspace already has `limit` instances (null: no limit). The transaction
   * includes this check, so that two calls cannot both pass.
   */
  insert(
    instance: Instance,
    limit: number | null,
    entry?: HistoryEntry,
  ): Promise<'inserted' | 'limit_reached'>;
  find(workspaceId: string, id: string): Promise<Instance | null>;
  /** Oldest first. */
  list(workspaceId: string): Promise<readonly Instance[]>;
  /** How many instances each of these workspaces has; empty workspaces are left out. */
  countIn(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  write(write: InstanceWrite): Promise<InstanceWriteResult>;
  /**
   * Removes the instance with its session, groups, pending downloads and lease, in one transaction under the lease. Its
   * queued messages fail; all of its messages and its history stay. `stale` also if it still has scheduled messages:
   * `schedule.fail` fails those first.
   */
  delete(deletion: {
    readonly instance: Instance;
    readonly lease: Lease;
    readonly failQueued: QueueFailure;
    readonly entry?: HistoryEntry;
  }): Promise<'deleted' | 'stale' | 'fenced'>;
  /**
   * Counts a person whom the instance is about to write to for the first time, unless `limit` people have been counted
   * since `from`, the beginning of a day in epoch milliseconds. Each day starts at 0.
   */
  admitNewPerson(
    lease: Lease,
    day: { readonly from: number; readonly limit: number },
  ): Promise<'admitted' | 'limit_reached' | 'fenced'>;
  /** Sets `lastSeenAt`, never backwards, without a new version or an event. Does nothing if the lease is lost. */
  touch(lease: Lease, now: number): Promise<void>;
  /**
   * Writes an entry of the history without a change of the instance, as in `InstanceWrite`: no new version, no signal.
   * Does nothing if the lease is lost.
   */
  note(lease: Lease, entry: HistoryEntry): Promise<void>;

  /**
   * Instances after this id, in id order, that have been down since `before` or earlier, or since a time after `latest`
   * (written before the clock was set back), without a notification so far. Connected instances are left out.
   */
  listDown(query: {
    readonly before: number;
    readonly latest: number;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly Instance[]>;
  /** Claims notifications about instances, as `EndpointStore.claimNotifications` does. */
  claimNotifications(claim: NotificationClaim): Promise<readonly OwedInstanceNotification[]>;
  completeNotification(id: string): Promise<void>;
}
