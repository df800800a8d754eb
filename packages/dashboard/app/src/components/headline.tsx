import type { ReactNode } from 'react';
import { StatusShape } from './status-badge.tsx';
import type { Tone } from './status-badge.tsx';
import styles from './headline.module.css';

export function Headline({
  tone,
  detail,
  children,
}: {
  readonly tone: Tone;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <p role="status" className={styles['headline']}>
      <StatusShape tone={tone} />
      <span className={styles['text']}>
        <span>{children}</span>
        {detail && <span className={styles['detail']}>{detail}</span>}
      </span>
    </p>
  );
}
