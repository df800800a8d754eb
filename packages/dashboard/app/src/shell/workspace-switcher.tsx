import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { workspacesQuery } from '../api/workspaces.ts';
import { useTexts } from '../texts/language.tsx';
import { useSession } from './session-context.ts';
import styles from './workspace-switcher.module.css';

const WorkspaceMenu = lazy(async () => ({ default: (await import('./workspace-menu.tsx')).WorkspaceMenu }));

/** The workspace's name; for a session that may choose, a menu of workspaces. */
export function WorkspaceSwitcher({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const { workspace } = useSession();
  if (workspace) return <p className={styles['bound']}>{workspace.name}</p>;
  return <Switcher workspaceId={workspaceId} />;
}

/** Loads the menu on its first press, and is then replaced with the menu's own button. */
function Switcher({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const t = useTexts('shell');
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const [isWanted, setWanted] = useState(false);
  const name = workspaces.find(({ id }) => id === workspaceId)?.name ?? workspaceId ?? t.workspace;
  const label = `${name}: ${t.switchWorkspace}`;
  const content = (
    <>
      <span className={styles['name']}>{name}</span>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="m4 6 4 4 4-4" />
      </svg>
    </>
  );
  const button = (
    <button
      type="button"
      className={styles['trigger']}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
      onKeyDown={({ key }) => key === 'ArrowDown' && setWanted(true)}
    >
      {content}
    </button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <WorkspaceMenu workspaceId={workspaceId} workspaces={workspaces} label={label}>
        {content}
      </WorkspaceMenu>
    </Suspense>
  );
}
