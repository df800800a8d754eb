import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult } from '@tanstack/react-query';
import type { WorkspaceChanges, WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { adminPathOf } from '../../api/admin.ts';
import { request } from '../../api/request.ts';
import { useToasts } from '../../components/toasts.tsx';

export interface ChangeFormProps {
  readonly workspace: WorkspaceResource;
  onClose(): void;
}

/** Changes a workspace, shows the toast `said`, and reads the workspaces again. */
export function useChange(
  id: string,
  { said, onDone }: { readonly said: string; onDone(): void },
): UseMutationResult<WorkspaceResource, Error, WorkspaceChanges> {
  const { say } = useToasts();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: WorkspaceChanges) =>
      request<WorkspaceResource>(adminPathOf(id), { method: 'PATCH', body }),
    onSuccess() {
      onDone();
      say(said);
      void queries.invalidateQueries({ queryKey: ['workspaces'] });
    },
  });
}
