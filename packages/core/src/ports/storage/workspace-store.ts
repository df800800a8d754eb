import type { Member, Workspace, WorkspaceChanges } from '../../domain/workspace/workspace.ts';

export interface WorkspaceStore {
  insert(workspace: Workspace): Promise<void>;
  find(id: string): Promise<Workspace | null>;
  /** The workspaces after this id, oldest first. */
  list(page: { readonly after: string | null; readonly limit: number }): Promise<readonly Workspace[]>;
  /**
   * Changes only the given fields; `plan` may have only some of its fields. Returns the workspace as it is now, or null
   * if the workspace does not exist. If the change postpones the workspace (`isPostponed`), claims no longer find its
   * queue heads and its endpoints' deliveries; the cost of this does not grow with the backlog. When the workspace is
   * resumed, claims find them again, signals are sent, and the failure records of its endpoints are reset, since
   * nothing could be delivered before.
   */
  update(id: string, changes: WorkspaceChanges): Promise<Workspace | null>;

  insertMember(member: Member): Promise<void>;
  findMember(workspaceId: string, id: string): Promise<Member | null>;
  /** Oldest first. */
  listMembers(workspaceId: string): Promise<readonly Member[]>;
  updateMember(
    workspaceId: string,
    id: string,
    changes: Partial<Pick<Member, 'email' | 'emailVerified' | 'administersWebhooks'>>,
  ): Promise<Member | null>;
  /**
   * Removes the member and revokes the keys that the member created, at `now`. Returns false if there is no such
   * member. The keys keep their `memberId`, so that they do not become keys of the embedder.
   */
  deleteMember(workspaceId: string, id: string, now: number): Promise<boolean>;
}
