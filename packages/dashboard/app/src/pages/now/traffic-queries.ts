import { queryOptions } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import { clientOf } from '../../api/client.ts';
import type { Range } from './search.ts';
import { PERIODS_OF } from './traffic.ts';

// The keys name no `Area`, because counts are written every ten seconds, not with each message.

export const trafficQuery = (workspaceId: string, range: Range) =>
  queryOptions({
    queryKey: ['traffic', workspaceId, range],
    queryFn: async ({ signal }) => {
      const { lengthMs, step } = PERIODS_OF[range];
      const query = { step, from: new Date(Date.now() - lengthMs).toISOString() };
      return unwrap(await clientOf(workspaceId).traffic.messages(query, { signal })).data;
    },
  });

/** The last day of up to 100 numbers, in one request. */
export const numberDaysQuery = (workspaceId: string, ids: string) =>
  queryOptions({
    queryKey: ['traffic', workspaceId, 'numbers', ids],
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).traffic.messages({ instance: ids }, { signal })).data,
  });

/** The last day of up to 100 webhooks, in one request. */
export const webhookDaysQuery = (workspaceId: string, ids: string) =>
  queryOptions({
    queryKey: ['traffic', workspaceId, 'webhooks', ids],
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).traffic.webhooks({ webhook: ids }, { signal })).data,
  });
