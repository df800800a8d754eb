import type { ReactNode } from 'react';
import { StatusShape } from './status-badge.tsx';
import styles from './warning.module.css';

export function Warning({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <p className={styles['warning']}>
      <StatusShape tone="act" />
      <span>{children}</span>
    </p>
  );
}
