import { queryOptions } from '@tanstack/react-query';
import type { KeyResource, MemberResource, WorkspaceResource } from '../../../src/schemas/admin.ts';
import { keyOf } from './keys.ts';
import { request } from './request.ts';

// The queries of the administration's pages, for sessions that are not bound to a workspace.

export function adminPathOf(workspaceId: string, ...rest: readonly string[]): string {
  return ['admin', 'workspaces', workspaceId, ...rest].map(encodeURIComponent).join('/');
}

/** Including revoked keys, newest first. */
export const keysQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'keys', 'list'),
    queryFn: ({ signal }) => request<readonly KeyResource[]>(adminPathOf(workspaceId, 'keys'), { signal }),
  });

/** Oldest first. */
export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'members', 'list'),
    queryFn: ({ signal }) =>
      request<readonly MemberResource[]>(adminPathOf(workspaceId, 'members'), { signal }),
  });

export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspaces', 'one', workspaceId],
    queryFn: ({ signal }) => request<WorkspaceResource>(adminPathOf(workspaceId), { signal }),
  });
