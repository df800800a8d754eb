import type { ReactNode } from 'react';
import { StatusShape } from './status-badge.tsx';
import type { Tone } from './status-badge.tsx';
import styles from './headline.module.css';

/** The main fact of a page in a short text, with an optional detail. */
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
