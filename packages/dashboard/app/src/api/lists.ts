import { queryOptions } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import type { OverviewResource } from '../../../src/schemas/overview.ts';
import { clientOf } from './client.ts';
import { keyOf } from './keys.ts';
import { request } from './request.ts';

export const numbersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'list'),
    queryFn: async ({ signal }) => unwrap(await clientOf(workspaceId).instances.list({ signal })).data,
  });

export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'webhooks', 'list'),
    queryFn: async ({ signal }) => unwrap(await clientOf(workspaceId).webhooks.list({ signal })),
  });

/** The data of the page Now and of the sidebar's counts. */
export const overviewQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'overview', 'now'),
    queryFn: ({ signal }) =>
      request<OverviewResource>(`workspaces/${encodeURIComponent(workspaceId)}/overview`, { signal }),
  });

export const messageQuery = (workspaceId: string, messageId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'messages', 'one', messageId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).messages.get(messageId, { signal })).data,
  });

/** The messaging networks of the service, the default one first. */
export const networksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'networks'),
    queryFn: async ({ signal }) => unwrap(await clientOf(workspaceId).networks.list({ signal })).data,
    staleTime: Infinity,
  });

export const groupsQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'numbers', 'groups', instanceId),
    queryFn: async ({ signal }) =>
      unwrap(await clientOf(workspaceId).instances.groups(instanceId, { signal })).data,
  });
