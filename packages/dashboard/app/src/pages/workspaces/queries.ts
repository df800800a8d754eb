import { queryOptions } from '@tanstack/react-query';
import type { WorkspacePage } from '../../../../src/schemas/admin.ts';
import { request } from '../../api/request.ts';
import { stringifySearch } from '../../router/search.ts';
import type { WorkspacesSearch } from './search.ts';

/** The workspaces after `cursor`, oldest first; if `find` is given, only the workspaces that match. */
export const workspacePageQuery = ({ cursor: after, find }: WorkspacesSearch) =>
  queryOptions({
    queryKey: ['workspaces', 'page', after ?? null, find ?? null],
    queryFn: ({ signal }) => {
      const search = stringifySearch({ after, find });
      return request<WorkspacePage>(`admin/workspaces${search}`, { signal });
    },
  });
