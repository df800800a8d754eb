import type { ReactNode } from 'react';
import type { WorkspaceResource } from '../../../../src/schemas/admin.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useTexts } from '../../texts/language.tsx';

export function StateBadge({ workspace }: { readonly workspace: WorkspaceResource }): ReactNode {
  const t = useTexts('workspaces');
  return workspace.suspended_at === null ? (
    <StatusBadge tone="good">{t.states.active}</StatusBadge>
  ) : (
    <StatusBadge tone="bad">{t.states.suspended}</StatusBadge>
  );
}
