import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Tone } from '../../components/status-badge.tsx';
import styles from './verdict.module.css';

/** A page's main status and what it means. Screen readers announce changes. */
export function Verdict({
  tone,
  status,
  children,
  more,
}: {
  readonly tone: Tone;
  readonly status: string;
  readonly children: ReactNode;
  /** Content that changes constantly, such as a countdown, and is not announced. */
  readonly more?: ReactNode;
}): ReactNode {
  return (
    <div className={styles['verdict']}>
      <div role="status" className={styles['answer']}>
        <StatusBadge tone={tone}>{status}</StatusBadge>
        <p className={styles['sentence']}>{children}</p>
      </div>
      {more && <div className={styles['more']}>{more}</div>}
    </div>
  );
}
