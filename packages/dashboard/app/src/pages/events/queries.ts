import { queryOptions } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import type { EventsSearch } from './search.ts';

const PAGE = 50;

/** The last events of a number. The API has no list of those of a workspace. */
export const pastQuery = (workspaceId: string, { instance = '', type }: EventsSearch) =>
  queryOptions({
    // The key names no `Area`, because the stream brings what comes later.
    queryKey: ['events', workspaceId, instance, type],
    queryFn: async ({ signal }) => {
      const query = { limit: PAGE, ...(type !== undefined && { types: type }) };
      return unwrap(await clientOf(workspaceId).instances.events(instance, query, { signal })).data;
    },
    enabled: instance !== '',
  });

export const eventDeliveriesQuery = (workspaceId: string, eventId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'deliveries', 'of-event', eventId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).events.deliveries(eventId, { signal })).data,
  });
