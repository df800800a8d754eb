/** A group that the instance's number is in, or was. `networkId` is the messaging network's own name for it. */
export interface Group {
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly networkId: string;
  readonly name: string;
  readonly participantsCount: number;
  /** False once the number has left it, or was unlinked. Its id is kept: messages name it, and it may be joined again. */
  readonly isMember: boolean;
  readonly syncedAt: number;
}

/** A group as a gateway reports it, before it has an id of ours. */
export interface GroupReport {
  readonly networkId: string;
  readonly name: string;
  readonly participantsCount: number;
}
