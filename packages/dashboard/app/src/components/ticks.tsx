import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import type { Tone } from './status-badge.tsx';
import styles from './ticks.module.css';

const HEIGHT = 20;
const SLOT = 4;
const TICK = 3;
/** The better a period went, the higher its tick, so that the strip can be read without colours. */
const HEIGHTS: Readonly<Record<Tone, number>> = { good: 20, busy: 14, act: 14, bad: 8, idle: 2 };
const TONES = Object.keys(HEIGHTS) as readonly Tone[]; // has exactly these keys

/** How each of many periods went, oldest first. One path for each tone, because a page may have a hundred strips. */
export function Ticks({
  label,
  tones,
}: {
  /** For screen readers. */
  readonly label: string;
  readonly tones: readonly Tone[];
}): ReactNode {
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles['ticks']}
      viewBox={`0 0 ${tones.length * SLOT} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {TONES.filter((tone) => tones.includes(tone)).map((tone) => (
        <path key={tone} className={classes(styles[tone])} d={pathOf(tones, tone)} />
      ))}
    </svg>
  );
}

function pathOf(tones: readonly Tone[], tone: Tone): string {
  const height = HEIGHTS[tone];
  return tones
    .map((each, slot) => (each === tone ? `M${slot * SLOT} ${HEIGHT}v${-height}h${TICK}v${height}z` : ''))
    .join('');
}
