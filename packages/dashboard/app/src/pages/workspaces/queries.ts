import { queryOptions } from '@tanstack/react-query';
import type { WorkspacePage } from '../../../../src/schemas/admin.ts';
import { request } from '../../api/request.ts';
import { stringifySearch } from '../../router/search.ts';
import type { WorkspacesSearch } from './search.ts';

/** The workspaces after this one, oldest first; only those with `find` in their names, if given. */
export const workspacePageQuery = ({ cursor: after, find }: WorkspacesSearch) =>
  queryOptions({
    queryKey: ['workspaces', 'page', after ?? null, find ?? null],
    queryFn: ({ signal }) => {
      const search = stringifySearch({ after, find });
      return request<WorkspacePage>(`admin/workspaces${search}`, { signal });
    },
  });
