import type { Member, Plan, Workspace } from '../../domain/workspace/workspace.ts';

export interface WorkspaceChanges {
  readonly name?: string;
  /** What is left out stays, whoever changes it at the same time. */
  readonly plan?: Partial<Plan>;
  readonly suspendedAt?: number | null;
}

export interface WorkspaceStore {
  insert(workspace: Workspace): Promise<void>;
  find(id: string): Promise<Workspace | null>;
  /** Oldest first, after the id given. */
  list(page: { readonly after: string | null; readonly limit: number }): Promise<readonly Workspace[]>;
  /** Changes what is given, of the plan too; answers the workspace as it is now, or null when there is none. */
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
   * Removes the member and revokes the keys that the member made, at `now`. Answers false when there is none.
   * The keys keep their `memberId`: no key becomes the embedder's own by it.
   */
  deleteMember(workspaceId: string, id: string, now: number): Promise<boolean>;
}
