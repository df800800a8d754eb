import type { Trunkline } from '@trunkline/core';
import { createDashboard } from '@trunkline/dashboard';
import type { Dashboard } from '@trunkline/dashboard';

/** The dashboard for the users of your app. Each customer sees one workspace; anyone else sees nothing. */
export function dashboardFor(
  trunkline: Trunkline,
  workspaceOf: (request: Request) => Promise<string | null>,
): Dashboard {
  return createDashboard(trunkline, {
    basePath: '/messaging',
    async authorize(request) {
      const workspaceId = await workspaceOf(request);
      return workspaceId === null ? null : { access: 'workspace', workspaceId };
    },
  });
}
