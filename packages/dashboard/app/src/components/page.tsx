import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Links to the pages above this page. */
  readonly above?: ReactNode;
  readonly facts?: ReactNode;
  /** The most important action first. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Sets the document's title, too. The heading gets the focus after navigation within the dashboard. */
export function Page({ title, above, facts, actions, children }: PageProps): ReactNode {
  const { product } = useTexts('shell');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  useEffect(() => {
    // A field with autofocus keeps the focus. The first page after a load does not move the focus.
    if (
      hasNavigated &&
      (document.activeElement === document.body || document.activeElement?.closest('nav'))
    ) {
      heading.current?.focus();
    }
    hasNavigated = true;
  }, []);
  return (
    <div className={styles['page']}>
      <header className={styles['header']}>
        <div className={styles['titles']}>
          {above && <p className={styles['above']}>{above}</p>}
          <h1 ref={heading} tabIndex={-1} className={styles['title']}>
            {title}
          </h1>
          {facts && <div className={styles['facts']}>{facts}</div>}
        </div>
        {actions && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

let hasNavigated = false;
