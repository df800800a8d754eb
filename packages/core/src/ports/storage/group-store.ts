import type { Group, GroupReport } from '../../domain/instance/group.ts';
import type { Lease } from './lease.ts';

/** The groups that the number of each instance is in, and those that it has left. */
export interface GroupStore {
  /**
   * Adds or updates groups by their network ids. Only new groups get an id (`StorageContext.newId`), in the order of
   * the report; a group that was left is joined again under its previous id. A field that a report leaves out keeps its
   * value; for a new group, `newGroupFacts` decides the value. Other groups stay as they are or, with `full`, become
   * groups that were left. A report whose `isMember` is false makes its group one that was left, and adds none.
   */
  save(save: {
    readonly lease: Lease;
    readonly workspaceId: string;
    readonly groups: readonly GroupReport[];
    /** False by default. */
    readonly full?: boolean;
    readonly now: number;
  }): Promise<'saved' | 'fenced'>;
  /** The groups that the number is in, ordered by name (code points), then id. */
  list(workspaceId: string, instanceId: string): Promise<readonly Group[]>;
  /** Also null if the number is no longer in the group. */
  find(workspaceId: string, instanceId: string, id: string): Promise<Group | null>;
  /** The same for a group of any instance of the workspace. */
  findInWorkspace(workspaceId: string, id: string): Promise<Group | null>;
  /** Also finds a group that was left. */
  findByNetworkId(instanceId: string, networkId: string): Promise<Group | null>;
}
