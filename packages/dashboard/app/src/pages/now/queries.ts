import { queryOptions } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';

/** Whether the workspace has queued or sent a message yet. */
export const firstMessageQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keyOf(workspaceId, 'messages', 'first'),
    queryFn: async ({ signal }) => {
      const query = { direction: 'outbound', limit: 1 } as const;
      return unwrap(await clientOf(workspaceId).messages.list(query, { signal })).data.length > 0;
    },
  });
