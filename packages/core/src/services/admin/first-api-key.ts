import { isUsable } from '../../domain/api-key/authorization.ts';
import { SCOPES } from '../../domain/api-key/api-key.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { createApiKey } from './api-keys.ts';
import { createWorkspace } from './workspaces.ts';

/** The workspace of the first API key, and the value of the key if this call has created it. */
export interface FirstApiKey {
  /** The oldest workspace, `ten_…`. */
  readonly workspaceId: string;
  /** The value of the new key; null if the workspace had a valid key, of which only the hash is stored. */
  readonly token: string | null;
}

/** Creates a key for the oldest workspace (created if missing), unless that workspace has a valid key. */
export async function createFirstApiKey(context: ServiceContext): Promise<Result<FirstApiKey>> {
  const { storage, clock } = context;
  const [oldest] = await storage.workspaces.list({ after: null, limit: 1 });
  const workspace = oldest ? ok(oldest) : await createWorkspace(context, { name: 'Default workspace' });
  if (!workspace.ok) return workspace;
  const { id: workspaceId } = workspace.value;
  const now = clock.now();
  if ((await storage.apiKeys.list(workspaceId)).some((known) => isUsable(known, now)))
    return ok({ workspaceId, token: null });
  const created = await createApiKey(context, { workspaceId, name: 'First key', scopes: SCOPES });
  return created.ok ? ok({ workspaceId, token: created.value.token }) : created;
}
