import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { Page } from '../components/page.tsx';
import { useTexts } from '../texts/language.tsx';
import { useSession } from './session-context.ts';

interface AdministrationProps {
  /** Of the page. */
  readonly title: string;
  /** That the page is about; none if it is about all of them. */
  readonly workspaceId?: string;
  readonly children: ReactNode;
}

/**
 * A page of the administration. A session of one workspace has none, and reads so without a request that would be refused.
 * Nothing of the page is kept when another workspace comes: dialogs that are open are about the former one.
 */
export function Administration({ title, workspaceId, children }: AdministrationProps): ReactNode {
  const t = useTexts('shell');
  const { workspace } = useSession();
  // What another workspace has is refused by the service, as on every page.
  const isElsewhere = workspace !== null && workspace.id === (workspaceId ?? workspace.id);
  if (!isElsewhere) return <Fragment key={workspaceId}>{children}</Fragment>;
  return (
    <Page title={title}>
      <EmptyState title={t.elsewhere}>{t.elsewhereHint}</EmptyState>
    </Page>
  );
}
