import type { TrafficKind, TrafficRow } from '../../domain/traffic/traffic.ts';

/** Counts over time, for each instance, webhook and workspace. They are deleted with their instance or webhook. */
export interface TrafficStore {
  /**
   * Adds the counts to the stored ones. There is at most one row for each object and quarter. Leaves out rows of objects
   * that do not exist, or no longer. Processes may add to the same rows concurrently.
   */
  add(rows: readonly TrafficRow[]): Promise<void>;
  /** The rows of objects of a workspace, by id and then oldest first. Other ids have no rows. */
  read(workspaceId: string, of: TrafficSelection): Promise<readonly TrafficRow[]>;
  /** Deletes rows of quarters that began before `before`, at most `limit`. Returns how many. */
  deleteBefore(before: number, limit: number): Promise<number>;
}

/** The quarters that began between `from` (inclusive) and `to` (exclusive), in epoch milliseconds. */
export interface TrafficSelection {
  readonly kind: TrafficKind;
  readonly ids: readonly string[];
  readonly from: number;
  readonly to: number;
}
