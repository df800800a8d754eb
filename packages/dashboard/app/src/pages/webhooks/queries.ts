import { queryOptions } from '@tanstack/react-query';
import type { DeliveryDetailResource, DeliveryResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
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

/** The attempts of the last 24 hours, by hour. */
export const dayQuery = (workspaceId: string, webhookId: string) =>
  queryOptions({
    // The key names no `Area`, because counts are written every ten seconds, not with each attempt.
    queryKey: ['webhook-day', workspaceId, webhookId],
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).webhooks.traffic(webhookId, { step: 'hour' }, { signal })).data,
  });
