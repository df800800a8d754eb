import type { Member, Workspace, WorkspaceChanges } from '../../domain/workspace/workspace.ts';

export interface WorkspaceStore {
  insert(workspace: Workspace): Promise<void>;
  find(id: string): Promise<Workspace | null>;
  /** Oldest first, after the id given. */
  list(page: { readonly after: string | null; readonly limit: number }): Promise<readonly Workspace[]>;
  /**
   * Changes what is given, of the plan too; returns the workspace as it is now, or null when there is none. When that
   * makes it postponed (`isPostponed`), its queue heads and its endpoints' deliveries are not found by claims, at no cost
   * that grows with what waits. When it goes on, they are found again and signalled, and the failure records of its
   * endpoints start again: nothing could be delivered meanwhile.
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
   * Removes the member and revokes the keys that the member made, at `now`. Returns false when there is none.
   * The keys keep their `memberId`: no key becomes the embedder's own by it.
   */
  deleteMember(workspaceId: string, id: string, now: number): Promise<boolean>;
}
