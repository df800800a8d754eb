import { checkScope, checkSuspension, refuse, unwrap } from '@trunkline/core/spi/http';
import type { Trunkline, Workspace } from '@trunkline/core';
import type { Result } from '@trunkline/core/spi/http';
import { checkHttpOptions } from './http-options.ts';
import type { HttpAppOptions } from './http-options.ts';
import { createRateLimit } from './rate-limit.ts';
import type { RequestGuard } from './request-guard.ts';

/**
 * Creates a guard for `createHttpApp` and for your own routes next to it, so that they share the keys and the rate
 * limit.
 *
 * ```ts
 * const guard = createGuard(trunkline);
 * app.route('/', createHttpApp(trunkline, { guard }));
 * app.post('/reports', async (c) => {
 *   const { workspace } = await guard.admit(c.req.raw, { scope: 'messages:read' });
 *   return c.json(await report(workspace.id));
 * });
 * ```
 *
 * Throws a TypeError if an option is wrong.
 */
export function createGuard(
  trunkline: Pick<Trunkline, 'authenticate'>,
  options: Pick<HttpAppOptions, 'rateLimit'> = {},
): RequestGuard {
  const { rateLimit: limit } = checkHttpOptions(options, 'createGuard');
  const rateLimit = limit === false ? null : createRateLimit(limit);
  return {
    async admit({ headers }, { scope, onRateLimit = ignore, onStoreFailure = ignore }) {
      const principal = await trunkline.authenticate(headers.get('Authorization'));
      const open = checkOpen(principal.workspace, headers.get('X-Workspace-Id'));
      // Count after these checks, so that a request that they refuse does not count. Every response to a known key
      // still has the headers of its limit.
      const keyId = principal.apiKey.id;
      const rate = await (open.ok
        ? rateLimit?.count(keyId, onStoreFailure)
        : rateLimit?.look(keyId, onStoreFailure));
      if (rate) onRateLimit(rate.headers);
      unwrap(open);
      if (rate) unwrap(rate.verdict);
      if (scope !== null) unwrap(checkScope(principal.apiKey, scope));
      return principal;
    },
    async readmit({ headers }, scope) {
      const principal = await trunkline.authenticate(headers.get('Authorization'), { fresh: true });
      unwrap(checkOpen(principal.workspace, headers.get('X-Workspace-Id')));
      if (scope !== null) unwrap(checkScope(principal.apiKey, scope));
    },
  };
}

function ignore(): void {}

function checkOpen(workspace: Workspace, expectedId: string | null): Result<Workspace> {
  return expectedId === null || expectedId === workspace.id
    ? checkSuspension(workspace)
    : refuse(
        'WORKSPACE_MISMATCH',
        'The API key belongs to another workspace than the one in X-Workspace-Id: use a key of that workspace, or leave the header out.',
      );
}
