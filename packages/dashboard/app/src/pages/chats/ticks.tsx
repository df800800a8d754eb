import type { MessageResource } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { classes } from '../../components/class-names.ts';
import { useTexts } from '../../texts/language.tsx';
import styles from './ticks.module.css';

type Status = MessageResource['status'];

/** They differ in outline, so that they can be told apart in one colour. */
const SHAPES: Readonly<Record<Status, ReactNode>> = {
  queued: <path d="M10 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M10 5.2V8l2 1.4" />,
  sent: <path d="m5.5 8.5 3 3 6-7" />,
  delivered: <path d="m2.5 8.5 3 3 6-7M9.5 11l.5.5 6-7" />,
  read: (
    <>
      <rect x="0" y="1" width="20" height="14" rx="7" className={styles['filled']} />
      <path d="m3.5 8.3 2.7 2.7 5-5.8M9.6 10.4l.6.6 5-5.8" className={styles['onFilled']} />
    </>
  ),
  failed: <path d="M10 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M10 5v3.6M10 11h.01" />,
  received: null,
};

/** How far a sent message has come: a clock, one tick, two ticks, two filled ticks, or an exclamation mark. */
export function Ticks({ status }: { readonly status: Status }): ReactNode {
  const { statuses } = useTexts('messages');
  return (
    <span title={statuses[status]} className={classes(styles['ticks'], styles[status])}>
      <svg viewBox="0 0 20 16" aria-hidden="true">
        {SHAPES[status]}
      </svg>
      <span className="unseen">{statuses[status]}</span>
    </span>
  );
}
