import type { RequestGuard } from '@trunkline/http';
import { dataResponse } from '../json-response.ts';
import type { DashboardTrunkline } from '../session.ts';
import type { OwnRoute } from './own-route.ts';
import { queueResource } from './queue-resource.ts';

/** The queue of an instance. */
export function queueRoutes(
  { admin }: Pick<DashboardTrunkline, 'admin'>,
  guard: Pick<RequestGuard, 'admit'>,
): readonly OwnRoute[] {
  const queue: OwnRoute['handle'] = async ({ request, parameter }) => {
    const { workspace } = await guard.admit(request, { scope: 'messages:read' });
    const found = await admin.queues(workspace.id, parameter('instance'));
    return dataResponse(found.map(queueResource));
  };
  return [
    { method: 'GET', path: '/workspaces/:workspace/queues/:instance', access: 'session', handle: queue },
  ];
}
