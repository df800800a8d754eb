/** A group that the instance's number is in, or was in. `networkId` is the messaging network's id of the group. */
export interface Group {
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly networkId: string;
  readonly name: string;
  readonly participantsCount: number;
  /**
   * False once the number has left the group, or was unlinked. The group keeps its id, since messages refer to it and
   * the number may join it again.
   */
  readonly isMember: boolean;
  readonly syncedAt: number;
}

/**
 * A group as a gateway reports it, before it has an id in Trunkline. A field that the report leaves out keeps its known
 * value.
 */
export interface GroupReport {
  readonly networkId: string;
  readonly name?: string | undefined;
  readonly participantsCount?: number | undefined;
  /** False if the number is no longer in the group. By default, it is. */
  readonly isMember?: boolean | undefined;
}

/** The name and the size of a new group. Until the name is reported, the network id is used as the name. */
export function newGroupFacts({
  networkId,
  name = networkId,
  participantsCount = 0,
}: GroupReport): Pick<Group, 'name' | 'participantsCount'> {
  return { name, participantsCount };
}
