import { SCOPES } from '@trunkline/core';
import type { Admin } from '@trunkline/core';

const NAME = 'next dev';

/** Makes an API key for the first workspace, and revokes those that earlier starts have made. */
export async function newDevelopmentKey({
  workspaces,
  apiKeys,
}: Pick<Admin, 'workspaces' | 'apiKeys'>): Promise<string> {
  const [{ id: workspaceId } = await workspaces.create({ name: 'Development' })] = await workspaces.list();
  for (const { id, name, revokedAt } of await apiKeys.list(workspaceId)) {
    if (name === NAME && revokedAt === null) await apiKeys.revoke(workspaceId, id);
  }
  const { token } = await apiKeys.create({ workspaceId, name: NAME, scopes: SCOPES });
  return token;
}
