import type { InstanceResource, WebhookResource } from '@trunkline/core';
import type { QueueResource } from './queues.ts';

/** The state of a workspace, in one read. Parts that the session may not see are null. */
export interface OverviewResource {
  readonly numbers: readonly InstanceResource[] | null;
  /** The queues that are not empty, at most 100, the one with the oldest message first. */
  readonly queues: readonly QueueResource[] | null;
  readonly webhooks: readonly WebhookResource[] | null;
}
