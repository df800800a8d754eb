import { checkScope, unwrap } from '@trunkline/core/spi/http';
import { dataResponse } from '../json-response.ts';
import type { QueueResource } from '../schemas/queues.ts';
import { principalIn, signedOut } from '../session.ts';
import type { DashboardTrunkline } from '../session.ts';
import { time } from './admin-resources.ts';
import type { OwnRoute } from './own-route.ts';

/** What waits to be sent: of a workspace, or of one number. */
export function queueRoutes(trunkline: DashboardTrunkline): readonly OwnRoute[] {
  const handle: OwnRoute['handle'] = async ({ session, parameter }) => {
    if (!session) throw signedOut();
    const { apiKey, workspace } = await principalIn(trunkline, session, parameter('workspace'));
    unwrap(checkScope(apiKey, 'messages:read'));
    const queues = await trunkline.admin.queues(workspace.id, parameter('instance') || undefined);
    const resources: readonly QueueResource[] = queues.map(({ instanceId, queued, oldest, heldBy }) => ({
      instance_id: instanceId,
      queued,
      oldest: oldest && { message_id: oldest.messageId, since: time(oldest.since) },
      held_by: heldBy,
    }));
    return dataResponse(resources);
  };
  return [
    { method: 'GET', path: '/workspaces/:workspace/queues', access: 'session', handle },
    { method: 'GET', path: '/workspaces/:workspace/queues/:instance', access: 'session', handle },
  ];
}
