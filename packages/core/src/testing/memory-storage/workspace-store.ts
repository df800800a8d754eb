import { isPostponed } from '../../domain/workspace/plan-rules.ts';
import { changedWorkspace } from '../../domain/workspace/workspace.ts';
import type { Member, Workspace, WorkspaceChanges } from '../../domain/workspace/workspace.ts';
import type { WorkspaceStore } from '../../ports/storage/workspace-store.ts';
import { byId } from './order.ts';
import { resumeWork } from './postponement.ts';
import { insertRow } from './state.ts';
import type { State } from './state.ts';

export class MemoryWorkspaceStore implements WorkspaceStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async insert(workspace: Workspace): Promise<void> {
    insertRow(this.#state.workspaces, workspace.id, structuredClone(workspace));
  }

  async find(id: string): Promise<Workspace | null> {
    return structuredClone(this.#state.workspaces.get(id) ?? null);
  }

  async list(page: { readonly after: string | null; readonly limit: number }): Promise<readonly Workspace[]> {
    const { after, limit } = page;
    const rows = [...this.#state.workspaces.values()].filter(({ id }) => after === null || id > after);
    return structuredClone(rows.toSorted(byId).slice(0, limit));
  }

  async update(id: string, changes: WorkspaceChanges): Promise<Workspace | null> {
    const stored = this.#state.workspaces.get(id);
    if (!stored) return null;
    const workspace = structuredClone(changedWorkspace(stored, changes));
    this.#state.workspaces.set(id, workspace);
    if (isPostponed(stored) && !isPostponed(workspace)) resumeWork(this.#state, id);
    this.#state.signal({ topic: 'workspace', workspaceId: id });
    return structuredClone(workspace);
  }

  async insertMember(member: Member): Promise<void> {
    insertRow(this.#state.members, member.id, structuredClone(member));
  }

  async findMember(workspaceId: string, id: string): Promise<Member | null> {
    return structuredClone(this.#member(workspaceId, id) ?? null);
  }

  async listMembers(workspaceId: string): Promise<readonly Member[]> {
    const rows = [...this.#state.members.values()].filter((member) => member.workspaceId === workspaceId);
    return structuredClone(rows.toSorted(byId));
  }

  async updateMember(
    workspaceId: string,
    id: string,
    changes: Partial<Pick<Member, 'email' | 'emailVerified' | 'administersWebhooks'>>,
  ): Promise<Member | null> {
    const stored = this.#member(workspaceId, id);
    if (!stored) return null;
    const member = { ...stored, ...changes };
    this.#state.members.set(id, member);
    this.#state.signal({ topic: 'workspace', workspaceId });
    return structuredClone(member);
  }

  async deleteMember(workspaceId: string, id: string, now: number): Promise<boolean> {
    if (!this.#member(workspaceId, id)) return false;
    this.#state.members.delete(id);
    for (const apiKey of this.#state.apiKeys.values()) {
      if (apiKey.memberId !== id || apiKey.revokedAt !== null) continue;
      this.#state.apiKeys.set(apiKey.id, { ...apiKey, revokedAt: now });
    }
    this.#state.signal({ topic: 'workspace', workspaceId });
    return true;
  }

  #member(workspaceId: string, id: string): Member | undefined {
    const member = this.#state.members.get(id);
    return member?.workspaceId === workspaceId ? member : undefined;
  }
}
