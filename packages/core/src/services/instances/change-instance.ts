import { transition } from '../../domain/instance/instance-state.ts';
import type { InstanceTrigger } from '../../domain/instance/instance-state.ts';
import { withoutEndedRestriction } from '../../domain/instance/instance-restriction.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { MessageError } from '../../domain/message/message.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { notBefore } from '../../domain/too-far-ahead.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { instanceEventObject } from '../../resources/instance.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from './fenced-error.ts';
import { findInstance } from './instances.ts';

/** Why what is still queued fails when its number is unlinked. */
const UNLINKED: MessageError = {
  code: 'instance_logged_out',
  message: 'The number was unlinked before the message was sent: link it again, then send the message again.',
};

/** Why what is still queued fails when its instance is deleted. */
const DELETED: MessageError = {
  code: 'instance_deleted',
  message: 'The instance was deleted before the message was sent: send it from another instance.',
};

/** Who changes an instance: the API, or the gateway that holds it under a lease. */
interface InstanceTarget {
  readonly workspaceId: string;
  readonly id: string;
  readonly lease: Lease | null;
  /** As the caller knows it, which saves reading it where that is right. */
  readonly known?: Instance;
}

/**
 * Applies a trigger to an instance: reads, decides, writes, and starts over when somebody else wrote in between.
 * The change, its event and its deliveries are one transaction. What is decided on `known` counts only once it is written,
 * since only a write finds out whether that is still so.
 */
export async function changeInstance(
  context: ServiceContext,
  target: InstanceTarget,
  trigger: InstanceTrigger,
): Promise<Result<Instance>> {
  for (let known = target.known; ; known = undefined) {
    const found = known ? ok(known) : await findInstance(context, target.workspaceId, target.id);
    if (!found.ok) return found;
    // Not before the last change, whichever process made it: the events of an instance are in order.
    const now = notBefore(found.value.updatedAt, context.clock.now());
    const next = transition(found.value, trigger, now);
    if (next.kind !== 'changed' && known) continue;
    if (next.kind === 'unchanged') return found;
    if (next.kind === 'refused') return { ok: false, refusal: next.refusal };

    const { instance, sessionEnds } = next;
    const event =
      next.event &&
      context.newEvent({
        type: next.event,
        workspaceId: instance.workspaceId,
        data: { instance: instanceEventObject(withoutEndedRestriction(instance, now), context.capabilities) },
        now,
      });
    const eventsFrom = event ? event.occurredAt + 1 : now * 1000;
    const written = await context.storage.instances.write({
      instance,
      lease: target.lease,
      event,
      ...(sessionEnds ? { forgetNumber: true, failQueued: { error: UNLINKED, now, eventsFrom } } : {}),
    });
    if (written.kind === 'written') return ok(written.instance);
    // One that is gone is fenced, too: without `known` it is not found.
    if (written.kind === 'fenced' && !known) throw new FencedError(target.id);
  }
}

/** Removes an instance whose connection is closed, with its session; its queued messages fail with their events. */
export async function deleteHeldInstance(
  context: ServiceContext,
  { workspaceId, lease }: { workspaceId: string; lease: Lease },
): Promise<void> {
  for (;;) {
    const instance = await context.storage.instances.find(workspaceId, lease.instanceId);
    if (!instance) return;
    const now = context.clock.now();
    const failQueued = { error: DELETED, now, eventsFrom: now * 1000 };
    const deleted = await context.storage.instances.delete({ instance, lease, failQueued });
    if (deleted === 'deleted') return;
    if (deleted === 'fenced') throw new FencedError(lease.instanceId);
  }
}
