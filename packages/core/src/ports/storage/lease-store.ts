import type { Instance } from '../../domain/instance/instance.ts';
import type { Lease } from './lease.ts';

export interface LeasedInstance {
  readonly instance: Instance;
  readonly lease: Lease;
}

/** An instance that was just taken. */
export interface ClaimedInstance extends LeasedInstance {
  /**
   * The owner whose lease ran out, or whose process was found to have ended; null if the lease was released or never
   * held.
   */
  readonly takenFrom: string | null;
}

/** The leases by which processes hold the connections of instances. */
export interface LeaseStore {
  /**
   * Takes at most `limit` leases on instances of these networks that need a gateway, because they should run or have an
   * open operation.
   * Each lease is free, has expired, is too far ahead (`latestLeaseEnd`), or is reserved for this owner. The longest
   * free instances come first: those never held or released, then by the end of their lease or reservation, then by id.
   * Each lease gets the next epoch; the first is 1.
   */
  claim(claim: {
    readonly owner: string;
    /** The networks that the owner has gateways for. */
    readonly networks: readonly string[];
    readonly now: number;
    readonly ttlMs: number;
    readonly limit: number;
    /** Whether leases that are too far ahead stay with their owners, because the caller's time may be wrong. */
    readonly leaveAhead?: boolean;
  }): Promise<readonly ClaimedInstance[]>;
  /** Extends all leases of this owner that have not expired, and returns them with their instances as they are now. */
  renew(renewal: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
  }): Promise<readonly LeasedInstance[]>;
  /**
   * Releases a lease immediately, and signals `instance`. Does nothing if the lease is lost. With a reservation, only
   * its owner can take the instance before `until`.
   */
  release(lease: Lease, reservation?: { readonly owner: string; readonly until: number }): Promise<void>;
  /** The networks of the instances that need a gateway, in alphabetical order. */
  neededNetworks(): Promise<readonly string[]>;
  /** The lease that is valid at `now`; null if no process holds the instance. */
  find(instanceId: string, now: number): Promise<Lease | null>;
}
