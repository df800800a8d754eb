import { queryOptions } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';

// The network is asked each time, and allows 20 questions a minute: these queries are repeated only after a change.

export const groupQuery = (workspaceId: string, groupId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'groups', 'one', groupId),
    queryFn: async ({ signal }) => unwrap(await clientOf(workspaceId).groups.get(groupId, { signal })).data,
    staleTime: 60_000,
    retry: false,
  });

export const joinRequestsQuery = (workspaceId: string, groupId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'groups', 'requests', groupId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).groups.joinRequests(groupId, { signal })).data,
    staleTime: 60_000,
    retry: false,
  });
