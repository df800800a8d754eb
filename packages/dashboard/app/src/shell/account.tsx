import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { signOut } from '../api/session.ts';
import { workspacesQuery } from '../api/workspaces.ts';
import { BASE_PATH } from '../base-path.ts';
import { Avatar } from '../components/avatar.tsx';
import { ErrorView } from '../components/error-view.tsx';
import { Icon } from '../components/icon.tsx';
import { useTexts } from '../texts/language.tsx';
import styles from './account.module.css';
import { forgetCurrentWorkspace } from './current-workspace.ts';
import { useSession } from './session-context.ts';

const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }));

/** The workspace and the session's access. A press opens the menu of everything that is about the user. */
export function Account({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const t = useTexts('shell');
  const { access, workspace: bound, features } = useSession();
  const { data: workspaces = [] } = useQuery({ ...workspacesQuery, enabled: bound === null });
  /** Loads the menu on the first press; then the menu's own button replaces this one. */
  const [isWanted, setWanted] = useState(false);
  const leave = useMutation({
    mutationKey: ['session', 'sign-out'],
    mutationFn: signOut,
    // Load a new document, so that no data of this session stays in memory.
    onSuccess() {
      forgetCurrentWorkspace();
      location.assign(`${BASE_PATH}/sign-in`);
    },
  });
  const known = bound ?? workspaces.find(({ id }) => id === workspaceId);
  const name = known?.name ?? workspaceId ?? t.workspace;
  const content = (
    <>
      {workspaceId === null ? <Icon name="workspace" /> : <Avatar id={workspaceId} name={name} />}
      <span className={styles['texts']}>
        <span className={styles['name']}>{name}</span>
        <span className={styles['access']}>{t.access[access]}</span>
        <span className="unseen">, {t.account}</span>
      </span>
      <Icon name="open" />
    </>
  );
  const button = (
    <button
      type="button"
      className={styles['trigger']}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
      onKeyDown={({ key }) => key === 'ArrowDown' && setWanted(true)}
    >
      {content}
    </button>
  );
  return (
    <div>
      {isWanted ? (
        <Suspense fallback={button}>
          <AccountMenu
            workspaceId={workspaceId}
            workspaces={bound === null ? workspaces : null}
            onSignOut={features.signOut ? leave.mutate : null}
          >
            {content}
          </AccountMenu>
        </Suspense>
      ) : (
        button
      )}
      {leave.error !== null && <ErrorView error={leave.error} />}
    </div>
  );
}
