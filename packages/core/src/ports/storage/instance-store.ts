import type { Event } from '../../domain/event/event.ts';
import type { Group, GroupReport } from '../../domain/instance/group.ts';
import type { GatewayShare } from '../../domain/instance/instance-shares.ts';
import type { NewId } from '../../domain/id.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Lease } from './lease.ts';
import type { MessageChange } from './message-store.ts';

export interface LeasedInstance {
  readonly instance: Instance;
  readonly lease: Lease;
}

/** A decision about an instance, written only if nothing has changed since it was taken. */
export interface InstanceWrite {
  /**
   * The instance as it is to be; its `version` is the one it was decided on, and is raised by the write. A later
   * `lastSeenAt` that is stored is kept, since `seen` raises no version. One that is gone is `stale`, or `fenced` under a lease.
   */
  readonly instance: Instance;
  readonly event: Event | null;
  /** The lease that a gateway's write is made under, checked before the version; null for a write of the API. */
  readonly lease: Lease | null;
  /**
   * Where given, every queued message of the instance is settled by it, in queue order and in this transaction, after
   * `event` is stored. Pure, and may be called again.
   */
  readonly settleQueued?: (message: Message) => MessageChange;
  /** Erase the session and leave the groups too: they are the number's that is unlinked. */
  readonly forgetNumber?: boolean;
}

/** `stale`: read again and decide again. `fenced`: another process holds the instance now. */
export type InstanceWriteResult =
  { readonly kind: 'written'; readonly instance: Instance } | { readonly kind: 'stale' | 'fenced' };

export interface InstanceStore {
  /** Inserts unless the workspace has `limit` instances; one transaction, so that two at once cannot both pass. */
  insert(instance: Instance, limit: number | null): Promise<'inserted' | 'limit_reached'>;
  find(workspaceId: string, id: string): Promise<Instance | null>;
  /** Oldest first. */
  list(workspaceId: string): Promise<readonly Instance[]>;
  write(write: InstanceWrite): Promise<InstanceWriteResult>;
  /**
   * Removes the instance with its session, groups and lease; settles its queued messages. Its messages stay.
   * In one transaction, under the lease.
   */
  delete(deletion: {
    readonly instance: Instance;
    readonly lease: Lease;
    readonly settleQueued: (message: Message) => MessageChange;
  }): Promise<'deleted' | 'stale' | 'fenced'>;
  /** Notes a sign of life, never backwards; no version, no event. Nothing when the lease is lost. */
  seen(lease: Lease, now: number): Promise<void>;

  /**
   * Takes leases, at most `limit`, on instances that need a gateway (wanted running, or with an operation open) and
   * whose lease is free, has expired or lies too far ahead (`latestLeaseEnd`), or that are reserved for this owner;
   * longest free first: those never held or released, then by the end of their lease or reservation, then by id. Each
   * gets the next epoch; the first is 1.
   */
  claimLeases(claim: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
    readonly limit: number;
    /** Leave what lies too far ahead to its owner: it is the time of the one that asks that is wrong. */
    readonly leaveAhead?: boolean;
  }): Promise<readonly LeasedInstance[]>;
  /** Prolongs all leases of this owner that have not expired, and answers them with their instances as they are now. */
  renewLeases(renewal: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
  }): Promise<readonly LeasedInstance[]>;
  /**
   * Releases a lease immediately, and signals `instance`. Nothing when it is lost already. With a reservation, nobody
   * but its owner can take the instance before `until`.
   */
  releaseLease(lease: Lease, reservation?: { readonly owner: string; readonly until: number }): Promise<void>;
  /**
   * Notes that this owner is at work at `now`, and until when it asks for instances (by default it does not). Those who
   * were last at work at `since` or earlier, or too far ahead (`latestCheckIn`), are forgotten.
   */
  checkIn(
    owner: string,
    report: { readonly now: number; readonly since: number; readonly asksUntil?: number },
  ): Promise<GatewayShare>;
  /** This owner is at work no more. */
  checkOut(owner: string): Promise<void>;
  /** The one that holds the instance at `now`; null when nobody does. */
  findLease(instanceId: string, now: number): Promise<Lease | null>;

  /** The gateway's stored values, still sealed. */
  loadSession(instanceId: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Null deletes. One transaction. */
  saveSession(lease: Lease, changes: ReadonlyMap<string, Uint8Array | null>): Promise<'saved' | 'fenced'>;
  /**
   * Replaces each stored value that still is `from`, in one transaction. Only for the same plaintext, sealed otherwise:
   * it needs no lease, as the holder of one reads the same in both, and its own writes win.
   */
  replaceSessionValues(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void>;

  /**
   * Adds or updates groups by their network ids; only new ones get an id, in the order of the report, and one that was
   * left is joined again under the id that it had. Others stay as they are, or are left with `full`.
   */
  saveGroups(save: {
    readonly lease: Lease;
    readonly workspaceId: string;
    readonly groups: readonly GroupReport[];
    /** By default false. */
    readonly full?: boolean;
    readonly now: number;
    readonly newId: NewId;
  }): Promise<'saved' | 'fenced'>;
  /** Those that the number is in. Ordered by name (code points), then id. */
  listGroups(workspaceId: string, instanceId: string): Promise<readonly Group[]>;
  /** Null too where the number is not in it any more. */
  findGroup(workspaceId: string, instanceId: string, id: string): Promise<Group | null>;
  /** One that was left, too. */
  findGroupByNetworkId(instanceId: string, networkId: string): Promise<Group | null>;
}
