import { transition } from '../../domain/instance/instance-state.ts';
import type { InstanceTrigger } from '../../domain/instance/instance-state.ts';
import { newsOf, otherNews } from '../../domain/instance/instance-history.ts';
import type { Circumstances } from '../../domain/instance/instance-history.ts';
import { withoutEndedRestriction } from '../../domain/instance/instance-restriction.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { MessageError } from '../../domain/message/message.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { notBefore } from '../../domain/too-far-ahead.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { QueueFailure } from '../../ports/storage/message-store.ts';
import type { OwedInstanceNotification } from '../../ports/storage/owed-notification.ts';
import { changeTries } from '../../runtime/retry.ts';
import { instanceEventObject } from '../../resources/instance.ts';
import type { ServiceContext } from '../context.ts';
import { noGateway } from '../gateways.ts';
import { downNotification } from './down-notification.ts';
import { FencedError } from './fenced-error.ts';
import { createHistoryLog } from './history-log.ts';
import type { HistoryLog } from './history-log.ts';
import { findInstance } from './instances.ts';

export const UNLINKED: MessageError = {
  code: 'instance_logged_out',
  message: 'The number was unlinked before the message was sent: link it again, then send the message again.',
};

const DELETED: MessageError = {
  code: 'instance_deleted',
  message: 'The instance was deleted before the message was sent: send it from another instance.',
};

/** The instance to change. `lease` is the lease under which a gateway makes the change; null for the API. */
interface InstanceTarget {
  readonly workspaceId: string;
  readonly id: string;
  readonly lease: Lease | null;
  /** The instance as the caller knows it, which saves a read if it is current. */
  readonly known?: Instance;
  /** Other changes to write with those of the trigger. */
  readonly changes?: (instance: Instance) => Instance;
  /** The history log of the process that holds the instance. */
  readonly history?: HistoryLog;
}

/**
 * Applies a trigger to an instance: reads, decides, writes, and starts over if another write came in between.
 * The change, its event and deliveries, its history entry and its notification are one transaction. If a
 * decision based on `known` writes nothing, the instance is read and decided again, because only a write shows
 * whether `known` is current.
 */
export async function changeInstance(
  context: ServiceContext,
  target: InstanceTarget,
  trigger: InstanceTrigger,
  circumstances: Circumstances = {},
): Promise<Result<Instance>> {
  const { workspaceId, id: instanceId, lease } = target;
  const history =
    target.history ?? createHistoryLog(context.newId, { workspaceId, instanceId, process: null });
  const nextTry = changeTries(context, 'A change of an instance');
  for (let known = target.known; ; known = undefined) {
    await nextTry();
    const found = known ? ok(known) : await findInstance(context, target.workspaceId, target.id);
    if (!found.ok) return found;
    const { network } = found.value;
    if (!context.gateways.find(network)) return noGateway(network);
    // Never earlier than the last change by any process, so that the events of an instance stay in order.
    const now = notBefore(found.value.updatedAt, context.clock.now());
    const next = transition(target.changes?.(found.value) ?? found.value, trigger, now);
    if (next.kind !== 'changed' && known) continue;
    if (next.kind === 'refused') return { ok: false, refusal: next.refusal };

    const after = next.kind === 'changed' ? next.instance : null;
    const news = newsOf({ before: found.value, after, trigger }, circumstances);
    const entry = news && history.entryOf(news, now);
    if (next.kind === 'unchanged') {
      if (!entry || !lease) return found;
      await context.storage.instances.note(lease, entry);
      history.written(entry);
      return found;
    }

    const { instance, sessionEnds } = next;
    const event =
      next.event &&
      context.newEvent({
        type: next.event,
        workspaceId: instance.workspaceId,
        data: {
          instance: instanceEventObject(
            withoutEndedRestriction(instance, now),
            context.gateways.capabilities(instance),
          ),
        },
        now,
      });
    const eventsFrom = event ? event.occurredAt + 1 : now * 1000;
    const written = await context.storage.instances.write({
      instance,
      lease,
      event,
      entry,
      notification: upNotification(context, found.value, { instance, now }),
      ...(sessionEnds ? { forgetNumber: true, failQueued: { error: UNLINKED, now, eventsFrom } } : {}),
    });
    if (written.kind === 'written') {
      if (entry) history.written(entry);
      if (written.failed)
        context.traffic.failed(
          { workspaceId, instanceId },
          { code: UNLINKED.code, count: written.failed },
          now,
        );
      return ok(written.instance);
    }
    // With `known`, the instance may have been deleted, which the next round notices.
    if (written.kind === 'fenced' && !known) throw new FencedError(target.id);
  }
}

/** The notification that an instance is up again; null unless its outage was reported. */
function upNotification(
  { newId }: ServiceContext,
  { downSince, downNotifiedAt }: Instance,
  { instance, now }: { readonly instance: Instance; readonly now: number },
): OwedInstanceNotification | null {
  const wasReported = downSince !== null && downNotifiedAt !== null;
  return wasReported && instance.status === 'connected'
    ? downNotification(newId, instance, { downSince, now })
    : null;
}

/**
 * Removes an instance and its session. The connection must be closed. Queued messages fail, with their
 * events.
 */
export async function deleteHeldInstance(
  context: ServiceContext,
  { workspaceId, lease }: { workspaceId: string; lease: Lease },
): Promise<void> {
  const nextTry = changeTries(context, 'The deletion of an instance');
  for (;;) {
    await nextTry();
    const instance = await context.storage.instances.find(workspaceId, lease.instanceId);
    if (!instance) return;
    const now = context.clock.now();
    const failQueued = { error: DELETED, now, eventsFrom: now * 1000 };
    await failScheduled(context, { workspaceId, lease, failQueued });
    const { owner: process } = lease;
    const history = createHistoryLog(context.newId, { workspaceId, instanceId: instance.id, process });
    const entry = history.entryOf(
      otherNews(instance, 'deleted', { to: null }),
      notBefore(instance.updatedAt, now),
    );
    const deleted = await context.storage.instances.delete({ instance, lease, failQueued, entry });
    if (deleted === 'deleted') return;
    if (deleted === 'fenced') throw new FencedError(lease.instanceId);
  }
}

/** Fails the scheduled messages of an instance that is about to be deleted, step by step, because there may be many. */
async function failScheduled(
  { storage }: ServiceContext,
  {
    workspaceId,
    lease,
    failQueued,
  }: { readonly workspaceId: string; readonly lease: Lease; readonly failQueued: QueueFailure },
): Promise<void> {
  for (;;) {
    const failed = await storage.schedule.fail(lease, workspaceId, failQueued);
    if (failed === 'fenced') throw new FencedError(lease.instanceId);
    if (failed === 0) return;
  }
}
