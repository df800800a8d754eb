import type { Instance } from '../../domain/instance/instance.ts';
import type { Lease } from './lease.ts';

export interface LeasedInstance {
  readonly instance: Instance;
  readonly lease: Lease;
}

/** Which process holds the connection of which instance. */
export interface LeaseStore {
  /**
   * Takes leases, at most `limit`, on instances that need a gateway (wanted running, or with an operation open) and
   * whose lease is free, has expired or lies too far ahead (`latestLeaseEnd`), or that are reserved for this owner;
   * longest free first: those never held or released, then by the end of their lease or reservation, then by id. Each
   * gets the next epoch; the first is 1.
   */
  claim(claim: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
    readonly limit: number;
    /** Leave what lies too far ahead to its owner: it is the time of the one that asks that is wrong. */
    readonly leaveAhead?: boolean;
  }): Promise<readonly LeasedInstance[]>;
  /** Prolongs all leases of this owner that have not expired, and returns them with their instances as they are now. */
  renew(renewal: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
  }): Promise<readonly LeasedInstance[]>;
  /**
   * Releases a lease immediately, and signals `instance`. Does nothing when it is lost. With a reservation, nobody
   * but its owner can take the instance before `until`.
   */
  release(lease: Lease, reservation?: { readonly owner: string; readonly until: number }): Promise<void>;
  /** The one that holds the instance at `now`; null when nobody does. */
  find(instanceId: string, now: number): Promise<Lease | null>;
}
