import type { Group, GroupReport } from '../../domain/instance/group.ts';
import type { Lease } from './lease.ts';

/** The groups that the number of each instance is in, and those that it has left. */
export interface GroupStore {
  /**
   * Adds or updates groups by their network ids; only new ones get an id (`StorageContext.newId`), in the order of the
   * report, and one that was left is joined again under the id that it had. Others stay as they are, or are left with
   * `full`.
   */
  save(save: {
    readonly lease: Lease;
    readonly workspaceId: string;
    readonly groups: readonly GroupReport[];
    /** By default false. */
    readonly full?: boolean;
    readonly now: number;
  }): Promise<'saved' | 'fenced'>;
  /** Those that the number is in. Ordered by name (code points), then id. */
  list(workspaceId: string, instanceId: string): Promise<readonly Group[]>;
  /** Null too where the number is not in it any more. */
  find(workspaceId: string, instanceId: string, id: string): Promise<Group | null>;
  /** One that was left, too. */
  findByNetworkId(instanceId: string, networkId: string): Promise<Group | null>;
}
