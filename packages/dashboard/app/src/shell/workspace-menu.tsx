import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import styles from './workspace-switcher.module.css';

interface WorkspaceMenuProps {
  readonly workspaceId: string | null;
  readonly workspaces: readonly { readonly id: string; readonly name: string }[];
  readonly label: string;
  readonly children: ReactNode;
}

/** The page of workspaces has all of them. */
const SHOWN_MAX = 50;

/** Starts open, because it is rendered only when the user asks for it. */
export function WorkspaceMenu({ workspaceId, workspaces, label, children }: WorkspaceMenuProps): ReactNode {
  const t = useTexts('shell');
  const navigate = useNavigate();
  return (
    <Menu.Root modal={false} defaultOpen>
      <Menu.Trigger className={styles['trigger']} aria-label={label}>
        {children}
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
