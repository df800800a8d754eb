import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './chart.module.css';

/** The height of the SVG's view box. CSS stretches the SVG to the page's width. */
export const CHART_HEIGHT = 60;
const SLOT = 20;
const BAR = 16;

interface ChartProps {
  /** A sentence about the chart, for screen readers. */
  readonly label: string;
  readonly caption: ReactNode;
  /** The number of bar positions, such as one per hour. */
  readonly slots: number;
  /** The y coordinate of the bars' baseline. */
  readonly line: number;
  /** The texts below the ends of the baseline. */
  readonly from: string;
  readonly to: string;
  readonly children: ReactNode;
}

/** A bar chart over time. Screen readers get only the label: show a table with the same data next to the chart. */
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

/** The length of the bar for `value`, where `most` has the length `longest`. Any value but 0 gets a visible bar. */
export function barLength(value: number, most: number, longest: number): number {
  return value === 0 ? 0 : Math.max(2, (value / Math.max(1, most)) * longest);
}
