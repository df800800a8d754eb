import { data, json } from '../answer.ts';
import { unchecked } from './route.ts';
import type { Route } from './route.ts';

export const deliveryRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/webhooks/{webhook}/deliveries',
    summary: 'Lists the deliveries of a webhook endpoint, newest first',
    scope: 'webhooks:read',
    query: ['status', 'event', 'limit', 'cursor'],
    success: { status: 200, body: 'DeliveryPage' },
    errors: ['WEBHOOK_NOT_FOUND', 'VALIDATION_FAILED'],
    handle: async ({ api, id, query }) => {
      const page = await api.webhooks.deliveries(id, unchecked(query));
      return json({ data: page.data, meta: { next_cursor: page.nextCursor, per_page: page.perPage } });
    },
  },
  {
    method: 'POST',
    path: '/webhooks/{webhook}/deliveries/retry-failed',
    summary: 'Queues up to 100 failed or exhausted deliveries again',
    scope: 'webhooks:write',
    success: { status: 202, body: 'RetryFailedAnswer' },
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    handle: async ({ api, id }) => data(await api.webhooks.retryFailed(id)),
  },
  {
    method: 'GET',
    path: '/webhook-deliveries/{delivery}',
    summary: 'Reads a delivery with its request and its attempts',
    scope: 'webhooks:read',
    success: { status: 200, body: 'DeliveryDetailAnswer' },
    errors: ['WEBHOOK_DELIVERY_NOT_FOUND'],
    handle: async ({ api, id }) => data(await api.deliveries.get(id)),
  },
  {
    method: 'POST',
    path: '/webhook-deliveries/{delivery}/retry',
    summary: 'Queues a delivery for one more attempt',
    scope: 'webhooks:write',
    success: { status: 202, body: 'DeliveryAnswer' },
    errors: ['WEBHOOK_DELIVERY_NOT_FOUND', 'WEBHOOK_RETRY_NOT_ALLOWED'],
    handle: async ({ api, id }) => data(await api.deliveries.retry(id)),
  },
];
