import type { InstanceQueue } from '@trunkline/core';
import type { QueueResource } from '../schemas/queues.ts';
import { timestamp } from '@trunkline/core/spi/http';

export function queueResource({ instanceId, queued, oldest, heldBy }: InstanceQueue): QueueResource {
  return {
    instance_id: instanceId,
    queued,
    oldest: oldest && { message_id: oldest.messageId, since: timestamp(oldest.since) },
    held_by: heldBy,
  };
}
