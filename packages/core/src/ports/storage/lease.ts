/**
 * The right to hold an instance's connection. Writes under an older epoch than the stored one, or under a released
 * lease, are refused. A lease ends exactly at the millisecond `now + ttlMs`; until another owner takes it, writes under
 * it are still accepted.
 */
export interface Lease {
  readonly instanceId: string;
  readonly owner: string;
  /** The fencing token: raised by one each time that the lease is taken. */
  readonly epoch: number;
}
