import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

/** Fills a place without content: a title, optional text, and the next step as a button or a link. */
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
