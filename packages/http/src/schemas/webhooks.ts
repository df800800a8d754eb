import { DELIVERY_STATUSES, NAMEABLE_EVENT_TYPES } from '@trunkline/core/spi/http';
import type { WebhookResource, WebhookResourceWithSecret } from '@trunkline/core';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { httpStatus, id, timestamp, timestampOrNull } from './fields.ts';
import { list } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';

const fields = z.strictObject({
  id: id('wh'),
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(z.enum(NAMEABLE_EVENT_TYPES)),
  instances: z.array(id('ins')).nullable().meta({
    description: 'The instances whose events are sent; null for all.',
  }),
  status: z.enum(['enabled', 'disabled']),
  secret_hint: z.string().meta({ description: 'An ellipsis and the last characters of the secret.' }),
  secret_begins_at: timestampOrNull.meta({
    description: 'When the secret begins to sign, until which the previous one does; null if it signs now.',
  }),
  last_delivery: z
    .strictObject({
      id: id('whd'),
      status: z.enum(DELIVERY_STATUSES),
      response_status: httpStatus.nullable(),
      at: timestamp,
    })
    .nullable(),
  disabled_at: timestampOrNull,
  disabled_reason: z.enum(['manual', 'auto_no_delivery_72h']).nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  trace_context: z.boolean().meta({
    description: 'Whether each request has the header `traceparent`, where there is a trace.',
  }),
  failing_since: timestampOrNull.meta({
    description:
      'When the current run of failures began; null if there is none. It stays when the service disables the endpoint; enabling the endpoint, or resuming its workspace, clears it.',
  }),
  auto_disable_at: timestampOrNull.meta({
    description:
      'The earliest time at which the service disables the endpoint if nothing is delivered; null if it is not failing.',
  }),
});

export const webhook: Resource<WebhookResource> = {
  name: 'Webhook',
  schema: exactSchema<WebhookResource>()(fields),
  example: {
    id: 'wh_01kaj2s2c4e6g8j1m3p5r7t9v0',
    url: 'https://hooks.example.com/in',
    description: 'Orders',
    events: ['message.received', 'message.failed'],
    instances: null,
    status: 'enabled',
    secret_hint: '…8Qc=',
    secret_begins_at: null,
    last_delivery: {
      id: 'whd_01kaj2t5b7d9f0h2k4n6q8s1w3',
      status: 'success',
      response_status: 200,
      at: '2026-11-20T21:21:00.000+00:00',
    },
    disabled_at: null,
    disabled_reason: null,
    created_at: '2026-11-20T21:12:00.000+00:00',
    updated_at: '2026-11-20T21:12:00.000+00:00',
    trace_context: false,
    failing_since: null,
    auto_disable_at: null,
  },
};

export const webhookWithSecret: Resource<WebhookResourceWithSecret> = {
  name: 'WebhookWithSecret',
  schema: exactSchema<WebhookResourceWithSecret>()(
    fields.extend({
      secret: z
        .string()
        .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
        .meta({
          description:
            'Signs the requests to this endpoint. It is not shown again. Whole, it keys X-Service-Signature; the bytes that its base64 stands for key webhook-signature (Standard Webhooks).',
        }),
    }),
  ),
  example: {
    ...webhook.example,
    last_delivery: null,
    secret: 'whsec_Kq3vN8xR2mT7wY5zB1cD4fG6hJ9kL0pQsUaXe+Zx8Qc=',
  },
};

export const webhookList: ResponseBody = list(webhook, 'All endpoints', {
  schemas: {
    meta: z.strictObject({
      configured: z.boolean().meta({ description: 'Whether an enabled endpoint has delivered.' }),
    }),
  },
  example: { meta: { configured: true } },
});
