import type { ReactNode } from 'react';
import { Page } from '../../components/page.tsx';
import styles from './pane.module.css';

interface PaneProps {
  readonly title: string;
  /** Whether the title is that of the page, because no pane after this one is open. */
  readonly isPage: boolean;
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A pane with a head that stays, and a body that scrolls. */
export function Pane({ title, isPage, above, actions, children }: PaneProps): ReactNode {
  const body = <div className={styles['body']}>{children}</div>;
  return (
    <div className={styles['pane']}>
      {isPage ? (
        <Page title={title} above={above} actions={actions}>
          {body}
        </Page>
      ) : (
        <div>
          <header>
            <div>
              {above && <p>{above}</p>}
              <h2>{title}</h2>
            </div>
            {actions && <div>{actions}</div>}
          </header>
          {body}
        </div>
      )}
    </div>
  );
}
