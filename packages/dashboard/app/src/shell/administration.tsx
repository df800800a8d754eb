import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { Page } from '../components/page.tsx';
import { useTexts } from '../texts/language.tsx';
import { useSession } from './session-context.ts';

interface AdministrationProps {
  readonly title: string;
  /** The workspace that the page is about; undefined if it is about all workspaces. */
  readonly workspaceId?: string;
  readonly children: ReactNode;
}

/**
 * A page of the administration. A session that is bound to a workspace gets a notice instead. A change of workspace
 * resets the page, because open dialogs are about the previous workspace.
 */
export function Administration({ title, workspaceId, children }: AdministrationProps): ReactNode {
  const t = useTexts('shell');
  const { workspace } = useSession();
  // No notice about another workspace: there, the service refuses the data, and the page shows that error.
  const isElsewhere = workspace !== null && workspace.id === (workspaceId ?? workspace.id);
  if (!isElsewhere) return <Fragment key={workspaceId}>{children}</Fragment>;
  return (
    <Page title={title}>
      <EmptyState title={t.elsewhere}>{t.elsewhereHint}</EmptyState>
    </Page>
  );
}
