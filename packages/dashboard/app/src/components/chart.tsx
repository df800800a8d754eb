import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './chart.module.css';

/** In a picture without a unit, whose width is that of the page. */
export const CHART_HEIGHT = 60;
const SLOT = 20;
const BAR = 16;

interface ChartProps {
  /** What it shows, in a sentence, for readers. */
  readonly label: string;
  readonly caption: ReactNode;
  /** How many bars are beside each other. */
  readonly slots: number;
  /** Where the line is that they stand on. */
  readonly line: number;
  /** Below its ends. */
  readonly from: string;
  readonly to: string;
  /** `Bar`s. */
  readonly children: ReactNode;
}

/** Bars over time. Whoever shows one has the same as a table beside it. */
export function Chart({ label, caption, slots, line, from, to, children }: ChartProps): ReactNode {
  return (
    <figure className={styles['chart']}>
      <figcaption className={styles['caption']}>{caption}</figcaption>
      <svg
        role="img"
        aria-label={label}
        className={styles['picture']}
        viewBox={`0 0 ${slots * SLOT} ${CHART_HEIGHT}`}
        preserveAspectRatio="none"
      >
        {children}
        <line className={styles['line']} x2={slots * SLOT} y1={line} y2={line} />
      </svg>
      <p className={styles['ends']}>
        <span>{from}</span>
        <span>{to}</span>
      </p>
    </figure>
  );
}

interface BarProps {
  readonly slot: number;
  readonly tone: 'good' | 'bad' | 'busy' | 'plain';
  /** Of its upper end. */
  readonly y: number;
  readonly height: number;
  readonly isNarrow?: boolean;
}

export function Bar({ slot, tone, y, height, isNarrow = false }: BarProps): ReactNode {
  return (
    <rect
      className={classes(styles[tone])}
      x={slot * SLOT + (SLOT - BAR) / 2}
      width={isNarrow ? BAR / 4 : BAR}
      y={y}
      height={height}
    />
  );
}

/** How long a bar is that stands for `value`, where the longest is `longest`: what is not nothing can be seen. */
export function barLength(value: number, most: number, longest: number): number {
  return value === 0 ? 0 : Math.max(2, (value / Math.max(1, most)) * longest);
}
