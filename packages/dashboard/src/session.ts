import type { Principal, Scope, Trunkline, Workspace } from '@trunkline/core';
import { TrunklineError } from '@trunkline/core';
import { checkSuspension, refuse, unwrap } from '@trunkline/core/spi/http';
import { scopesOfAccess } from './access.ts';
import type { AccessKind, DashboardAccess } from './access.ts';

/** The part of a Trunkline that the dashboard needs. */
export type DashboardTrunkline = Pick<
  Trunkline,
  'roles' | 'authenticate' | 'as' | 'newRequestId' | 'admin' | 'logger'
>;

export interface Session {
  readonly access: AccessKind;
  readonly scopes: readonly Scope[];
  /** The only workspace that the session may see; null if all. */
  readonly workspaceId: string | null;
  /** The API key's holder; null without a key. */
  readonly principal: Principal | null;
}

/** Finds the session of a request. `fresh` bypasses results that are cached for a few seconds. */
export type SessionOf = (request: Request, options?: { readonly fresh?: boolean }) => Promise<Session | null>;

export function sessionOfAccess(access: DashboardAccess): Session {
  return {
    access: access.access,
    scopes: scopesOfAccess(access),
    workspaceId: access.access === 'admin' ? null : (access.workspaceId ?? null),
    principal: null,
  };
}

/** The principal for operations on a workspace. Throws a TrunklineError if the session may not see the workspace. */
export async function principalIn(
  trunkline: DashboardTrunkline,
  session: Session,
  workspaceId: string,
): Promise<Principal> {
  // Checked before the lookup, because the session must not learn whether other workspaces exist.
  if (session.workspaceId !== null && session.workspaceId !== workspaceId) throw otherWorkspace();
  if (session.principal) {
    unwrap(checkSuspension(session.principal.workspace));
    return session.principal;
  }
  const workspace = await trunkline.admin.workspaces.find(workspaceId);
  if (!workspace) throw refused('NOT_FOUND', 'There is no such workspace.');
  // Operators may see the data of a suspended workspace.
  if (session.workspaceId !== null) unwrap(checkSuspension(workspace));
  return ownerOf(workspace, session.scopes);
}

/** A principal without a member. Its key, which has the session's scopes, is not stored anywhere. */
function ownerOf(workspace: Workspace, scopes: readonly Scope[]): Principal {
  return {
    workspace,
    member: null,
    apiKey: {
      id: 'dashboard',
      workspaceId: workspace.id,
      memberId: null,
      name: 'Dashboard',
      scopes,
      hash: '',
      prefix: null,
      createdAt: workspace.createdAt,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    },
  };
}

export function signedOut(): TrunklineError {
  return refused('UNAUTHENTICATED', 'You are not signed in: sign in to the dashboard first.');
}

function otherWorkspace(): TrunklineError {
  return refused(
    'WORKSPACE_MISMATCH',
    'This session is for another workspace: sign in with a key of that one.',
  );
}

export function refused(...refusal: Parameters<typeof refuse>): TrunklineError {
  return new TrunklineError(refuse(...refusal).refusal);
}
