import { queryOptions } from '@tanstack/react-query';
import type { WorkspacePage } from '../../../src/schemas/admin.ts';
import { request } from './request.ts';

/** The first page, oldest first, for sessions that are not bound to a workspace. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: async ({ signal }) => (await request<WorkspacePage>('admin/workspaces', { signal })).workspaces,
  staleTime: 30_000,
});
