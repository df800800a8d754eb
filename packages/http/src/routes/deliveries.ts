import { data } from '../route-response.ts';
import { deliveryResponse, deliveryDetail } from '../schemas/deliveries.ts';
import { one } from '../schemas/response-body.ts';
import type { RouteGroup } from './route.ts';

export const deliveryRoutes: RouteGroup<'deliveries'> = {
  tag: { name: 'Deliveries', description: 'How an event reached an endpoint, attempt by attempt.' },
  id: {
    name: 'delivery',
    description: 'The id of a delivery (`whd_…`).',
    notFound: 'WEBHOOK_DELIVERY_NOT_FOUND',
  },
  routes: {
    get: {
      operationId: 'getDelivery',
      method: 'GET',
      path: '/webhook-deliveries/{delivery}',
      summary: 'Reads a delivery with its request and its attempts',
      scope: 'webhooks:read',
      success: { status: 200, body: one(deliveryDetail, 'The delivery and its attempts') },
      errors: [],
      handle: async ({ api, id }) => data(await api.deliveries.get(id)),
    },
    retry: {
      operationId: 'retryDelivery',
      method: 'POST',
      path: '/webhook-deliveries/{delivery}/retry',
      summary: 'Queues a delivery for one more attempt',
      scope: 'webhooks:write',
      success: { status: 202, body: deliveryResponse },
      errors: ['WEBHOOK_RETRY_NOT_ALLOWED'],
      handle: async ({ api, id }) => data(await api.deliveries.retry(id)),
    },
    tryNow: {
      operationId: 'tryDeliveryNow',
      method: 'POST',
      path: '/webhook-deliveries/{delivery}/try-now',
      summary: 'Makes the next attempt of a delivery now',
      scope: 'webhooks:write',
      success: { status: 202, body: deliveryResponse },
      errors: ['WEBHOOK_RETRY_NOT_ALLOWED'],
      handle: async ({ api, id }) => data(await api.deliveries.tryNow(id)),
    },
  },
};
