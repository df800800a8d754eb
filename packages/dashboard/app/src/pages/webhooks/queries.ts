import { queryOptions } from '@tanstack/react-query';
import type { DeliveryDetailResource, DeliveryResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { DAY_MS } from './day.ts';
import type { WebhookSearch } from './search.ts';

const PAGE = 50;

export const webhookQuery = (workspaceId: string, webhookId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'webhooks', 'one', webhookId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).webhooks.get(webhookId, { signal })).data,
  });

export const deliveriesQuery = (workspaceId: string, webhookId: string, search: WebhookSearch) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'deliveries', 'list', webhookId, search),
    queryFn: async ({ signal }) => {
      const query = { ...search, limit: PAGE };
      return unwrap(await clientOf(workspaceId).webhooks.deliveries(webhookId, query, { signal }));
    },
  });

export const deliveryQuery = (workspaceId: string, deliveryId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'deliveries', 'one', deliveryId),
    queryFn: async ({ signal }): Promise<DeliveryDetailResource> =>
      unwrap(await clientOf(workspaceId).deliveries.get(deliveryId, { signal })).data,
  });

/** All deliveries of an event, one for each webhook that gets it. */
export const siblingsQuery = (workspaceId: string, eventId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'deliveries', 'siblings', eventId),
    queryFn: async ({ signal }): Promise<readonly DeliveryResource[]> =>
      unwrap(await clientOf(workspaceId).events.deliveries(eventId, { signal })).data,
  });

/** The API's largest page of deliveries. */
const DAY_PAGE = 100;
const DAY_MAX = 2 * DAY_PAGE;

export interface DayOfDeliveries {
  readonly deliveries: readonly DeliveryResource[];
  /** Whether reading stopped at the maximum number of deliveries. */
  readonly isPart: boolean;
}

/** The deliveries of the last 24 hours, newest first, at most 200: a busy webhook has too many to read. */
export const dayQuery = (workspaceId: string, webhookId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'deliveries', 'day', webhookId),
    queryFn: async ({ signal }): Promise<DayOfDeliveries> => {
      const { webhooks } = clientOf(workspaceId);
      const since = Date.now() - DAY_MS;
      const deliveries: DeliveryResource[] = [];
      for await (const delivery of webhooks.iterateDeliveries(webhookId, { limit: DAY_PAGE }, { signal })) {
        if (Date.parse(delivery.created_at) < since) return { deliveries, isPart: false };
        deliveries.push(delivery);
        if (deliveries.length === DAY_MAX) return { deliveries, isPart: true };
      }
      return { deliveries, isPart: false };
    },
  });
