import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { workspacesQuery } from '../api/workspaces.ts';
import { useTexts } from '../texts/language.tsx';
import { useSession } from './session-context.ts';
import styles from './workspace-switcher.module.css';

/** The workspace's name; for a session that may name any, a menu of them. */
export function WorkspaceSwitcher({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const { workspace } = useSession();
  if (workspace) return <p className={styles['bound']}>{workspace.name}</p>;
  return <Switcher workspaceId={workspaceId} />;
}

/** In the menu; the page of the workspaces has all. */
const SHOWN_MAX = 50;

function Switcher({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const t = useTexts('shell');
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const navigate = useNavigate();
  const current = workspaces.find(({ id }) => id === workspaceId);
  const name = current?.name ?? workspaceId ?? t.workspace;
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles['trigger']} aria-label={`${name}: ${t.switchWorkspace}`}>
        <span className={styles['name']}>{name}</span>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4 6 4 4 4-4" />
        </svg>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={styles['positioner']} sideOffset={4} align="start">
          <Menu.Popup className={styles['popup']}>
            {workspaces.length === 0 && <p className={styles['none']}>{t.noWorkspaces}</p>}
            <Menu.RadioGroup
              value={workspaceId ?? ''}
              onValueChange={(id: unknown) =>
                void navigate({ to: '/w/$workspace', params: { workspace: String(id) } })
              }
            >
              {workspaces.slice(0, SHOWN_MAX).map(({ id, name }) => (
                <Menu.RadioItem key={id} value={id} closeOnClick className={styles['item']}>
                  {name}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
