import type { InstanceQueue } from '@trunkline/core';
import type { QueueResource } from '../schemas/queues.ts';
import { time } from './admin-resources.ts';

export function queueResource({ instanceId, queued, oldest, heldBy }: InstanceQueue): QueueResource {
  return {
    instance_id: instanceId,
    queued,
    oldest: oldest && { message_id: oldest.messageId, since: time(oldest.since) },
    held_by: heldBy,
  };
}
