import type { InstanceResource, WebhookResource } from '@trunkline/core';
import type { QueueResource } from './queues.ts';

/** How a workspace is, in one read. What the session may not see is null. */
export interface OverviewResource {
  readonly numbers: readonly InstanceResource[] | null;
  /** Those that are not empty, at most 100, the one with the oldest message first. */
  readonly queues: readonly QueueResource[] | null;
  readonly webhooks: readonly WebhookResource[] | null;
}
