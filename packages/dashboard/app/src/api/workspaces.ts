import { queryOptions } from '@tanstack/react-query';
import { request } from './request.ts';

interface NamedWorkspace {
  readonly id: string;
  readonly name: string;
}

/** All workspaces, for a session that is not bound to one. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => request<readonly NamedWorkspace[]>('admin/workspaces', { signal }),
  staleTime: 30_000,
});
