import type { Scope } from '@trunkline/core';
import type { RequestGuard } from '@trunkline/http';
import { dataResponse } from '../json-response.ts';
import type { OverviewResource } from '../schemas/overview.ts';
import type { DashboardTrunkline } from '../session.ts';
import type { OwnRoute } from './own-route.ts';
import { queueResource } from './queue-resource.ts';

/** The data of the page Now in one request. Its cost does not grow with the history. */
export function overviewRoutes(
  trunkline: DashboardTrunkline,
  guard: Pick<RequestGuard, 'admit'>,
): readonly OwnRoute[] {
  return [
    {
      method: 'GET',
      path: '/workspaces/:workspace/overview',
      access: 'session',
      async handle({ request }) {
        const principal = await guard.admit(request, { scope: null });
        const api = trunkline.as(principal);
        const may = (scope: Scope): boolean => principal.apiKey.scopes.includes(scope);
        const [numbers, queues, webhooks] = await Promise.all([
          may('instances:read') ? api.instances.list() : null,
          may('messages:read') ? trunkline.admin.queues(principal.workspace.id) : null,
          may('webhooks:read') ? api.webhooks.list() : null,
        ]);
        const overview: OverviewResource = {
          numbers: numbers && numbers.data,
          queues: queues && queues.map(queueResource),
          webhooks: webhooks && webhooks.data,
        };
        return dataResponse(overview);
      },
    },
  ];
}
