import type { SubscriptionInfo } from '@trunkline/core';
import { timestamp } from '@trunkline/core/spi/http';
import type { SubscriptionResource } from '../schemas/admin.ts';

export function subscriptionResource({ createdAt, ...subscription }: SubscriptionInfo): SubscriptionResource {
  return { ...subscription, created_at: timestamp(createdAt) };
}
