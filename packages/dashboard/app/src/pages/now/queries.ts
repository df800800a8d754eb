import { queryOptions } from '@tanstack/react-query';
import type { OverviewResource } from '../../../../src/schemas/overview.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';

export const overviewQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'overview', 'now'),
    queryFn: ({ signal }) =>
      request<OverviewResource>(`workspaces/${encodeURIComponent(workspaceId)}/overview`, { signal }),
  });
