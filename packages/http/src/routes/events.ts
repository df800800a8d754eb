import { eventStreamQuery } from '@trunkline/core/spi/http';
import { eventStreamResponse } from '../event-stream-response.ts';
import { data, json } from '../route-response.ts';
import { eventDeliveries } from '../schemas/deliveries.ts';
import { eventResponse } from '../schemas/events.ts';
import type { RouteGroup } from './route.ts';

const NO_EVENT = 'evt_00000000000000000000000000';

export const eventRoutes: RouteGroup<'events'> = {
  tag: {
    name: 'Beyond the specification',
    description: 'An addition of this service to the specification: past events, and a stream of new ones.',
  },
  id: { name: 'event', description: 'The id of an event (`evt_…`).', notFound: 'EVENT_NOT_FOUND' },
  routes: {
    stream: {
      operationId: 'streamEvents',
      method: 'GET',
      path: '/events/stream',
      beyond: true,
      summary: 'Streams events as they happen (server-sent events)',
      scope: 'messages:read',
      alsoScope: 'instances:read',
      query: {
        schema: eventStreamQuery,
        parameters: {
          types:
            'Event types with commas between them. By default those of the specification; any other has to be named.',
          last_event_id:
            'For clients that cannot set the header Last-Event-ID, which counts if both are there.',
        },
      },
      success: { status: 200, body: 'events', noStore: true },
      errors: ['STREAM_LIMIT_REACHED'],
      refuses: {
        EVENT_NOT_FOUND: { query: `last_event_id=${NO_EVENT}` },
        VALIDATION_FAILED: { query: 'types=message.lost' },
      },
      handle: ({ api, c, query, readmit }) =>
        eventStreamResponse({ api, query, readmit, request: c.req.raw }),
    },
    get: {
      operationId: 'getEvent',
      method: 'GET',
      path: '/events/{event}',
      beyond: true,
      summary: 'Reads an event of the last 30 days, as webhooks report it',
      scope: 'messages:read',
      alsoScope: 'instances:read',
      success: { status: 200, body: eventResponse },
      errors: [],
      handle: async ({ api, id }) => data(await api.events.get(id)),
    },
    deliveries: {
      operationId: 'listEventDeliveries',
      method: 'GET',
      path: '/events/{event}/deliveries',
      beyond: true,
      summary: 'Lists the deliveries of an event, oldest first',
      scope: 'webhooks:read',
      success: { status: 200, body: eventDeliveries },
      errors: [],
      handle: async ({ api, id }) => json(await api.events.deliveries(id)),
    },
  },
};
