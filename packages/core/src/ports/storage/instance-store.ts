import type { Event } from '../../domain/event/event.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Lease } from './lease.ts';
import type { QueueFailure } from './message-store.ts';

/** A decision about an instance, written only if nothing has changed since it was taken. */
export interface InstanceWrite {
  /**
   * The instance as it is to be; its `version` is the one it was decided on, and is raised by the write. A later
   * `lastSeenAt` that is stored is kept, since `touch` raises no version. One that is gone is `stale`, or `fenced` under a lease.
   */
  readonly instance: Instance;
  readonly event: Event | null;
  /** The lease that a gateway's write is made under, checked before the version; null for a write of the API. */
  readonly lease: Lease | null;
  /**
   * If given, every queued message of the instance fails with it (`failQueue`), in queue order and in this
   * transaction, after `event` is stored.
   */
  readonly failQueued?: QueueFailure;
  /** Erase the session and leave the groups too: they are the number's that is unlinked. */
  readonly forgetNumber?: boolean;
}

/** `stale`: read again and decide again. `fenced`: another process holds the instance now. */
export type InstanceWriteResult =
  { readonly kind: 'written'; readonly instance: Instance } | { readonly kind: 'stale' | 'fenced' };

export interface InstanceStore {
  /** Inserts unless the workspace has `limit` instances: one transaction, so that two calls cannot both pass. */
  insert(instance: Instance, limit: number | null): Promise<'inserted' | 'limit_reached'>;
  find(workspaceId: string, id: string): Promise<Instance | null>;
  /** Oldest first. */
  list(workspaceId: string): Promise<readonly Instance[]>;
  write(write: InstanceWrite): Promise<InstanceWriteResult>;
  /**
   * Removes the instance with its session, groups and lease; its queued messages fail. All of its messages stay.
   * In one transaction, under the lease.
   */
  delete(deletion: {
    readonly instance: Instance;
    readonly lease: Lease;
    readonly failQueued: QueueFailure;
  }): Promise<'deleted' | 'stale' | 'fenced'>;
  /** Sets `lastSeenAt`, never backwards; no version, no event. Nothing when the lease is lost. */
  touch(lease: Lease, now: number): Promise<void>;
}
