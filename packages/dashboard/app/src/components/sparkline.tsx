import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import type { Tone } from './status-badge.tsx';
import styles from './sparkline.module.css';

const HEIGHT = 24;
/** Keeps the line's thickness within the picture. */
const MARGIN = 2;

interface SparklineProps {
  /** Oldest first. The line has a gap where a value is null. */
  readonly values: readonly (number | null)[];
  readonly tone: Tone;
}

/** A line without axes, which screen readers skip: show the numbers next to it. */
export function Sparkline({ values, tone }: SparklineProps): ReactNode {
  return (
    <svg
      aria-hidden="true"
      className={classes(styles['line'], styles[tone])}
      viewBox={`0 0 ${Math.max(1, values.length)} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path d={pathOf(values)} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

function pathOf(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const least = Math.min(0, ...known);
  const span = Math.max(...known, 0) - least || 1;
  return values
    .map((value, index) => {
      if (value === null) return '';
      const y = HEIGHT - MARGIN - ((value - least) / span) * (HEIGHT - 2 * MARGIN);
      // Each value is a level across its period, so that a single value is visible too.
      const start = index === 0 || values[index - 1] === null ? 'M' : 'L';
      return `${start}${index} ${y.toFixed(1)}H${index + 1}`;
    })
    .join('');
}
