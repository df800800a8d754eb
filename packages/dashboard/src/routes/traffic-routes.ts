import type { RequestGuard } from '@trunkline/http';
import { dataResponse } from '../json-response.ts';
import type { HourResource } from '../schemas/hours.ts';
import type { DashboardTrunkline } from '../session.ts';
import { timestamp } from '@trunkline/core/spi/http';
import type { OwnRequest, OwnRoute } from './own-route.ts';
import { queueResource } from './queue-resource.ts';

/** A workspace's queues, and its messages by hour. */
export function trafficRoutes(
  { admin }: Pick<DashboardTrunkline, 'admin'>,
  guard: Pick<RequestGuard, 'admit'>,
): readonly OwnRoute[] {
  /** Returns the id of the workspace if the sender may read its messages. */
  const workspaceIn = async ({ request }: OwnRequest): Promise<string> =>
    (await guard.admit(request, { scope: 'messages:read' })).workspace.id;
  const queue: OwnRoute['handle'] = async (request) => {
    const found = await admin.queues(await workspaceIn(request), request.parameter('instance'));
    return dataResponse(found.map(queueResource));
  };
  const hours: OwnRoute['handle'] = async (request) => {
    const counted = await admin.messagesByHour(await workspaceIn(request));
    const resources: readonly HourResource[] = counted.map(({ from, messages }) => ({
      from: timestamp(from),
      messages,
    }));
    return dataResponse(resources);
  };
  return [
    { method: 'GET', path: '/workspaces/:workspace/queues/:instance', access: 'session', handle: queue },
    { method: 'GET', path: '/workspaces/:workspace/hours', access: 'session', handle: hours },
  ];
}
