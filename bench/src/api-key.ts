import type { Trunkline } from '@trunkline/core';

/** A new API key of a workspace that may do everything that a benchmark does. Returns its token. */
export async function createApiKey({ admin }: Trunkline, workspaceId: string): Promise<string> {
  const scopes = [
    'instances:read',
    'instances:write',
    'messages:send',
    'messages:read',
    'webhooks:read',
    'webhooks:write',
  ] as const;
  return (await admin.apiKeys.create({ workspaceId, name: 'bench', scopes })).token;
}
