import { queryOptions } from '@tanstack/react-query';
import type { WorkspacePage } from '../../../src/schemas/admin.ts';
import { request } from './request.ts';

/** The workspaces, oldest first, for a session that is not bound to one: the first page of them. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: async ({ signal }) => (await request<WorkspacePage>('admin/workspaces', { signal })).workspaces,
  staleTime: 30_000,
});
