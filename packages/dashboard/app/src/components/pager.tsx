import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import styles from './pager.module.css';

/**
 * The links *Newer* and *Older*, which put a cursor into the URL, next to the filters. An empty cursor leads to the
 * first page.
 */
export function Pager({
  prevCursor,
  nextCursor,
  labels,
}: {
  readonly prevCursor: string | null;
  readonly nextCursor: string | null;
  /** Instead of *Newer* and *Older*. */
  readonly labels?: { readonly prev: string; readonly next: string };
}): ReactNode {
  const t = useTexts('common');
  const { prev, next } = labels ?? { prev: t.newer, next: t.older };
  if (prevCursor === null && nextCursor === null) return null;
  return (
    <nav aria-label={t.pages} className={styles['pager']}>
      <PageLink cursor={prevCursor}>← {prev}</PageLink>
      <PageLink cursor={nextCursor}>{next} →</PageLink>
    </nav>
  );
}

function PageLink({
  cursor,
  children,
}: {
  readonly cursor: string | null;
  readonly children: ReactNode;
}): ReactNode {
  if (cursor === null) return <span className={styles['none']}>{children}</span>;
  return (
    <Link to="." search={(before: object) => ({ ...before, cursor })} className={styles['link']}>
      {children}
    </Link>
  );
}
