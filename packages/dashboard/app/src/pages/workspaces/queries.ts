import { queryOptions } from '@tanstack/react-query';
import type { WorkspacePage } from '../../../../src/schemas/admin.ts';
import { request } from '../../api/request.ts';

/** The workspaces after this one, oldest first. */
export const workspacePageQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['workspaces', 'page', after ?? null],
    queryFn: ({ signal }) => {
      const search = after === undefined ? '' : `?${new URLSearchParams({ after })}`;
      return request<WorkspacePage>(`admin/workspaces${search}`, { signal });
    },
  });
