/**
 * One step of a pass over everything that waits for a time after `now`. It reads at most `limit` rows, by an index,
 * however much is queued.
 */
export interface WaitsStep {
  readonly now: number;
  /** The return value of the previous step; null for the first step. */
  readonly after: string | null;
  readonly limit: number;
}
