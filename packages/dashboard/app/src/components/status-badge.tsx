import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './status-badge.module.css';

/** The meaning of a status for its reader (DESIGN.md, "Status"). */
export type Tone = 'good' | 'busy' | 'act' | 'bad' | 'idle';

/** A status as a shape and a word, so that it can be read without colours. */
export function StatusBadge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span className={classes(styles['badge'], styles[tone])}>
      <StatusShape tone={tone} />
      <span>{children}</span>
    </span>
  );
}

export function StatusShape({ tone }: { readonly tone: Tone }): ReactNode {
  return (
    <svg className={classes(styles['shape'], styles[`${tone}Shape`])} viewBox="0 0 12 12" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}

const SHAPES: Readonly<Record<Tone, ReactNode>> = {
  good: <circle cx="6" cy="6" r="5" />,
  busy: (
    <>
      <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 1a5 5 0 0 1 0 10z" />
    </>
  ),
  act: <path d="M6 .6 11.8 11H.2z" />,
  bad: <rect x="1" y="1" width="10" height="10" />,
  idle: <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />,
};
