import { queryOptions } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { QueueResource } from '../../../../src/schemas/queues.ts';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';

export const numberQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'one', instanceId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).instances.get(instanceId, { signal })).data,
  });

/** Null if the number no longer exists. */
export const queueQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'overview', 'queue', instanceId),
    queryFn: async ({ signal }) => {
      const path = `workspaces/${encodeURIComponent(workspaceId)}/queues/${encodeURIComponent(instanceId)}`;
      const [queue = null] = await request<readonly QueueResource[]>(path, { signal });
      return queue;
    },
  });

const HISTORY_PAGE = 25;

export const historyQuery = (workspaceId: string, instanceId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'history', instanceId, cursor ?? null),
    queryFn: async ({ signal }) => {
      const query = { limit: HISTORY_PAGE, ...(cursor !== undefined && { cursor }) };
      return unwrap(await clientOf(workspaceId).instances.history(instanceId, query, { signal }));
    },
  });

export const qrQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'qr', instanceId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).instances.qr(instanceId, { signal })).data,
    // Not cached, because an expired QR code must not be shown.
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });

export const passkeyQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'passkey', instanceId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).instances.passkey(instanceId, { signal })).data,
    // Not cached, because the answer to an earlier request is refused.
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });

/** How many entries are read. If a number has more entries in 24 hours, the older ones are left out. */
const DAY_ENTRIES_MAX = 100;

export const dayQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'day', instanceId),
    queryFn: async ({ signal }) => {
      const query = { limit: DAY_ENTRIES_MAX };
      const page = unwrap(await clientOf(workspaceId).instances.history(instanceId, query, { signal }));
      return { history: { entries: page.data, hasOlder: page.nextCursor !== null }, at: Date.now() };
    },
  });
