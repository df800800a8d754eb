import type { ReactNode } from 'react';
import { useLanguage } from '../texts/language.tsx';
import { StatusShape } from './status-badge.tsx';
import type { Tone } from './status-badge.tsx';
import styles from './timeline.module.css';
import { dayOf, Time } from './time.tsx';

export interface TimelineEntry {
  readonly key: string;
  /** ISO 8601. */
  readonly at: string;
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly details?: ReactNode;
}

/** Shows entries in the given order, with a heading whenever the day changes. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }): ReactNode {
  const { locale } = useLanguage();
  const days = entries.map(({ at }) => dayOf(at, locale));
  return (
    <ol className={styles['timeline']}>
      {entries.map(({ key, at, tone, title, details }, index) => (
        <li key={key} className={styles['entry']}>
          {days[index] !== days[index - 1] && <p className={styles['day']}>{days[index]}</p>}
          <span className={styles['at']}>
            <Time at={at} as="clock" />
          </span>
          <span className={styles['mark']}>
            <StatusShape tone={tone} />
          </span>
          <div className={styles['content']}>
            <p>{title}</p>
            {details && <div className={styles['details']}>{details}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
