import type { EventType } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { pageOfLinks } from './page.ts';
import { one, page } from './response-body.ts';
import type { Resource, ResponseBody } from './response-body.ts';
import { EVENT_BODIES } from './webhook-events.ts';
import type { EventSchema } from './webhook-events.ts';

/** Any event, as the body of a webhook. */
const event: Resource = {
  // `Event` would hide the browsers' type of that name in generated clients.
  name: 'WebhookEvent',
  // Discriminated by type, so that generated clients need not try each schema. The cast is safe, because the list is
  // not empty.
  schema: z.discriminatedUnion(
    'type',
    EVENT_BODIES.map(({ schema }) => schema) as [EventSchema, ...EventSchema[]],
  ),
  example: EVENT_BODIES.find(({ type }) => type === ('message.sent' satisfies EventType))?.example,
};

export const eventResponse: ResponseBody = one(event, 'The event');
export const eventPage: ResponseBody = page(event, 'A page of events', pageOfLinks('events'));
