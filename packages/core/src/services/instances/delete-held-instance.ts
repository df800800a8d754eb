import type { Lease } from '../../ports/storage/lease.ts';
import type { ServiceContext } from '../context.ts';
import { failDeletedMessage } from '../messages/fail-queued.ts';
import { FencedError } from './change-instance.ts';

/** Removes an instance whose connection is closed, with its session; its queued messages fail with their events. */
export async function deleteHeldInstance(
  context: ServiceContext,
  { workspaceId, lease }: { workspaceId: string; lease: Lease },
): Promise<void> {
  for (;;) {
    const instance = await context.storage.instances.find(workspaceId, lease.instanceId);
    if (!instance) return;
    const settleQueued = failDeletedMessage(context, context.clock.now());
    const deleted = await context.storage.instances.delete({ instance, lease, settleQueued });
    if (deleted === 'deleted') return;
    if (deleted === 'fenced') throw new FencedError(lease.instanceId);
  }
}
