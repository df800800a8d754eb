import * as z from 'zod';
import type { AnswerName } from '../routes/route.ts';
import { apiKey, apiKeyExample } from './api-key.ts';
import { delivery, deliveryDetail, deliveryDetailExample, deliveryExample } from './deliveries.ts';
import { count } from './fields.ts';
import { group, groupExample, instance, instanceExample, qr, qrExample } from './instances.ts';
import { message, messageExample } from './messages.ts';
import { webhook, webhookExample, webhookWithSecret, webhookWithSecretExample } from './webhooks.ts';

/** A kind of answer: the JSON of its body, and one such. */
export interface AnswerSchema {
  readonly schema: z.ZodType;
  readonly description: string;
  readonly example: object;
}

const url = z.string().nullable();
const cursor = z.string().max(512).nullable();
const perPage = z.int().min(1).max(100);

const links = z.strictObject({ first: z.null(), last: z.null(), prev: url, next: url });
const messagePageMeta = z.strictObject({
  path: z.string().meta({ description: 'The address of the list, without a query.' }),
  per_page: perPage,
  next_cursor: cursor.meta({ description: 'Towards older messages.' }),
  prev_cursor: cursor.meta({ description: 'Towards newer messages.' }),
});

/** Every kind of JSON answer that a route names. */
export const ANSWERS: Readonly<Record<Exclude<AnswerName, 'File'>, AnswerSchema>> = {
  ApiKeyAnswer: one(apiKey, 'The key and its workspace', apiKeyExample),
  InstanceAnswer: one(instance, 'The instance', instanceExample),
  InstanceList: list(instance, 'All instances', instanceExample),
  QrAnswer: one(qr, 'The current QR', qrExample),
  GroupList: list(group, 'All groups', groupExample),
  MessageAnswer: one(message, 'The message', messageExample),
  MessagePage: {
    schema: z.strictObject({ data: z.array(message), links, meta: messagePageMeta }),
    description: 'A page of messages',
    example: {
      data: [messageExample],
      links: {
        first: null,
        last: null,
        prev: null,
        next: 'https://api.example.com/api/v1/messages?limit=1&cursor=eyJ2IjoxfQ',
      },
      meta: {
        path: 'https://api.example.com/api/v1/messages',
        per_page: 1,
        next_cursor: 'eyJ2IjoxfQ',
        prev_cursor: null,
      },
    },
  },
  WebhookAnswer: one(webhook, 'The endpoint', webhookExample),
  WebhookWithSecretAnswer: one(webhookWithSecret, 'The endpoint with its secret', webhookWithSecretExample),
  WebhookList: {
    schema: z.strictObject({
      data: z.array(webhook),
      meta: z.strictObject({
        configured: z.boolean().meta({ description: 'Whether an enabled endpoint has delivered.' }),
      }),
    }),
    description: 'All endpoints',
    example: { data: [webhookExample], meta: { configured: true } },
  },
  DeliveryAnswer: one(delivery, 'The delivery', deliveryExample),
  DeliveryDetailAnswer: one(deliveryDetail, 'The delivery and its attempts', deliveryDetailExample),
  DeliveryPage: {
    schema: z.strictObject({
      data: z.array(delivery),
      meta: z.strictObject({ next_cursor: cursor, per_page: perPage }),
    }),
    description: 'A page of deliveries',
    example: { data: [deliveryExample], meta: { next_cursor: null, per_page: 25 } },
  },
  RetryFailedAnswer: one(
    z.strictObject({
      requeued: count,
      remaining: count.meta({
        description:
          'How many still wait for their attempt in this round, counted to 1,000: repeat while there are any. What fails again meanwhile counts in the next round.',
      }),
    }),
    'How many were queued again, and how many are left',
    { requeued: 100, remaining: 12 },
  ),
};

function one(resource: z.ZodType, description: string, example: object): AnswerSchema {
  return { schema: z.strictObject({ data: resource }), description, example: { data: example } };
}

function list(resource: z.ZodType, description: string, example: object): AnswerSchema {
  return { schema: z.strictObject({ data: z.array(resource) }), description, example: { data: [example] } };
}
