import { trafficQuery, webhookTrafficQuery } from '@trunkline/core/spi/http';
import { json } from '../route-response.ts';
import { list } from '../schemas/response-body.ts';
import { PERIOD_PARAMETERS, traffic, webhookTraffic } from '../schemas/traffic.ts';
import { unchecked } from './route.ts';
import type { RouteGroup } from './route.ts';

export const trafficRoutes: RouteGroup<'traffic'> = {
  tag: {
    name: 'Traffic',
    description:
      'Counts of the last 30 days, by quarters of an hour in UTC. A process writes its counts every 10 seconds and when it stops: responses may be that much behind, and a process that is killed loses at most 10 seconds of its counts, but no message and no delivery.',
  },
  routes: {
    messages: {
      operationId: 'getTraffic',
      method: 'GET',
      path: '/traffic',
      beyond: true,
      summary: 'Counts the messages of the workspace, or of each of some instances, over time',
      scope: 'messages:read',
      query: {
        schema: trafficQuery,
        parameters: {
          instance:
            'The ids of at most 100 instances, separated by commas, each of which is counted on its own. By default, the whole workspace is counted together.',
          ...PERIOD_PARAMETERS,
        },
      },
      success: {
        status: 200,
        body: list(traffic, 'The whole workspace, or the instances in the order of the query'),
      },
      errors: [],
      refuses: {
        INSTANCE_NOT_FOUND: { query: 'instance=ins_00000000000000000000000000' },
        VALIDATION_FAILED: { query: 'step=week' },
      },
      handle: async ({ api, query }) => json(await api.traffic.messages(unchecked(query))),
    },
    webhooks: {
      operationId: 'getWebhookTraffic',
      method: 'GET',
      path: '/traffic/webhooks',
      beyond: true,
      summary: 'Counts the attempts of several webhook endpoints over time',
      scope: 'webhooks:read',
      query: {
        schema: webhookTrafficQuery,
        parameters: {
          webhook: 'The ids of at most 100 endpoints, separated by commas. By default, the newest 100.',
          ...PERIOD_PARAMETERS,
        },
      },
      success: {
        status: 200,
        body: list(webhookTraffic, 'The endpoints in the order of the query, or newest first'),
      },
      errors: [],
      refuses: {
        WEBHOOK_NOT_FOUND: { query: 'webhook=wh_00000000000000000000000000' },
        VALIDATION_FAILED: { query: 'step=week' },
      },
      handle: async ({ api, query }) => json(await api.traffic.webhooks(unchecked(query))),
    },
  },
};
