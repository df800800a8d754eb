import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon.tsx';
import { LANGUAGES } from '../texts/current-language.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import styles from './account.module.css';
import { useSession } from './session-context.ts';
import { chooseTheme, keptTheme, THEMES } from './theme.ts';

interface AccountMenuProps {
  readonly workspaceId: string | null;
  /** Null for a session that is bound to a workspace. */
  readonly workspaces: readonly { readonly id: string; readonly name: string }[] | null;
  /** Null if the session cannot be ended here. */
  readonly onSignOut: (() => void) | null;
  readonly children: ReactNode;
}

/** The page of workspaces has all of them. */
const SHOWN_MAX = 50;

/** Starts open, because it is rendered only when the user asks for it. */
export function AccountMenu({ workspaceId, workspaces, onSignOut, children }: AccountMenuProps): ReactNode {
  const t = useTexts('shell');
  const { access, version } = useSession();
  const { language, choose } = useLanguage();
  const navigate = useNavigate();
  const [theme, setTheme] = useState(keptTheme);
  return (
    <Menu.Root modal={false} defaultOpen>
      <Menu.Trigger className={styles['trigger']}>{children}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={styles['positioner']} sideOffset={4} align="start">
          <Menu.Popup className={styles['popup']}>
            <p className={styles['who']}>{t.signedInAs(t.access[access])}</p>
            {workspaces !== null && (
              <Choice
                title={t.workspace}
                value={workspaceId ?? ''}
                options={workspaces.slice(0, SHOWN_MAX).map(({ id, name }) => ({ value: id, label: name }))}
                none={t.noWorkspaces}
                onChoose={(id) => void navigate({ to: '/w/$workspace', params: { workspace: id } })}
                closes
              />
            )}
            <Choice
              title={t.theme}
              value={theme}
              options={THEMES.map((value) => ({ value, label: t.themes[value] }))}
              onChoose={(chosen) => {
                setTheme(chosen);
                chooseTheme(chosen);
              }}
            />
            <Choice
              title={t.language}
              value={language}
              options={LANGUAGES.map((value) => ({ value, label: t.languages[value] }))}
              onChoose={choose}
            />
            {onSignOut && (
              <Menu.Item className={styles['item']} onClick={onSignOut}>
                <Icon name="logOut" />
                {t.signOut}
              </Menu.Item>
            )}
            <p className={styles['version']}>
              {t.product} {version}
            </p>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Choice<Value extends string>({
  title,
  value,
  options,
  none,
  onChoose,
  closes = false,
}: {
  readonly title: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  /** Shown if there are no options. */
  readonly none?: string;
  onChoose(value: Value): void;
  /** Whether the menu closes after the choice. */
  readonly closes?: boolean;
}): ReactNode {
  return (
    <Menu.Group className={styles['group']}>
      <Menu.GroupLabel className={styles['title']}>{title}</Menu.GroupLabel>
      {options.length === 0 && none !== undefined && <p className={styles['none']}>{none}</p>}
      <Menu.RadioGroup
        value={value}
        onValueChange={(chosen: unknown) => {
          const option = options.find((each) => each.value === chosen);
          if (option) onChoose(option.value);
        }}
      >
        {options.map((option) => (
          <Menu.RadioItem
            key={option.value}
            value={option.value}
            closeOnClick={closes}
            className={styles['item']}
          >
            <span className={styles['tick']}>
              <Menu.RadioItemIndicator>
                <Icon name="check" />
              </Menu.RadioItemIndicator>
            </span>
            <span className={styles['name']}>{option.label}</span>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Group>
  );
}
