/**
 * One step of a pass over the deliveries and events that wait. It reads at most `limit` rows, by an index, however much
 * is queued.
 */
export interface WaitsStep {
  readonly now: number;
  /** The return value of the previous step; null for the first step. */
  readonly after: string | null;
  readonly limit: number;
  /** The length of a claim of an event. */
  readonly leaseMs: number;
}
