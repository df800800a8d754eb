import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

/** Fills a place that has no content, and suggests the next step. */
export function EmptyState({
  title,
  icon = 'empty',
  children,
  action,
}: {
  readonly title: string;
  readonly icon?: IconName;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className={styles['empty']}>
      <span className={styles['icon']}>
        <Icon name={icon} />
      </span>
      <p className={styles['title']}>{title}</p>
      {children && <p className={styles['text']}>{children}</p>}
      {action}
    </div>
  );
}
