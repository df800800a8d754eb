import { queryOptions } from '@tanstack/react-query';
import type { DeliveryDetailResource } from '@trunkline/http/client';
import { unwrap } from '@trunkline/http/client';
import type { WebhookEvent } from '@trunkline/receiver';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import type { MessagesSearch, ScheduledSearch } from './search.ts';

const PAGE = 50;

export const messagesQuery = (workspaceId: string, search: MessagesSearch) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'messages', 'list', search),
    queryFn: async ({ signal }) =>
      unwrap(
        await clientOf(workspaceId).messages.list({ ...search, origin: 'any', limit: PAGE }, { signal }),
      ),
  });

export const scheduledQuery = (workspaceId: string, search: ScheduledSearch) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'messages', 'scheduled', search),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).messages.scheduled({ ...search, limit: PAGE }, { signal })),
  });

export const standingQuery = (workspaceId: string, messageId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'messages', 'standing', messageId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).messages.standing(messageId, { signal })).data,
  });

/** How many votes are shown, which is a whole page. */
const VOTES_MAX = 100;

export const votesQuery = (workspaceId: string, messageId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'messages', 'votes', messageId),
    queryFn: async ({ signal }) => {
      const page = unwrap(
        await clientOf(workspaceId).messages.votes(messageId, { limit: VOTES_MAX }, { signal }),
      );
      return { votes: page.data, isComplete: page.nextCursor === null };
    },
  });

/** More than a message has, so one page is enough. */
const EVENTS_MAX = 100;

/** The events of a message, oldest first. */
export const messageEventsQuery = (workspaceId: string, messageId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'messages', 'events', messageId),
    queryFn: async ({ signal }): Promise<readonly WebhookEvent[]> => {
      const page = unwrap(
        await clientOf(workspaceId).messages.events(messageId, { limit: EVENTS_MAX }, { signal }),
      );
      return page.data.toReversed();
    },
  });

export const eventDeliveriesQuery = (workspaceId: string, eventId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'deliveries', 'of-event', eventId),
    queryFn: async ({ signal }): Promise<readonly DeliveryDetailResource[]> => {
      const client = clientOf(workspaceId);
      const { data } = unwrap(await client.events.deliveries(eventId, { signal }));
      return Promise.all(
        data.map(async ({ id }) => unwrap(await client.deliveries.get(id, { signal })).data),
      );
    },
  });
