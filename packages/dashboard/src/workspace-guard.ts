import type { Principal, Scope } from '@trunkline/core';
import { checkScope, unwrap } from '@trunkline/core/spi/http';
import type { RequestGuard } from '@trunkline/http';
import type { RateLimit } from '@trunkline/http/spi';
import { checkOrigin } from './origin-check.ts';
import { principalIn, refused, signedOut } from './session.ts';
import type { DashboardTrunkline, SessionOf } from './session.ts';

interface WorkspaceGuard {
  readonly trunkline: DashboardTrunkline;
  readonly sessionOf: SessionOf;
  readonly rateLimit: RateLimit | null;
  /** The path of the dashboard's own API, without a trailing slash. */
  readonly apiPath: string;
  readonly publicUrl: string | undefined;
}

/** Guards the REST API's routes below `workspaces/{workspace}` by the session instead of a key. */
export function workspaceGuard(parts: WorkspaceGuard): RequestGuard {
  const { trunkline, sessionOf, rateLimit, apiPath, publicUrl } = parts;

  const principalOf = async (request: Request, options?: { readonly fresh: boolean }): Promise<Principal> => {
    const session = await sessionOf(request, options);
    if (!session) throw signedOut();
    const workspaceId = workspaceIdIn(request, apiPath);
    const expected = request.headers.get('X-Workspace-Id');
    if (expected !== null && expected !== workspaceId)
      throw refused('WORKSPACE_MISMATCH', 'X-Workspace-Id names another workspace than the path.');
    return principalIn(trunkline, session, workspaceId);
  };

  return {
    async admit(request, { scope, onRateLimit = ignore, onStoreFailure = ignore }) {
      checkOrigin(request, publicUrl);
      const principal = await principalOf(request);
      if (rateLimit) {
        // Counted separately from the key's own requests, so that the dashboard does not slow down programs.
        const { apiKey, workspace } = principal;
        const counted = `dashboard ${workspace.id} ${apiKey.id}`;
        const { headers, verdict } = await rateLimit.count(counted, onStoreFailure);
        onRateLimit(headers);
        unwrap(verdict);
      }
      checkMay(principal, scope, request);
      return principal;
    },
    async readmit(request, scope) {
      checkMay(await principalOf(request, { fresh: true }), scope, request);
    },
  };
}

function workspaceIdIn(request: Request, apiPath: string): string {
  const { pathname } = new URL(request.url);
  const prefix = `${apiPath}/workspaces/`;
  const [id = ''] = pathname.startsWith(prefix) ? pathname.slice(prefix.length).split('/', 1) : [];
  if (!/^\w{1,64}$/.test(id)) throw refused('NOT_FOUND', 'There is no such workspace.');
  return id;
}

function checkMay({ apiKey, workspace }: Principal, scope: Scope | null, { method }: Request): void {
  if (scope !== null) unwrap(checkScope(apiKey, scope));
  // Only operators get this far with a suspended workspace.
  if (workspace.suspendedAt !== null && method !== 'GET' && method !== 'HEAD')
    throw refused(
      'WORKSPACE_SUSPENDED',
      'The workspace is suspended: resume it before you change anything in it.',
    );
}

function ignore(): void {}
