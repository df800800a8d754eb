import type { Scope } from '@trunkline/core';
import { SCOPES } from '@trunkline/core';

/**
 * A user's rights in the dashboard. `admin` may do everything in every workspace. `workspace` may do everything in one
 * workspace, like a key with every scope. `read-only` sees one workspace, or all if `workspaceId` is missing, and
 * changes nothing.
 */
export type DashboardAccess =
  | { readonly access: 'admin' }
  | { readonly access: 'workspace'; readonly workspaceId: string }
  | { readonly access: 'read-only'; readonly workspaceId?: string | undefined };

export type AccessKind = DashboardAccess['access'];

const KINDS: readonly unknown[] = ['admin', 'workspace', 'read-only'] satisfies readonly AccessKind[];

const READ_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope.endsWith(':read'));

export function scopesOfAccess({ access }: DashboardAccess): readonly Scope[] {
  return access === 'read-only' ? READ_SCOPES : SCOPES;
}

export function accessOfScopes(scopes: readonly Scope[]): 'workspace' | 'read-only' {
  return scopes.every((scope) => READ_SCOPES.includes(scope)) ? 'read-only' : 'workspace';
}

/**
 * Checks the value that `authorize` returned. Throws a TypeError for an unclear value, because a wrong guess could give
 * too much access unnoticed.
 */
export function checkAccess(returned: unknown): DashboardAccess | null {
  if (returned === null) return null;
  if (typeof returned !== 'object') throw wrong(`returned ${typeof returned}`);
  const { access, workspaceId } = returned as { readonly access?: unknown; readonly workspaceId?: unknown };
  if (!KINDS.includes(access)) throw wrong('returned no "access" that there is');
  if (workspaceId !== undefined && (typeof workspaceId !== 'string' || workspaceId === ''))
    throw wrong('returned a "workspaceId" that is not the id of a workspace');
  if (access === 'admin') {
    if (workspaceId !== undefined)
      throw wrong(
        'returned a "workspaceId" for admin, who may use every workspace: return access "workspace"',
      );
    return { access };
  }
  if (access === 'workspace') {
    if (workspaceId === undefined) throw wrong('returned access "workspace" without a "workspaceId"');
    return { access, workspaceId };
  }
  return { access: 'read-only', workspaceId };
}

function wrong(what: string): TypeError {
  return new TypeError(
    `createDashboard: authorize ${what}. It has to return { access: 'admin' | 'workspace' | 'read-only', workspaceId }, or null for no access.`,
  );
}
