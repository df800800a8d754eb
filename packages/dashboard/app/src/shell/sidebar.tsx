import { Link, useMatchRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from '../components/class-names.ts';
import { Icon } from '../components/icon.tsx';
import icon from '../icon.svg';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { Account } from './account.tsx';
import { useAttention } from './attention.ts';
import type { Attention } from './attention.ts';
import { useEntries } from './entries.ts';
import { LiveIndicator } from './live-indicator.tsx';
import styles from './sidebar.module.css';

export function Sidebar({
  workspaceId,
  search,
}: {
  readonly workspaceId: string | null;
  /** The button of the search, unless it is elsewhere. */
  readonly search?: ReactNode;
}): ReactNode {
  const t = useTexts('shell');
  const attention = useAttention(workspaceId);
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
      <Account workspaceId={workspaceId} />
      {search}
      <nav aria-label={t.navigation}>
        <ul>
          {useEntries(workspaceId).map(({ name, icon: picture, to, also, params }) => (
            <li key={name}>
              <Link
                to={to}
                params={params}
                activeOptions={{ exact: name === 'now', includeSearch: false }}
                className={styles['link']}
                {...(also !== undefined && isAt({ to: also, params }) && { 'aria-current': 'page' })}
              >
                <Icon name={picture} />
                <span className={styles['name']}>{t[name]}</span>
                {attention[name] && <Count of={attention[name]} />}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

/** Larger counts are shown as `99+`. */
const COUNT_MAX = 99;

function Count({ of: { count, tone } }: { readonly of: Attention }): ReactNode {
  const t = useTexts('shell');
  const { locale } = useLanguage();
  const shown = new Intl.NumberFormat(locale).format(Math.min(count, COUNT_MAX));
  return (
    <span className={classes(styles['count'], styles[tone])}>
      {count > COUNT_MAX ? `${shown}+` : shown}
      <span className="unseen"> {t.attention}</span>
    </span>
  );
}
