import { DELIVERY_STATUSES, optionalField } from '@trunkline/core/spi/http';
import { RESOURCES } from '@trunkline/http/spi';
import * as z from 'zod';
import { before, cursor, idOf, limit, LONGEST_ALONE, LONGEST_IN_PAGE, periods } from './fields.ts';
import { listTool } from './list-tool.ts';
import { defineTool, done, hasScope } from './tool.ts';
import type { Tool } from './tool.ts';

export const WEBHOOK_TOOLS: readonly Tool[] = [
  listTool({
    name: 'list_webhooks',
    title: 'List webhooks',
    description:
      'Lists the webhook endpoints of the workspace, newest first, and since when each has been failing.',
    offeredTo: 'webhooks:read',
    input: {},
    rows: RESOURCES.webhook,
    list: (api) => api.webhooks.list(),
  }),
  listTool({
    name: 'list_deliveries',
    title: 'List deliveries',
    description:
      'Lists the deliveries of a webhook, newest first. Those with the status retrying are attempted again; those with failed or exhausted are not.',
    offeredTo: 'webhooks:read',
    input: {
      webhook: idOf('the webhook (wh_…)'),
      status: optionalField(z.enum(DELIVERY_STATUSES)),
      event: optionalField(idOf('an event (evt_…): only its deliveries')),
      limit,
      before,
      cursor,
    },
    logged: ['webhook', 'status', 'event'],
    rows: RESOURCES.delivery,
    list: (api, { webhook, ...query }) => api.webhooks.deliveries(webhook, query),
  }),
  defineTool({
    name: 'get_delivery',
    title: 'Why did a delivery fail?',
    description: 'Returns a delivery with its request, every attempt and what the receiver responded.',
    offeredTo: 'webhooks:read',
    input: { delivery: idOf('the delivery (whd_…)') },
    logged: ['delivery'],
    output: { delivery: RESOURCES.deliveryDetail.schema },
    untrusted: ['delivery.request.payload', 'delivery.attempt_log[].response_body'],
    longestText: LONGEST_ALONE,
    async handle({ delivery: id }, { api }) {
      return done({ delivery: await api.deliveries.get(id) });
    },
  }),
  defineTool({
    name: 'get_webhook_traffic',
    title: 'Attempts of a webhook over time',
    description:
      'Counts the attempts of a webhook in each hour or day, by outcome, with how long they took. Periods without attempts are left out.',
    offeredTo: 'webhooks:read',
    input: { webhook: idOf('the webhook (wh_…)'), ...periods },
    logged: ['webhook', 'step'],
    output: { traffic: RESOURCES.webhookTraffic.schema },
    untrusted: [],
    longestText: LONGEST_IN_PAGE,
    async handle({ webhook, ...query }, { api }) {
      return done({ traffic: await api.webhooks.traffic(webhook, query) });
    },
  }),
  defineTool({
    name: 'retry_delivery',
    title: 'Retry a delivery',
    description: 'Queues one more attempt of a delivery that has failed.',
    offeredTo: (asker) => asker.mayRetry && hasScope(asker, 'webhooks:write'),
    isWriting: true,
    input: { delivery: idOf('the delivery (whd_…)') },
    logged: ['delivery'],
    output: { delivery: RESOURCES.delivery.schema },
    untrusted: [],
    longestText: LONGEST_IN_PAGE,
    async handle({ delivery: id }, { api }) {
      return done({ delivery: await api.deliveries.retry(id) });
    },
  }),
  defineTool({
    name: 'try_delivery_now',
    title: 'Make the next attempt of a delivery now',
    description: 'Makes the next attempt of a delivery that waits for its retry now, before its time.',
    offeredTo: (asker) => asker.mayRetry && hasScope(asker, 'webhooks:write'),
    isWriting: true,
    input: { delivery: idOf('the delivery (whd_…)') },
    logged: ['delivery'],
    output: { delivery: RESOURCES.delivery.schema },
    untrusted: [],
    longestText: LONGEST_IN_PAGE,
    async handle({ delivery: id }, { api }) {
      return done({ delivery: await api.deliveries.tryNow(id) });
    },
  }),
];
