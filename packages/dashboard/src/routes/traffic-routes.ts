import { checkScope, unwrap } from '@trunkline/core/spi/http';
import { dataResponse } from '../json-response.ts';
import type { HourResource } from '../schemas/hours.ts';
import { principalIn, signedOut } from '../session.ts';
import type { DashboardTrunkline } from '../session.ts';
import { time } from './admin-resources.ts';
import type { OwnRequest, OwnRoute } from './own-route.ts';
import { queueResource } from './queue-resource.ts';

/** How the messages of a workspace go: what waits to be sent, and how many there were in each hour. */
export function trafficRoutes(trunkline: DashboardTrunkline): readonly OwnRoute[] {
  /** The workspace, for those who may read its messages. */
  const workspaceIn = async ({ session, parameter }: OwnRequest): Promise<string> => {
    if (!session) throw signedOut();
    const { apiKey, workspace } = await principalIn(trunkline, session, parameter('workspace'));
    unwrap(checkScope(apiKey, 'messages:read'));
    return workspace.id;
  };
  const queues: OwnRoute['handle'] = async (request) => {
    const id = await workspaceIn(request);
    const found = await trunkline.admin.queues(id, request.parameter('instance') || undefined);
    return dataResponse(found.map(queueResource));
  };
  const hours: OwnRoute['handle'] = async (request) => {
    const counted = await trunkline.admin.messagesByHour(await workspaceIn(request));
    const resources: readonly HourResource[] = counted.map(({ from, messages }) => ({
      from: time(from),
      messages,
    }));
    return dataResponse(resources);
  };
  return [
    { method: 'GET', path: '/workspaces/:workspace/queues', access: 'session', handle: queues },
    { method: 'GET', path: '/workspaces/:workspace/queues/:instance', access: 'session', handle: queues },
    { method: 'GET', path: '/workspaces/:workspace/hours', access: 'session', handle: hours },
  ];
}
