/**
 * The right to hold an instance's connection. A write under an older epoch than the stored one is refused, and so is a
 * write under a released lease. A lease ends exactly at the millisecond `now + ttlMs`; until another owner takes it,
 * writes under it are still accepted.
 */
export interface Lease {
  readonly instanceId: string;
  readonly owner: string;
  /** The fencing token: raised by one each time that the lease changes hands. */
  readonly epoch: number;
}
