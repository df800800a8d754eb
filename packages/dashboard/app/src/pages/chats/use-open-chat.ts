import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Opens a chat, or the list of chats for null. */
export function useOpenChat(
  workspace: string,
): (
  counterpart: string | null,
  search: { readonly instance: string | undefined; readonly find: string | undefined },
) => void {
  const navigate = useNavigate();
  return useCallback(
    (counterpart, { instance, find }) => {
      const search = { ...(instance !== undefined && { instance }), ...(find !== undefined && { find }) };
      if (counterpart === null) void navigate({ to: '/w/$workspace/chats', params: { workspace }, search });
      else
        void navigate({
          to: '/w/$workspace/chats/$counterpart',
          params: { workspace, counterpart },
          search,
        });
    },
    [navigate, workspace],
  );
}
