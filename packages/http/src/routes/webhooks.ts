import {
  deliveryQuery,
  secretRotation,
  trafficPeriodQuery,
  webhookChanges,
  webhookInput,
} from '@trunkline/core/spi/http';
import { data, json, NOTHING } from '../route-response.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { deliveryResponse, deliveryPage, retryFailedResponse } from '../schemas/deliveries.ts';
import { PAGE_PARAMETERS } from '../schemas/page.ts';
import { one } from '../schemas/response-body.ts';
import { PERIOD_PARAMETERS, webhookTraffic } from '../schemas/traffic.ts';
import { webhook, webhookList, webhookWithSecret } from '../schemas/webhooks.ts';
import { unchecked } from './route.ts';
import type { RefusedRequest, RequestBody, RouteGroup } from './route.ts';

const URL_RULES: JsonSchema = {
  description: 'https, on port 443 or 8443, of a host that has public addresses only.',
  maxLength: 2048,
};

const INPUT: RequestBody = {
  name: 'WebhookInput',
  schemas: [webhookInput],
  fields: { url: URL_RULES },
  example: {
    url: 'https://hooks.example.com/in',
    events: ['message.received', 'message.failed'],
    description: 'Orders',
  },
};

const CHANGES: RequestBody = {
  name: 'WebhookChanges',
  schemas: [webhookChanges],
  fields: { url: URL_RULES, description: { description: 'Null clears it.' } },
  example: { status: 'disabled' },
};

const ROTATION: RequestBody = {
  name: 'SecretRotation',
  schemas: [secretRotation],
  fields: {
    after_seconds: {
      description:
        'The seconds until the new secret begins to sign. The previous one signs until then. By default 0.',
    },
  },
  example: { after_seconds: 3600 },
  beyond: true,
};

const PRIVATE_URL: RefusedRequest = { body: { url: 'http://10.0.0.1/' } };

const WEBHOOK = one(webhook, 'The endpoint');
const WITH_SECRET = one(webhookWithSecret, 'The endpoint with its secret');

export const webhookRoutes: RouteGroup<'webhooks'> = {
  tag: { name: 'Webhooks', description: 'Endpoints that receive events as signed requests.' },
  id: {
    name: 'webhook',
    description: 'The id of a webhook endpoint (`wh_…`).',
    notFound: 'WEBHOOK_NOT_FOUND',
  },
  routes: {
    list: {
      operationId: 'listWebhooks',
      method: 'GET',
      path: '/webhooks',
      summary: 'Lists all webhook endpoints, newest first',
      scope: 'webhooks:read',
      success: { status: 200, body: webhookList },
      errors: [],
      handle: async ({ api }) => {
        const { data: webhooks, configured } = await api.webhooks.list();
        return json({ data: webhooks, meta: { configured } });
      },
    },
    create: {
      operationId: 'createWebhook',
      method: 'POST',
      path: '/webhooks',
      summary: 'Registers a webhook endpoint and returns its secret, once',
      scope: 'webhooks:write',
      body: INPUT,
      success: { status: 201, body: WITH_SECRET, noStore: true },
      errors: ['WEBHOOK_LIMIT_REACHED'],
      refuses: {
        INVALID_WEBHOOK_URL: PRIVATE_URL,
        VALIDATION_FAILED: { body: { events: [] } },
      },
      handle: async ({ api, body }) => data(await api.webhooks.create(unchecked(body))),
    },
    get: {
      operationId: 'getWebhook',
      method: 'GET',
      path: '/webhooks/{webhook}',
      summary: 'Reads a webhook endpoint',
      scope: 'webhooks:read',
      success: { status: 200, body: WEBHOOK },
      errors: [],
      handle: async ({ api, id }) => data(await api.webhooks.get(id)),
    },
    update: {
      operationId: 'updateWebhook',
      method: 'PATCH',
      path: '/webhooks/{webhook}',
      summary: 'Changes a webhook endpoint, enables or disables it',
      scope: 'webhooks:write',
      body: CHANGES,
      success: { status: 200, body: WEBHOOK },
      errors: ['WEBHOOK_LIMIT_REACHED'],
      refuses: {
        INVALID_WEBHOOK_URL: PRIVATE_URL,
        VALIDATION_FAILED: { body: { events: [] } },
      },
      handle: async ({ api, id, body }) => data(await api.webhooks.update(id, unchecked(body))),
    },
    delete: {
      operationId: 'deleteWebhook',
      method: 'DELETE',
      path: '/webhooks/{webhook}',
      summary: 'Removes a webhook endpoint and ends its open deliveries',
      scope: 'webhooks:write',
      success: { status: 204, body: null },
      errors: [],
      handle: async ({ api, id }) => {
        await api.webhooks.delete(id);
        return NOTHING;
      },
    },
    rotateSecret: {
      operationId: 'rotateWebhookSecret',
      method: 'POST',
      path: '/webhooks/{webhook}/rotate-secret',
      summary: 'Replaces the secret of a webhook endpoint, immediately or later',
      scope: 'webhooks:write',
      body: ROTATION,
      success: { status: 200, body: WITH_SECRET, noStore: true },
      errors: [],
      refuses: { VALIDATION_FAILED: { body: { after_seconds: -1 } } },
      handle: async ({ api, id, body }) => data(await api.webhooks.rotateSecret(id, unchecked(body))),
    },
    test: {
      operationId: 'testWebhook',
      method: 'POST',
      path: '/webhooks/{webhook}/test',
      summary: 'Queues a webhook.test event for an endpoint',
      scope: 'webhooks:write',
      success: { status: 202, body: deliveryResponse },
      errors: ['WEBHOOK_DISABLED'],
      handle: async ({ api, id }) => data(await api.webhooks.test(id)),
    },
    deliveries: {
      operationId: 'listDeliveries',
      method: 'GET',
      path: '/webhooks/{webhook}/deliveries',
      summary: 'Lists the deliveries of a webhook endpoint, newest first',
      scope: 'webhooks:read',
      query: {
        schema: deliveryQuery,
        parameters: {
          status: 'Only what has this status; of messages also a list of statuses with commas.',
          event: 'Only deliveries of this event type.',
          ...PAGE_PARAMETERS,
        },
      },
      success: { status: 200, body: deliveryPage },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'status=lost' } },
      handle: async ({ api, id, query }) => {
        const page = await api.webhooks.deliveries(id, unchecked(query));
        return json({ data: page.data, meta: { next_cursor: page.nextCursor, per_page: page.perPage } });
      },
    },
    retryFailedDeliveries: {
      operationId: 'retryFailedDeliveries',
      method: 'POST',
      path: '/webhooks/{webhook}/deliveries/retry-failed',
      summary: 'Queues up to 100 failed or exhausted deliveries again',
      scope: 'webhooks:write',
      success: { status: 202, body: retryFailedResponse },
      errors: ['WEBHOOK_DISABLED'],
      handle: async ({ api, id }) => data(await api.webhooks.retryFailedDeliveries(id)),
    },
    traffic: {
      operationId: 'getTrafficOfWebhook',
      method: 'GET',
      path: '/webhooks/{webhook}/traffic',
      beyond: true,
      summary: 'Counts the attempts of a webhook endpoint over time',
      scope: 'webhooks:read',
      query: { schema: trafficPeriodQuery, parameters: PERIOD_PARAMETERS },
      success: { status: 200, body: one(webhookTraffic, 'The attempts of the endpoint over time') },
      errors: [],
      refuses: { VALIDATION_FAILED: { query: 'step=week' } },
      handle: async ({ api, id, query }) => data(await api.webhooks.traffic(id, unchecked(query))),
    },
  },
};
