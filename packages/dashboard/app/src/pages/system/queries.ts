import { queryOptions } from '@tanstack/react-query';
import type { SubscriptionResource, SystemResource } from '../../../../src/schemas/admin.ts';
import { request } from '../../api/request.ts';

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => request<SystemResource>('admin/system', { signal }),
});

export const HANDLERS_KEY: readonly string[] = ['handlers'];

export const handlersQuery = queryOptions({
  queryKey: HANDLERS_KEY,
  queryFn: ({ signal }) => request<readonly SubscriptionResource[]>('admin/subscriptions', { signal }),
});
