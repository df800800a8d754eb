import { standingOf } from '../../domain/message/message-standing.ts';
import type { MessageStanding } from '../../domain/message/message-standing.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { findMessage } from './messages.ts';

export async function findStanding(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<MessageStanding>> {
  const { storage, clock, gateways } = context;
  const found = await findMessage(context, workspaceId, id);
  if (!found.ok) return found;
  const workspace = await storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();
  const { instanceId, status } = found.value;
  const instance = await storage.instances.find(workspaceId, instanceId);
  const isPaced = status === 'queued' && (await storage.messages.isPaced(instanceId, id));
  return ok(
    standingOf(found.value, {
      instance,
      workspace,
      isPaced,
      hasGateway: instance !== null && gateways.find(instance.network) !== null,
      now: clock.now(),
      wallTime: context.wallTime(),
    }),
  );
}
