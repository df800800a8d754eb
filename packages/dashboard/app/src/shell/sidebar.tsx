import { useMutation } from '@tanstack/react-query';
import { Link, useMatchRoute } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { signOut } from '../api/session.ts';
import { BASE_PATH } from '../base-path.ts';
import { Button } from '../components/button.tsx';
import { ErrorView } from '../components/error-view.tsx';
import { LANGUAGES } from '../texts/current-language.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import icon from '../icon.svg';
import { LiveIndicator } from './live-indicator.tsx';
import { forgetCurrentWorkspace } from './current-workspace.ts';
import { useEntries } from './entries.ts';
import { Choice } from './choice.tsx';
import { useSession } from './session-context.ts';
import styles from './sidebar.module.css';
import { chooseTheme, keptTheme, THEMES } from './theme.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

export function Sidebar({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const t = useTexts('shell');
  const { language, choose } = useLanguage();
  const session = useSession();
  const [theme, setTheme] = useState(keptTheme);
  const leave = useMutation({
    mutationKey: ['session', 'sign-out'],
    mutationFn: signOut,
    // Load a new document, so that no data of this session stays in memory.
    onSuccess() {
      forgetCurrentWorkspace();
      location.assign(`${BASE_PATH}/sign-in`);
    },
  });
  const isAt = useMatchRoute();
  return (
    <div className={styles['sidebar']}>
      <div className={styles['top']}>
        <Link to="/" className={styles['product']}>
          <img src={icon} alt="" width="18" height="18" />
          {t.product}
        </Link>
        <LiveIndicator />
      </div>
      <WorkspaceSwitcher workspaceId={workspaceId} />
      <nav aria-label={t.navigation}>
        <ul>
          {useEntries(workspaceId).map(({ name, to, also, params }) => (
            <li key={name}>
              <Link
                to={to}
                params={params}
                activeOptions={{ exact: name === 'now', includeSearch: false }}
                className={styles['link']}
                {...(also !== undefined && isAt({ to: also, params }) && { 'aria-current': 'page' })}
              >
                {t[name]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles['foot']}>
        <Choice
          label={t.theme}
          value={theme}
          options={THEMES.map((value) => ({ value, label: t.themes[value] }))}
          onChoose={(chosen) => {
            setTheme(chosen);
            chooseTheme(chosen);
          }}
        />
        <Choice
          label={t.language}
          value={language}
          options={LANGUAGES.map((value) => ({ value, label: t.languages[value] }))}
          onChoose={choose}
        />
        <p className={styles['who']}>
          {t.access[session.access]} · {session.version}
        </p>
        {session.features.signOut && (
          <Button isBusy={leave.isPending} onClick={() => leave.mutate()}>
            {t.signOut}
          </Button>
        )}
        {leave.error !== null && <ErrorView error={leave.error} />}
      </div>
    </div>
  );
}
