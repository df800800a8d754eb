import {
  DELIVERY_HEADER,
  EVENT_HEADER,
  EVENT_MEANINGS,
  OPT_IN_EVENT_MEANINGS,
  SIGNATURE_HEADER,
  STANDARD_ID_HEADER,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
  WEBHOOK_USER_AGENT,
  idPattern,
} from '@trunkline/core/spi/http';
import type { oas31, ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import type { Chapter } from '../routes/route.ts';
import { EVENT_BODIES, pascalCase } from '../schemas/webhook-events.ts';
import type { EventBody } from '../schemas/webhook-events.ts';

export const EVENTS_TAG: Chapter['tag'] = {
  name: 'Events',
  description: `What webhook endpoints receive. \`${SIGNATURE_HEADER}\` is \`v1=\` and the hexadecimal HMAC-SHA256 of the text of \`${TIMESTAMP_HEADER}\`, a full stop and the raw body, keyed with the endpoint's whole secret. Check it, and that the timestamp is within 300 seconds of your clock, before you parse the body.`,
};

/** The requests that the service sends, by event type. */
export function webhooks(): ZodOpenApiPathsObject {
  return Object.fromEntries(EVENT_BODIES.map((body) => [body.type, { post: receive(body) }]));
}

function receive({ type, schema, example }: EventBody): ZodOpenApiOperationObject {
  const isOptIn = type in OPT_IN_EVENT_MEANINGS;
  return {
    operationId: `on${pascalCase(type)}`,
    tags: [EVENTS_TAG.name],
    summary: type,
    description: `Sent when ${MEANINGS[type]}.${isOptIn ? ' Only endpoints that name this event get it.' : ''}`,
    // No key, because the receiver checks a signature.
    security: [],
    parameters: Object.keys(WEBHOOK_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      '2XX': { description: 'The event is received. Respond within 10 seconds.' },
      default: {
        description:
          'Anything else, a redirect too, or no response within 10 seconds, is a failed attempt. The delivery is attempted again: 8 times in 45 hours.',
      },
    },
  };
}

const MEANINGS = { ...EVENT_MEANINGS, ...OPT_IN_EVENT_MEANINGS };

const UNIX_SECONDS = { type: 'string', pattern: '^\\d{1,12}$' } as const;
const STANDARD = 'A header of Standard Webhooks, which the operator of the service may have switched off:';

export const WEBHOOK_PARAMETERS: Readonly<Record<string, oas31.ParameterObject>> = {
  WebhookUserAgent: {
    in: 'header',
    name: 'User-Agent',
    required: true,
    schema: { const: WEBHOOK_USER_AGENT },
  },
  WebhookEventType: {
    in: 'header',
    name: EVENT_HEADER,
    required: true,
    description: 'The type of the event. It is not signed: take the type from the body.',
    schema: { type: 'string', enum: EVENT_BODIES.map(({ type }) => type) },
  },
  WebhookDelivery: {
    in: 'header',
    name: DELIVERY_HEADER,
    required: true,
    description: 'The id of the delivery, the same on every attempt. It is not signed.',
    schema: { type: 'string', pattern: idPattern('whd').source },
    example: 'whd_01kaj2t5b7d9f0h2k4n6q8s1w3',
  },
  WebhookTimestamp: {
    in: 'header',
    name: TIMESTAMP_HEADER,
    required: true,
    description: 'Unix time in seconds when this attempt was signed.',
    schema: UNIX_SECONDS,
    example: '1795209659',
  },
  WebhookSignature: {
    in: 'header',
    name: SIGNATURE_HEADER,
    required: true,
    schema: { type: 'string', pattern: '^v1=[0-9a-f]{64}$' },
    example: `v1=${'5d41402abc4b2a76'.repeat(4)}`,
  },
  StandardWebhookId: {
    in: 'header',
    name: STANDARD_ID_HEADER,
    description: `${STANDARD} the id of the event.`,
    schema: { type: 'string', pattern: idPattern('evt').source },
    example: 'evt_01kaj2t1a3c5e7g9j2m4p6r8t0',
  },
  StandardWebhookTimestamp: {
    in: 'header',
    name: STANDARD_TIMESTAMP_HEADER,
    description: `${STANDARD} the same as \`${TIMESTAMP_HEADER}\`.`,
    schema: UNIX_SECONDS,
    example: '1795209659',
  },
  StandardWebhookSignature: {
    in: 'header',
    name: STANDARD_SIGNATURE_HEADER,
    description: `${STANDARD} \`v1,\` and the base64 HMAC-SHA256 of id, timestamp and raw body with full stops between them, keyed with the bytes that the base64 of the secret encodes.`,
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  WebhookTraceparent: {
    in: 'header',
    name: 'traceparent',
    description:
      'Only to endpoints with `trace_context`: the trace of this attempt, or, if the attempt is not traced, that of its event, by W3C Trace Context. It is absent if neither is traced, and it is not signed.',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
};
