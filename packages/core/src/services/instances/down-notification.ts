import type { NewId } from '../../domain/id.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { nextStepOf } from '../../domain/instance/next-step.ts';
import type { OwedInstanceNotification } from '../../ports/storage/owed-notification.ts';

export function downNotification(
  newId: NewId,
  instance: Instance,
  { downSince, now }: { readonly downSince: number; readonly now: number },
): OwedInstanceNotification {
  const { id, workspaceId, name, phoneNumber, status, lastError } = instance;
  const isUp = status === 'connected';
  return {
    id: newId('ntc', now),
    workspaceId,
    kind: isUp ? 'instance_up' : 'instance_down',
    instance: {
      id,
      name,
      phoneNumber,
      status,
      lastError,
      downSince,
      upSince: isUp ? now : null,
      next: nextStepOf(instance, null),
    },
    createdAt: now,
  };
}
