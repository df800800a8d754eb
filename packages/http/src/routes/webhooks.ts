import { data, json, NOTHING } from '../answer.ts';
import { unchecked } from './route.ts';
import type { Route } from './route.ts';

export const webhookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/webhooks',
    summary: 'Lists all webhook endpoints, newest first',
    scope: 'webhooks:read',
    success: { status: 200, body: 'WebhookList' },
    errors: [],
    handle: async ({ api }) => {
      const { data: webhooks, configured } = await api.webhooks.list();
      return json({ data: webhooks, meta: { configured } });
    },
  },
  {
    method: 'POST',
    path: '/webhooks',
    summary: 'Registers a webhook endpoint and tells its secret, once',
    scope: 'webhooks:write',
    body: 'WebhookInput',
    success: { status: 201, body: 'WebhookWithSecretAnswer', noStore: true },
    errors: ['INVALID_WEBHOOK_URL', 'WEBHOOK_LIMIT_REACHED', 'VALIDATION_FAILED'],
    handle: async ({ api, body }) => data(await api.webhooks.create(unchecked(body))),
  },
  {
    method: 'GET',
    path: '/webhooks/{webhook}',
    summary: 'Reads a webhook endpoint',
    scope: 'webhooks:read',
    success: { status: 200, body: 'WebhookAnswer' },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async ({ api, id }) => data(await api.webhooks.get(id)),
  },
  {
    method: 'PATCH',
    path: '/webhooks/{webhook}',
    summary: 'Changes a webhook endpoint, enables or disables it',
    scope: 'webhooks:write',
    body: 'WebhookChanges',
    success: { status: 200, body: 'WebhookAnswer' },
    errors: ['WEBHOOK_NOT_FOUND', 'INVALID_WEBHOOK_URL', 'WEBHOOK_LIMIT_REACHED', 'VALIDATION_FAILED'],
    handle: async ({ api, id, body }) => data(await api.webhooks.update(id, unchecked(body))),
  },
  {
    method: 'DELETE',
    path: '/webhooks/{webhook}',
    summary: 'Removes a webhook endpoint and ends its open deliveries',
    scope: 'webhooks:write',
    success: { status: 204, body: null },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async ({ api, id }) => {
      await api.webhooks.delete(id);
      return NOTHING;
    },
  },
  {
    method: 'POST',
    path: '/webhooks/{webhook}/rotate-secret',
    summary: 'Replaces the secret of a webhook endpoint at once',
    scope: 'webhooks:write',
    success: { status: 200, body: 'WebhookWithSecretAnswer', noStore: true },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async ({ api, id }) => data(await api.webhooks.rotateSecret(id)),
  },
  {
    method: 'POST',
    path: '/webhooks/{webhook}/test',
    summary: 'Queues a webhook.test event for an endpoint',
    scope: 'webhooks:write',
    success: { status: 202, body: 'DeliveryAnswer' },
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    handle: async ({ api, id }) => data(await api.webhooks.test(id)),
  },
];
