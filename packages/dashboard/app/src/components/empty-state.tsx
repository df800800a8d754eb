import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

/** Fills a place that has no content, and suggests the next step. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className={styles['empty']}>
      <p className={styles['title']}>{title}</p>
      {children && <p className={styles['text']}>{children}</p>}
      {action}
    </div>
  );
}
