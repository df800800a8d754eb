import { DELIVERY_STATUSES, EVENT_TYPES, WAITING_REASONS } from '@trunkline/core/spi/http';
import type { DeliveryDetailResource, DeliveryResource } from '@trunkline/core';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { count, httpStatus, id, timestamp, timestampOrNull } from './fields.ts';
import { cursor, perPage } from './page.ts';
import { list, one, page } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';

const errorCode = z
  .enum([
    'TIMEOUT',
    'CONNECTION_FAILED',
    'TLS_FAILED',
    'DNS_FAILED',
    'REDIRECT',
    'HTTP_ERROR',
    'UNSAFE_URL',
    'ENDPOINT_DISABLED',
    'ENDPOINT_DELETED',
  ])
  .nullable();

const fields = z.strictObject({
  id: id('whd'),
  webhook_id: id('wh'),
  event: z.strictObject({ id: id('evt'), type: z.enum(EVENT_TYPES), occurred_at: timestamp }),
  status: z.enum(DELIVERY_STATUSES),
  attempts: count,
  max_attempts: count,
  next_retry_at: timestampOrNull,
  response_status: httpStatus.nullable().meta({ description: "The receiver's HTTP status." }),
  error_code: errorCode,
  last_attempt_at: timestampOrNull,
  delivered_at: timestampOrNull,
  created_at: timestamp,
});

export const delivery: Resource<DeliveryResource> = {
  name: 'Delivery',
  schema: exactSchema<DeliveryResource>()(fields),
  example: {
    id: 'whd_01kaj2t5b7d9f0h2k4n6q8s1w3',
    webhook_id: 'wh_01kaj2s2c4e6g8j1m3p5r7t9v0',
    event: {
      id: 'evt_01kaj2t1a3c5e7g9j2m4p6r8t0',
      type: 'message.received',
      occurred_at: '2026-11-20T21:20:59.000+00:00',
    },
    status: 'success',
    attempts: 1,
    max_attempts: 8,
    next_retry_at: null,
    response_status: 200,
    error_code: null,
    last_attempt_at: '2026-11-20T21:21:00.000+00:00',
    delivered_at: '2026-11-20T21:21:00.000+00:00',
    created_at: '2026-11-20T21:20:59.000+00:00',
  },
};

const request = z.strictObject({
  url: z.string().meta({
    description:
      "The URL of the last attempt; if there was none, the webhook's URL, also after the webhook was deleted.",
  }),
  headers: z
    .record(z.string(), z.string())
    .meta({ description: 'Without the signature and its timestamp, which change with each attempt.' }),
  payload: z.unknown().meta({ type: 'object', description: 'The body that was sent.' }),
});

const attempt = z.strictObject({
  attempt: z.int().min(1),
  manual: z.boolean(),
  response_status: httpStatus.nullable(),
  response_body: z.string().nullable(),
  duration_ms: z.number().min(0),
  error_code: errorCode,
  at: timestamp,
});

const waiting = z
  .strictObject({ reason: z.enum(WAITING_REASONS), until: timestampOrNull })
  .meta({ description: 'Why it has not gone yet, and the earliest that this can change by itself.' });

export const deliveryDetail: Resource<DeliveryDetailResource> = {
  name: 'DeliveryDetail',
  schema: exactSchema<DeliveryDetailResource>()(
    fields.extend({ request, attempt_log: z.array(attempt), waiting: waiting.exactOptional() }),
  ),
  example: {
    ...delivery.example,
    request: {
      url: 'https://hooks.example.com/in',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhooks/1.0',
        'X-Service-Event': 'message.received',
        'X-Service-Delivery': 'whd_01kaj2t5b7d9f0h2k4n6q8s1w3',
        'webhook-id': 'evt_01kaj2t1a3c5e7g9j2m4p6r8t0',
      },
      payload: {
        id: 'evt_01kaj2t1a3c5e7g9j2m4p6r8t0',
        type: 'message.received',
        created_at: '2026-11-20T21:20:59.000000Z',
        workspace_id: 'ten_01kaj2mwq0fz3as2h8v9c5t1rd',
        data: { message: { id: 'msg_01kaj2t0z2b4d6f8h1k3m5q7s9', direction: 'inbound', text: 'Thank you!' } },
      },
    },
    attempt_log: [
      {
        attempt: 1,
        manual: false,
        response_status: 200,
        response_body: 'ok',
        duration_ms: 84,
        error_code: null,
        at: '2026-11-20T21:21:00.000+00:00',
      },
    ],
  },
};

export const deliveryResponse: ResponseBody = one(delivery, 'The delivery');

export const eventDeliveries: ResponseBody = list(delivery, 'The deliveries of the event');
export const deliveryPage: ResponseBody = page(delivery, 'A page of deliveries', {
  schemas: { meta: z.strictObject({ next_cursor: cursor, per_page: perPage }) },
  example: { meta: { next_cursor: null, per_page: 25 } },
});

export const retryFailedResponse: ResponseBody = {
  name: 'RetryFailedResponse',
  schema: z.strictObject({
    data: z.strictObject({
      requeued: count,
      remaining: count.meta({
        description:
          'How many still wait for their attempt in this round, counted to 1,000: repeat while there are any. What fails again meanwhile counts in the next round.',
      }),
    }),
  }),
  description: 'How many were queued again, and how many are left',
  example: { data: { requeued: 100, remaining: 12 } },
};
